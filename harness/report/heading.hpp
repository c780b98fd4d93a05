#pragma once
/// \file
/// Lines that say what was measured, where and with what.

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/document/document.hpp"
#include "harness/text.hpp"

namespace nasvm {

/// One line for one host, or for several equal ones: the paper's platform.
std::string platform_text(const MachineRecord& machine);

/// What else is known of a host: "L1 48 KiB, L2 2 MiB, L3 36 MiB; huge pages madvise; hypervisor KVM".
std::string modes_text(const HostRecord& host);

/// Version, commit and compiler in one line.
std::string build_text(const BuildRecord& build);

/// The lines above a table; with several documents those of each under its label.
std::vector<std::string> heading_lines(std::span<const Source> sources);

/// A line for each number of tasks that were on fewer hosts than the lines above the table name.
/// `hosts_used(record)`: on how many; 0: not known, or said elsewhere.
template <typename Record, typename HostsUsed>
std::vector<std::string> fewer_hosts_lines(std::span<const Source> sources, HostsUsed hosts_used) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::size_t all = sources[i].document.machine.hosts.size();
    const std::string where = sources.size() > 1 ? " of " + source_label(i) : "";
    for (const Record& record : sources[i].document.template records<Record>()) {
      const auto used = static_cast<std::size_t>(hosts_used(record));
      if (used == 0 || used >= all) continue;
      std::string line =
          fmt::format("{} {} on {} of the {} hosts{}.", counted(static_cast<std::size_t>(record.np), "task"),
                      record.np == 1 ? "was" : "were", used, all, where);
      if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
    }
  }
  return lines;
}

}  // namespace nasvm

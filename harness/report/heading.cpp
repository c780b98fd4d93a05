#include "harness/report/heading.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "harness/report/numbers.hpp"
#include "harness/text.hpp"

namespace nasvm {
namespace {

/// Empty where nobody told of it.
std::string host_text(const HostRecord& host) {
  if (host.cpu.empty() && host.cores == 0 && host.kernel.empty()) return "";
  return fmt::format("{}, {}, {}, {}", host.cpu, counted(host.cores, "core"), bytes_text(host.memory_bytes),
                     host.kernel);
}

/// A name and what is known behind it.
std::string with_text(const std::string& name, const std::string& text) {
  return text.empty() ? name : fmt::format("{} ({})", name, text);
}

/// "2026-11-20T12:00:00Z" as people write it.
std::string time_text(const std::string& created) {
  if (created.size() < 16) return created;
  return created.substr(0, 10) + " " + created.substr(11, 5) + " UTC";
}

}  // namespace

std::string platform_text(const MachineRecord& machine) {
  if (machine.hosts.empty()) return "unknown";
  const HostRecord& first = machine.hosts.front();
  if (machine.hosts.size() == 1) return with_text(first.name, host_text(first));
  const bool alike = std::all_of(machine.hosts.begin(), machine.hosts.end(),
                                 [&](const HostRecord& host) { return host_text(host) == host_text(first); });
  std::vector<std::string> names;
  for (const HostRecord& host : machine.hosts) {
    names.push_back(alike ? host.name : with_text(host.name, host_text(host)));
  }
  const std::string list = fmt::format("{} hosts: {}", names.size(), joined(names));
  return alike && !host_text(first).empty() ? fmt::format("{} (each {})", list, host_text(first)) : list;
}

std::string modes_text(const HostRecord& host) {
  std::vector<std::string> caches;
  using Cache = std::pair<const char*, std::uint64_t>;
  for (const auto& [name, bytes] :
       {Cache("L1", host.l1d_bytes), Cache("L2", host.l2_bytes), Cache("L3", host.l3_bytes)}) {
    if (bytes != 0) caches.push_back(fmt::format("{} {}", name, capacity_text(bytes)));
  }
  std::vector<std::string> parts;
  if (!caches.empty()) parts.push_back(joined(caches));
  if (!host.huge_pages.empty()) parts.push_back("huge pages " + host.huge_pages);
  if (!host.governor.empty()) parts.push_back("governor " + host.governor);
  if (!host.hypervisor.empty()) parts.push_back("hypervisor " + host.hypervisor);
  return joined(parts, "; ");
}

std::string build_text(const BuildRecord& build) {
  return fmt::format("nasvm {} ({}), {}", build.version, build.commit, build.compiler);
}

std::vector<std::string> heading_lines(std::span<const Source> sources) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const Document& document = sources[i].document;
    if (sources.size() > 1) lines.push_back(fmt::format("File {}:   {}", source_label(i), sources[i].file));
    lines.push_back("Platform: " + platform_text(document.machine));
    lines.push_back(fmt::format("Program:  {}; {}", build_text(document.build), time_text(document.created)));
    if (!document.interrupted) continue;
    lines.push_back(fmt::format("Not complete: {} of {} planned runs were carried out.", document.interrupted->done,
                                document.interrupted->planned));
  }
  return lines;
}

}  // namespace nasvm

#pragma once
/// \file
/// Lines that say what was measured, where and with what.

#include <span>
#include <string>
#include <vector>

#include "harness/document/document.hpp"

namespace nasvm {

/// One line for one host, or for several equal ones: the paper's platform.
std::string platform_text(const MachineRecord& machine);

/// What else is known of a host: "L1 48 KiB, L2 2 MiB, L3 36 MiB; huge pages madvise; hypervisor KVM".
std::string modes_text(const HostRecord& host);

/// Version, commit and compiler in one line.
std::string build_text(const BuildRecord& build);

/// The lines above a table; with several documents those of each under its label.
std::vector<std::string> heading_lines(std::span<const Source> sources);

}  // namespace nasvm

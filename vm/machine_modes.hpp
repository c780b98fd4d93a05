#pragma once
/// \file
/// How this computer is set up, as far as it changes how fast programs run. Linux. Nothing here throws or blocks.

#include <string>
#include <string_view>

namespace nasvm {

/// Empty: the system does not tell.
struct MachineModes {
  std::string huge_pages;  ///< transparent ones: "always", "madvise", "never"
  std::string governor;    ///< of the clock frequency of the first core: "performance"
  std::string hypervisor;  ///< below the system: "KVM"; "none"
};

MachineModes machine_modes();

/// The word in brackets, as in "always [madvise] never" (/sys/kernel/mm/transparent_hugepage/enabled), or "".
std::string chosen_mode(std::string_view text);

/// The name of a hypervisor by its signature, twelve letters (CPUID leaf 0x40000000): "KVMKVMKVM" is "KVM"; a
/// signature that is not known is its own name.
std::string hypervisor_name(std::string_view signature);

}  // namespace nasvm

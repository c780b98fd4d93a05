#include "vm/machine_modes.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <utility>

namespace nasvm {
namespace {

/// The first line of a file; empty where there is none.
std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

#if defined(__x86_64__) || defined(__i386__)
/// The processor says whether one is there, and by which name (Intel, "Software Developer's Manual", CPUID leaf 1;
/// Linux, Documentation/virt/kvm/x86/cpuid.rst).
std::string hypervisor() {
  constexpr unsigned present = 1U << 31;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & present) == 0) return "none";
  __cpuid(0x40000000, a, b, c, d);
  const std::array<unsigned, 3> words{b, c, d};
  std::array<char, sizeof words> letters{};
  std::memcpy(letters.data(), words.data(), sizeof words);
  return hypervisor_name({letters.data(), letters.size()});
}
#else
std::string hypervisor() { return first_line("/sys/hypervisor/type"); }
#endif

}  // namespace

MachineModes machine_modes() {
  return {chosen_mode(first_line("/sys/kernel/mm/transparent_hugepage/enabled")),
          first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"), hypervisor()};
}

std::string chosen_mode(std::string_view text) {
  const auto begin = text.find('[');
  const auto end = text.find(']');
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return {};
  return std::string(text.substr(begin + 1, end - begin - 1));
}

std::string hypervisor_name(std::string_view signature) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> known{{{"KVMKVMKVM", "KVM"},
                                                                                       {"Microsoft Hv", "Hyper-V"},
                                                                                       {"VMwareVMware", "VMware"},
                                                                                       {"XenVMMXenVMM", "Xen"},
                                                                                       {"TCGTCGTCGTCG", "QEMU"},
                                                                                       {"bhyve bhyve ", "bhyve"}}};
  const std::string_view letters = signature.substr(0, signature.find('\0'));
  const auto* const found = std::ranges::find(known, letters, &std::pair<std::string_view, std::string_view>::first);
  if (found != known.end()) return std::string(found->second);
  return letters.empty() ? "unknown" : std::string(letters);
}

}  // namespace nasvm

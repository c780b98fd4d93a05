#pragma once
/// \file
/// What White, Ålund and Sunderam measured (Performance of the NAS Parallel Benchmarks on PVM-Based Networks,
/// RNR-94-008, May 1994, sections 5 and 6, Tables 1 to 5 and 7 to 10), and the testbeds on which it is repeated.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "harness/testbed/lab.hpp"

namespace nasvm {

struct Testbed {
  std::string_view name;      ///< "fddi"
  std::string_view platform;  ///< of the paper
  int hosts = 0;              ///< as many as its largest run has tasks
  int rate_mbit_s = 0;        ///< 10^6 bit/s
  Medium medium = Medium::shared;
};

/// ethernet, fddi, gigaswitch.
std::span<const Testbed> testbeds();

/// The testbed of that name, or nullptr.
const Testbed* find_testbed(std::string_view name);

/// Seconds; 0: the paper does not say.
struct PaperTimes {
  double time_s = 0;
  double comm_s = 0;
  double idle_s = 0;
};

/// One line of its tables. The problem is named by the class of ours that it is.
struct PaperRow {
  std::string_view testbed;
  std::string_view kernel;  ///< "ft"
  char problem_class = 'A';
  int tasks = 0;               ///< one on each host
  double volume_mib = 0;       ///< its MB are 2^20 bytes
  std::uint64_t messages = 0;  ///< 0 for EP, whose table has none
  PaperTimes daemon;           ///< PVM's usual route, Tables 1 to 5
  PaperTimes fsend;            ///< TCP from task to task, Tables 7 to 10

  [[nodiscard]] double volume_bytes() const { return volume_mib * (1 << 20); }
};

/// All lines, kernel by kernel.
std::span<const PaperRow> paper_rows();

/// The line of that kernel on that testbed, or nullptr.
const PaperRow* find_paper_row(std::string_view testbed, std::string_view kernel);

/// Our variant with the paper's decomposition.
inline constexpr std::string_view paper_variant = "paper";
/// Variants that divide their work in small units on demand, as the paper proposes in section 7.2.
inline constexpr std::string_view farm_variant = "farm";

/// Why our counts of variant `paper` are not the paper's numbers, where they are not; docs/kernels has the rest.
std::string_view differences_from_paper(std::string_view kernel);

}  // namespace nasvm

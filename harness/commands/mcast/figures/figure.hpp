#pragma once
/// \file
/// Figures of the papers that `nasvm mcast --figures` measures again: of each which cases it has and what it shows of
/// them. Lane, Daniels and Yuan, "An Empirical Study of Reliable Multicast Protocols over Ethernet-Connected
/// Networks" (section 5: Figures 4 to 11 and Table 2); Dunigan and Hall, "PVM and IP Multicast" (Figure 3.4). Sizes
/// are decimal: their buffer of 50 KB holds 100 packets of 500 bytes. Where a figure's points are not printed, its
/// text says between what they lie, and ours are chosen so that the text can be checked.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/commands/mcast/record.hpp"
#include "harness/report/plot.hpp"

namespace nasvm {

/// What is measured: all of these with each other.
struct FigureSweep {
  std::vector<std::string> protocols;  ///< with their parameters
  std::vector<int> receivers;
  std::vector<std::uint64_t> sizes;
};

/// As many cases as the paper has, or few.
enum class FigureExtent : std::uint8_t { whole, quick };

/// A figure that the paper prints as a number.
struct PrintedNumber {
  std::string_view protocol;  ///< as measured
  std::string_view title;     ///< as the paper calls it
  double mbit_s = 0;
};

struct McastFigure {
  std::string_view name;   ///< "9", "table2"
  std::string_view title;  ///< "Figure 9: tree-based protocols, ..."
  std::string_view paper;
  std::string_view finding;  ///< what the paper says of it
  std::vector<FigureSweep> (*sweeps)(FigureExtent extent);
  std::string_view x_title{};
  Scale x_scale = Scale::linear;
  /// Of a figure that is plotted: where a case lies, and in which line of which chart. None: a table of rates.
  double (*x)(const McastRecord& record) = nullptr;
  std::string (*line)(const McastRecord& record) = nullptr;
  std::string (*chart)(const McastRecord& record) = nullptr;
  std::span<const PrintedNumber> printed{};
};

std::span<const McastFigure> mcast_figures();
const McastFigure* find_mcast_figure(std::string_view name);

inline constexpr std::string_view all_figures_name = "all";

/// The figures of a list such as "9,table2" or "all". Throws UsageError.
std::vector<const McastFigure*> parse_figures(const std::string& list);

/// The value that a case's protocol was given for a parameter, 0 for none.
std::uint64_t parameter_of(const McastRecord& record, std::string_view name);

/// The hosts that figures of that extent are measured on: a sender and the receivers.
int figure_hosts(FigureExtent extent);

}  // namespace nasvm

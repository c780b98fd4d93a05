#pragma once
/// \file
/// The report of `nasvm mcast --figures`: a section for each figure, with what the paper says, our figures as a
/// table, and a plot.

#include <span>
#include <string_view>
#include <vector>

#include "harness/document/document.hpp"
#include "harness/report/page.hpp"

namespace nasvm {

inline constexpr std::string_view figures_title = "Reliable multicast: the papers' figures, measured again";

/// Are all of them documents of --figures?
bool are_figures(std::span<const Source> sources);

/// In the order in which they were measured; then how it was done.
std::vector<Section> figure_sections(std::span<const Source> sources);

}  // namespace nasvm

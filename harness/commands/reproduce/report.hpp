#pragma once
/// \file
/// The report of `nasvm reproduce`: sections of text, tables and pictures, for any kind of page.

#include <span>
#include <string_view>
#include <vector>

#include "harness/report/page.hpp"
#include "harness/report/view.hpp"

namespace nasvm {

/// What was found over all testbeds, then each kernel, then how it was done. A document for each testbed.
std::vector<Section> sections_of(std::span<const Source> sources);

inline constexpr std::string_view report_title = "The NAS kernels on the networks of 1994";

}  // namespace nasvm

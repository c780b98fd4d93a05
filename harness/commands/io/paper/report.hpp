#pragma once
/// \file
/// The report of `nasvm io --report`: a section for each of the paper's tables, with our figures beside the paper's,
/// and plots.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/document/document.hpp"
#include "harness/report/page.hpp"

namespace nasvm {

inline constexpr std::string_view paper_report_title = "EDONIO: the paper's tables, measured again";

/// Of the records that were measured for tables (IoRecord::table); then how it was done.
std::vector<Section> paper_sections(const Source& source);

/// Writes report.md, report.html and the plots into the folder. Throws RunError.
void write_paper_report(const std::string& folder, const Document& measured);

}  // namespace nasvm

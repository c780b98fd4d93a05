#pragma once
/// \file
/// Formats of `nasvm peers`: views of result documents as text. A new one is a new file here and one row in the table
/// (report.cpp).

#include <span>
#include <string>

#include "harness/report/formats.hpp"

namespace nasvm {

/// All formats; the first is the default.
std::span<const Format> peers_formats();

/// Two tables for each document: ratios of the median times (peer to ours), kernels below each other and sizes beside
/// each other; then both times of each with spread and verification.
std::string render_peers_table(std::span<const Source> sources);
/// The same in Markdown.
std::string render_peers_markdown(std::span<const Source> sources);
/// One line for each run, ours and theirs.
std::string render_peers_csv(std::span<const Source> sources);

}  // namespace nasvm

#pragma once
/// \file
/// How what `nasvm io` measured is shown.

#include <span>
#include <string>
#include <vector>

#include "harness/commands/io/record.hpp"
#include "harness/report/compared.hpp"
#include "harness/report/view.hpp"

namespace nasvm {

/// A row for each method (of edonio for each size of its cache), in groups of the same work: the phases of the
/// paper's tables, and how much faster edonio writes and reads.
std::vector<Grid> io_grids(std::span<const Source> sources, Columns columns);

/// One line for each run.
std::string io_csv(std::span<const Source> sources);

/// Where the files were, as far as that was asked for: other folders can be on other disks. A line for people, one
/// for each document where they differ.
std::vector<std::string> folder_lines(std::span<const Source> sources);

/// Times of the sides that write and that read, of edonio: others are not ours to judge.
std::vector<Compared> compared_io(const Document& document);

}  // namespace nasvm

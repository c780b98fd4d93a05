#pragma once
/// \file
/// What a command shows of its results: tables and CSV, from documents that have been measured just now or are read
/// again. Formats (formats.hpp) make text of that.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/document/document.hpp"
#include "harness/report/compared.hpp"
#include "harness/report/grid.hpp"

namespace nasvm {

/// How many columns tables have, where that makes a difference.
enum class Columns { usual, all };

/// One kind of results.
struct View {
  std::string_view command;  ///< that makes them: "p2p"
  std::string_view option;   ///< of that command, "--collective"; empty for its usual results
  std::string_view section;  ///< the list of records by which such documents are known
  /// Tables, one below the other.
  std::vector<Grid> (*grids)(std::span<const Source> sources, Columns columns);
  /// Head and lines: csv_of, or what CsvTable gives.
  std::string (*csv)(std::span<const Source> sources);
  /// What `nasvm regress` and `nasvm history` take from its documents; nullptr: nothing.
  CompareRecords compared = nullptr;
  /// Other tables of the same records, for which one asks (--view): "scaling"; empty: these are the usual ones.
  std::string_view name{};
};

/// The names of those that have one, each once.
std::vector<std::string_view> view_names(std::span<const View> views);

/// "nasvm p2p --collective"
std::string name_of(const View& view);

/// Documents to show.
struct Report {
  const View& view;
  std::span<const Source> sources;
  Columns columns = Columns::usual;
  std::size_t width = 0;  ///< of the terminal that it goes to; 0: to none, lines may have any length
};

}  // namespace nasvm

#pragma once
/// \file
/// Records of `nasvm p2p --collective` sorted for tables: one case is one path for one collective, number of tasks
/// and size, with all its repeats; cases that differ only in path (or document) form a group.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/report/cases.hpp"

namespace nasvm {

/// The repeats of one case, never none. Points into its document.
struct CollectiveCase {
  std::size_t source = 0;  ///< which document
  std::string transport;
  std::vector<const CollectiveRecord*> records;

  /// A result was wrong in one of the repeats: the case has no figures.
  [[nodiscard]] bool wrong() const;
  /// One figure of every repeat.
  [[nodiscard]] std::vector<double> all(double (*figure)(const CollectiveRecord&)) const;
  /// Its median; not a number when a result was wrong.
  [[nodiscard]] double median_of(double (*figure)(const CollectiveRecord&)) const;
};

struct CollectiveGroup {
  std::string collective;
  int np = 1;
  std::uint64_t bytes = 0;
  std::vector<CollectiveCase> cases;
};

/// Groups and their cases in the order of their first occurrence, document by document; the groups of one collective
/// and number of tasks together, by size.
std::vector<CollectiveGroup> group_collectives(std::span<const Source> sources);

}  // namespace nasvm

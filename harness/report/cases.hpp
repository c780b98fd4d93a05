#pragma once
/// \file
/// Runs of result documents sorted into cases: one case is one kernel at one size over one transport, with all its
/// repeats. Cases that differ only in transport (or in the document they come from) form a group: what tables
/// compare.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "harness/document/document.hpp"

namespace nasvm {

/// A document and the file it comes from ("" when it has just been measured).
struct Source {
  std::string file;
  Document document;
};

/// How tables refer to the document of that position: A, B, ... Z, then 27, 28, ...
std::string source_label(std::size_t position);

/// The repeats of one case. Points into its document.
struct Case {
  std::size_t source = 0;  ///< which document
  std::string transport;
  std::vector<const RunRecord*> runs;

  [[nodiscard]] std::size_t failed() const;         ///< repeats whose verification failed
  [[nodiscard]] std::vector<double> times() const;  ///< `time_s` of every repeat
  /// Any figure of every repeat, say `case.all([](const RunRecord& run) { return run.mops; })`.
  template <typename Figure>
  [[nodiscard]] std::vector<double> all(Figure figure) const {
    std::vector<double> values;
    for (const RunRecord* run : runs) values.push_back(static_cast<double>(figure(*run)));
    return values;
  }
};

/// Cases that can be compared with each other: never empty, nor is any case in it.
struct Group {
  std::string kernel;
  char problem_class = 'S';
  int np = 1;
  int threads = 1;
  std::string variant;
  std::vector<Case> cases;

  /// "ft class A, 8 tasks", with threads and variant where they are not the usual ones.
  [[nodiscard]] std::string name() const;
};

/// Groups in the order in which they first occur; in each the cases by the transports' first occurrence, then by
/// document.
std::vector<Group> group_runs(std::span<const Source> sources);

}  // namespace nasvm

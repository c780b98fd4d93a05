#pragma once
/// \file
/// What two sides of a comparison have of each case: samples, and facts that follow from the work alone. Pure.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/command.hpp"
#include "harness/report/compared.hpp"

namespace nasvm {

/// One case on one side.
struct CaseSide {
  std::vector<double> values;                                    ///< one for each sample
  std::vector<Sampled> sampled;                                  ///< when; as many
  std::vector<std::map<std::string_view, std::uint64_t>> facts;  ///< one for each result
  std::size_t results = 0;
  std::size_t wrong = 0;  ///< of these
};

/// One case, which either side may lack.
struct ComparedCase {
  std::string name;  ///< "ft class A, 8 tasks, direct"
  FigureKind figure;
  CaseSide baseline;
  CaseSide candidate;
};

/// What a sample is.
enum class SampleIs {
  record,    ///< a launch of its own made each record, or there is nothing better
  document,  ///< each document comes from one launch: the median of its records
};

/// The cases of both sides, in the order in which they first occur. Throws UsageError when a document has nothing
/// that can be compared.
std::vector<ComparedCase> cases_of(std::span<const Source> baseline, SampleIs baseline_sample,
                                   std::span<const Source> candidate, SampleIs candidate_sample,
                                   std::span<const CommandRow> commands);

/// Adds a document to one side of the cases, which may become more. Throws as above.
void add_results(std::vector<ComparedCase>& cases, CaseSide ComparedCase::*side, const Source& source,
                 SampleIs sample, std::span<const CommandRow> commands);

/// What is wrong with the new side whatever the times are: results that are wrong, a case that is gone, a fact that
/// has grown. Empty: nothing.
std::string failure_of(const ComparedCase& one);

/// A fact has shrunk, which is no failure; empty: none has.
std::string gain_of(const ComparedCase& one);

/// Facts differ between the sides, so that it matters whether they are the same in every launch.
bool facts_differ(const ComparedCase& one);

}  // namespace nasvm

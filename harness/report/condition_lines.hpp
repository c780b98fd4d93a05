#pragma once
/// \file
/// Lines below tables that say under which conditions their figures were taken.

#include <span>
#include <string>
#include <vector>

#include "harness/conditions/conditions.hpp"
#include "harness/document/document.hpp"

namespace nasvm {

/// The samples of all records of that type in a document, each with its conditions. A run with records of several
/// sizes is one sample.
template <typename Record>
std::vector<Sampled> samples_of(const Document& document) {
  std::vector<Sampled> samples;
  for (const Record& record : document.records<Record>()) {
    if constexpr (requires { record.bytes; }) {
      if (record.sampled.conditions && !samples.empty() && samples.back() == record.sampled) continue;
    }
    samples.push_back(record.sampled);
  }
  return samples;
}

/// For each document its conditions, and how many samples are apart; then which documents differ. No lines where
/// nothing is known.
std::vector<std::string> condition_lines(std::span<const std::vector<Sampled>> by_source);

/// The same of the records of one type.
template <typename Record>
std::vector<std::string> condition_lines(std::span<const Source> sources) {
  std::vector<std::vector<Sampled>> by_source;
  for (const Source& source : sources) by_source.push_back(samples_of<Record>(source.document));
  return condition_lines(by_source);
}

}  // namespace nasvm

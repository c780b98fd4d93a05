#pragma once
/// \file
/// The 99th percentile of measured times: 99 of 100 were faster. Of fewer it would be little else than the largest,
/// and is not given.

#include <cstdint>

#include "harness/document/fields.hpp"

namespace nasvm {

inline constexpr std::int64_t least_for_p99 = 100;

constexpr bool are_enough_for_p99(std::int64_t times) { return times >= least_for_p99; }

/// Where that of so many times shows, beside other figures of the record.
constexpr Shown shown_p99(Shown others, bool is_known, std::int64_t times) {
  return shown_if_enough(others, is_known, are_enough_for_p99(times));
}

}  // namespace nasvm

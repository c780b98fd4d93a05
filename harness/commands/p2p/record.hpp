#pragma once
/// \file
/// What the records of `nasvm p2p` have in common. Units: bytes, microseconds.

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "harness/document/fields.hpp"
#include "harness/measuring/data_check.hpp"

namespace nasvm {

/// Half a round trip, or the time of a call, over all of one run.
struct Latency {
  double median_us = 0;
  double mean_us = 0;
  double min_us = 0;
  double p99_us = 0;  ///< 0: not known, as of fewer than least_for_p99 (harness/measuring/p99.hpp)
  double max_us = 0;

  bool operator==(const Latency&) const = default;
};

/// What part of a measured time is the latency.
enum class Sample { whole, round_trip };

/// The figures of measured times: each whole, or half of it.
Latency latency_of(std::span<const double> seconds, Sample sample);

/// "latency_us", "latency_mean_us" and so on, of so many round trips or calls; 0: not known.
void describe_latency(Fields& fields, Latency& latency, Shown shown, std::int64_t iterations);

/// "bound", which documents of others need not have.
void describe_bound(Fields& fields, std::optional<bool>& bound);

/// A path as people should read it: "auto (direct)" where another name carried the messages.
std::string path_text(const std::string& transport, const std::string& method);

}  // namespace nasvm

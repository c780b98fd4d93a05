#pragma once
/// \file
/// What `nasvm p2p` measured between two tasks over one path at one message size: one entry of "p2p" in the result
/// document (docs/results.md). Units: bytes, microseconds, MB/s with 1 MB = 10^6 bytes.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/commands/p2p/record.hpp"
#include "harness/conditions/conditions.hpp"
#include "harness/document/records.hpp"

namespace nasvm {

/// Payload that arrived in a second, over the windows of one run.
struct Bandwidth {
  double median_mb_s = 0;
  double mean_mb_s = 0;  ///< all payload by all time

  bool operator==(const Bandwidth&) const = default;
};

struct P2pRecord {
  static constexpr std::string_view section = "p2p";
  static constexpr Role role = Role::result;

  std::string transport;  ///< as asked for: "direct", "auto", or a yardstick, "raw-tcp"
  std::string method;     ///< what carried the messages: "direct" for "auto"; the yardstick itself
  std::uint64_t bytes = 0;
  int repeat = 0;
  int window = 0;               ///< messages on their way at once, for both bandwidths; 0: not known
  int buffers = 1;              ///< that messages used in turn
  std::int64_t iterations = 0;  ///< round trips
  std::int64_t windows = 0;     ///< windows in one direction
  std::optional<bool> bound;    ///< each task to a core of its own
  DataCheck data = DataCheck::none;
  Latency latency;            ///< half a round trip
  Bandwidth bandwidth;        ///< one way
  Bandwidth bidirectional;    ///< both ways at once, the sum of both
  double messages_per_s = 0;  ///< one way, median over the windows
  Sampled sampled;            ///< when: of its whole run

  bool operator==(const P2pRecord&) const = default;
};

void describe(Fields& fields, P2pRecord& record);
inline bool is_right(const P2pRecord& record) { return record.data != DataCheck::failed; }

}  // namespace nasvm

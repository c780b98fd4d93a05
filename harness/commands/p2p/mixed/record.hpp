#pragma once
/// \file
/// What `nasvm p2p --mixed` measured over one of its two transports while the other was in use, too: one entry of
/// "mixed" in the result document. Units: bytes, microseconds.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/commands/p2p/record.hpp"
#include "harness/conditions/conditions.hpp"
#include "harness/document/records.hpp"

namespace nasvm {

struct MixedRecord {
  static constexpr std::string_view section = "mixed";
  static constexpr Role role = Role::result;

  std::string transport;  ///< of this pair of tasks, as asked for
  std::string beside;     ///< of the other pair
  int skip_poll = 0;      ///< cheap looks for each look at everything; 0: adaptive
  std::uint64_t bytes = 0;
  int repeat = 0;
  std::int64_t iterations = 0;  ///< round trips of this pair
  std::optional<bool> bound;    ///< each task to a core of its own
  Latency latency;              ///< half a round trip; the mean is the paper's figure
  Sampled sampled;              ///< when: of its whole run

  bool operator==(const MixedRecord&) const = default;
};

void describe(Fields& fields, MixedRecord& record);
inline bool is_right(const MixedRecord&) { return true; }

}  // namespace nasvm

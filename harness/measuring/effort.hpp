#pragma once
/// \file
/// How much is measured of messages between tasks (`nasvm p2p`, `nasvm mcast`).

#include <cstdint>
#include <optional>

#include "harness/document/fields.hpp"

namespace nasvm {

/// All tasks must have the same.
struct Effort {
  std::optional<std::int64_t> iterations;  ///< none: as many as fit into `sample_time_s`
  std::optional<std::int64_t> warmup;      ///< iterations before; none: for a part of `sample_time_s`
  std::optional<int> window;               ///< messages in a window; none: see window_of
  bool check_data = false;
  double sample_time_s = 0.004;  ///< for each pattern of messages, or collective
  int buffers = 1;               ///< that messages use in turn, see buffers_of
};

void describe(Fields& fields, Effort& effort);

}  // namespace nasvm

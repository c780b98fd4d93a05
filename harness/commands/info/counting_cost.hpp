#pragma once
/// \file
/// What counting costs: every message-layer call is counted, and timed unless it is a quick one (docs/measuring.md).

namespace nasvm {

/// Seconds that Comm adds to a send whose message layer does nothing: its counting and timing, and the little else
/// it does; so an upper bound.
struct CountingCost {
  double timed_s = 0;  ///< of a call that reads the clock twice
  double quick_s = 0;  ///< of a short message through memory, as one of many
};

/// Measures for about 40 ms; the least of several rounds.
CountingCost counting_cost();

}  // namespace nasvm

#pragma once
/// \file
/// What counting costs: every message-layer call is timed and counted (docs/measuring.md), always.

namespace nasvm {

/// Seconds that Comm adds to a send whose message layer does nothing: its counting and timing, and the little else
/// it does; so an upper bound. Measures for about 20 ms; the least of several rounds.
double counting_cost_s();

}  // namespace nasvm

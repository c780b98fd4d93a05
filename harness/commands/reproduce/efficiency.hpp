#pragma once
/// \file
/// Communication efficiency as in the paper (RNR-94-008, section 6.3): volume / (communication time x capacity),
/// where "96 MB in 85 seconds" over 10 Mbit/s are "95% of the theoretical maximum".

#include "harness/commands/reproduce/record.hpp"

namespace nasvm {

/// What a testbed can carry, in bytes per second: the medium's rate where all share it, else the links of the `hosts`
/// that take part together. Headers are not taken off: TCP over Ethernet cannot pass 94 %.
double capacity_bytes_s(const TestbedRecord& testbed, int hosts);

/// Not a number where there is no communication time.
double communication_efficiency(double volume_bytes, double comm_time_s, double capacity_bytes_s);

}  // namespace nasvm

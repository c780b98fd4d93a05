#pragma once
/// \file
/// Times that different tasks take by themselves: can they be compared?

#include "vm/comm.hpp"

namespace nasvm {

/// Nanoseconds of this computer's steady clock, the same for all its processes.
std::int64_t steady_ns();

/// Do all tasks of the Comm read one clock? Each tells rank 0 its time several times over; it is the same clock when
/// that always lies between question and answer. (Two computers' steady clocks count from when these were started; to
/// be taken for one, they would have to be started within a round trip of each other.) Hosts that only seem to be
/// computers of their own, as namespaces do, have one. Collective; all get the answer.
bool have_one_clock(Comm& comm);

}  // namespace nasvm

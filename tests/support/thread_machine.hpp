#pragma once
/// \file
/// A virtual machine of threads: every rank is a thread of the test process, and messages are copies between
/// them. For everything above Endpoint that can be tested without processes and sockets.

#include <functional>

#include "vm/comm.hpp"

namespace nasvm::test {

/// Runs `body` once on each of `ranks` threads with the world Comm of its rank. The first exception of any
/// rank is thrown again here, after all threads have ended (the others fail with RunError).
void run_ranks(int ranks, const std::function<void(Comm&)>& body);

}  // namespace nasvm::test

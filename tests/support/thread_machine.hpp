#pragma once
/// \file
/// A virtual machine of threads: every rank is a thread of the test process, and messages are copies between
/// them. For everything above Endpoint that can be tested without processes and sockets.

#include <cstddef>
#include <functional>

#include "vm/comm.hpp"

namespace nasvm::test {

/// Do ranks read each other's memory? `by_three`: ranks 0 to 2 do, and 3 to 5. `refused`: all believe that they can,
/// until they try. `shared`: they do, and can have memory in common; `shared_but_refused`: but cannot read any other;
/// `unshared_by_one`: but rank 1 cannot map it.
enum class Memory { closed, open, by_three, refused, shared, shared_but_refused, unshared_by_one };

/// Pieces of memory in common that ranks have created so far, in this process.
std::size_t created_pieces();

/// Are ranks on one host, or is every second one on another?
enum class Hosts { one, two };

/// Runs `body` once on each of `ranks` threads with the world Comm of its rank. The first exception of any
/// rank is thrown again here, after all threads have ended (the others fail with RunError).
void run_ranks(int ranks, const std::function<void(Comm&)>& body, Memory memory = Memory::closed,
               Hosts hosts = Hosts::one);

}  // namespace nasvm::test

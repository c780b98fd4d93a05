#pragma once
/// \file
/// Runs one end of a protocol over a port for whoever has nothing else to wait for: what has arrived goes to the end,
/// deadlines are kept, what the end sends leaves, and in between the thread sleeps.

#include <functional>

#include "vm/multicast/wire/group_port.hpp"

namespace nasvm::multicast {

/// Goes on until `finished`, which is asked after everything that has happened, and every 100 ms; it may throw.
/// Blocks. Throws RunError when the system fails.
void serve_until(GroupPort& port, End& end, const std::function<bool()>& finished);

}  // namespace nasvm::multicast

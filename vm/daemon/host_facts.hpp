#pragma once
/// \file
/// What a host is: processor, cores, memory, kernel. For the result document.

#include "vm/protocol/messages.hpp"

namespace nasvm::daemon {

/// Name, computer, cpu, cores, memory_bytes and kernel of a daemon's hello; what cannot be found out is empty or 0.
protocol::Hello host_facts();

}  // namespace nasvm::daemon

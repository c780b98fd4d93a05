#pragma once
/// \file
/// What a host is: processor, cores, memory, kernel. For the result document.

#include "vm/daemon/protocol.hpp"

namespace nasvm::daemon {

/// {"name", "computer", "cpu", "cores", "memory_bytes", "kernel"}; what cannot be found out is empty or 0.
protocol::Json host_facts();

}  // namespace nasvm::daemon

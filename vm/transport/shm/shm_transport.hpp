#pragma once
/// \file
/// Transport `shm`: tasks of one computer exchange packets through shared memory, without the system while both are
/// awake. Long messages are copied twice, by both tasks at the same time, or once, by the receiver out of the
/// sender's memory, where the kernel permits that and the sender has something else to do. Foster et al., Managing
/// Multiple Communication Methods in High-Performance Networked Computing Systems, section 2 (methods for one address
/// space beside those for networks); 3.4 (polls that cost nothing, often).

#include <array>
#include <memory>

#include "vm/transport/transport.hpp"

namespace nasvm {

inline constexpr std::array shm_parameters{
    ParameterRow{spin_parameter.name, spin_parameter.kind, spin_parameter.least, spin_parameter.most,
                 "microseconds of polling before a task sleeps (default 100, 20 with more threads than cores, and as "
                 "long as that is not in vain up to 10 and 3 ms)"},
    eager_parameter,
    skip_poll_parameter,
    ParameterRow{"ring", ParameterKind::bytes, 4096, 64U << 20,
                 "ring of each sender, a power of two (default 256k, less with more than 8 tasks, at least 16k)"},
    ParameterRow{"pull", ParameterKind::bytes, 0, 1U << 30,
                 "length from which on a message is copied once, out of the sender's memory (0: never; default 128k "
                 "unless the "
                 "sender stands by to copy too, 64k with more threads than cores)"},
};

std::unique_ptr<Transport> make_shm_transport(const TransportContext& context);

}  // namespace nasvm

#pragma once
/// \file
/// What a daemon's greeting says of its host, as the machine's users see it, and back.

#include "vm/launch/machine.hpp"
#include "vm/protocol/messages.hpp"

namespace nasvm {

HostFacts facts_of(const protocol::Hello& hello);
/// What is not among the facts has its default.
protocol::Hello hello_of(const HostFacts& facts);

}  // namespace nasvm

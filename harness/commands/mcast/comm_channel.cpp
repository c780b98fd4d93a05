#include "harness/commands/mcast/comm_channel.hpp"

#include "harness/commands/mcast/clocks.hpp"

namespace nasvm {

CommMulticastChannel::CommMulticastChannel(Comm& comm)
    : comm_(comm), answers_(static_cast<std::size_t>(comm.size())) {}

void CommMulticastChannel::send(std::span<const std::byte> message) {
  // A broadcast only reads at its root.
  comm_.broadcast(std::span(const_cast<std::byte*>(message.data()), message.size()));
  comm_.gather(answer_, answers_);
}

std::int64_t CommMulticastChannel::receive(std::span<std::byte> message) {
  comm_.broadcast(message);
  const std::int64_t complete_ns = steady_ns();
  comm_.gather(answer_, answers_);
  return complete_ns;
}

}  // namespace nasvm

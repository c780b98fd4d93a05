#include "vm/multicast/ring/ring.hpp"

#include "vm/multicast/window/receiving_end.hpp"
#include "vm/multicast/window/sending_end.hpp"

namespace nasvm::multicast {
namespace {

std::uint32_t receivers_of(const Group& group) { return static_cast<std::uint32_t>(group.receivers); }

/// A packet is known to be everywhere when the turn has come to the last receiver: the window is one more at least.
Settings ring_settings(const Group& group) { return settings_of(group, 1, receivers_of(group) + 1); }

}  // namespace

std::unique_ptr<Sender> make_ring_sender(const Group& group, Network& network) {
  return std::make_unique<SendingEnd>(group, ring_settings(group), SendingRules{}, network);
}

std::unique_ptr<Receiver> make_ring_receiver(const Group& group, Network& network, Inbox& inbox) {
  const Turns turns{receivers_of(group), static_cast<std::uint32_t>(group.self) - 1};
  return std::make_unique<ReceivingEnd>(group, ring_settings(group), turns, std::make_unique<Upstream>(), network,
                                        inbox);
}

}  // namespace nasvm::multicast

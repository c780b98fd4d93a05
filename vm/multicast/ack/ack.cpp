#include "vm/multicast/ack/ack.hpp"

#include "vm/multicast/window/receiving_end.hpp"
#include "vm/multicast/window/sending_end.hpp"

namespace nasvm::multicast {
namespace {

Coalescing ack_coalescing(const Group& group) { return coalescing_of(group, static_cast<double>(group.receivers)); }

}  // namespace

std::unique_ptr<Sender> make_ack_sender(const Group& group, Network& network) {
  return std::make_unique<SendingEnd>(group, ack_coalescing(group).settings, SendingRules{}, network);
}

std::unique_ptr<Receiver> make_ack_receiver(const Group& group, Network& network, Inbox& inbox) {
  const auto [packets, settings] = ack_coalescing(group);
  return std::make_unique<ReceivingEnd>(group, settings, Turns{packets, packets - 1}, std::make_unique<Upstream>(),
                                        network, inbox);
}

}  // namespace nasvm::multicast

#include "vm/multicast/ack/ack.hpp"

#include "vm/multicast/window/receiving_end.hpp"
#include "vm/multicast/window/sending_end.hpp"

namespace nasvm::multicast {
namespace {

/// A window that ends before the next acknowledgement would stand still.
Settings ack_settings(const Group& group) {
  const std::uint32_t coalesce = coalesce_of(group);
  return settings_of(group, static_cast<double>(group.receivers) / coalesce, coalesce);
}

}  // namespace

std::unique_ptr<Sender> make_ack_sender(const Group& group, Network& network) {
  return std::make_unique<SendingEnd>(group, ack_settings(group), SendingRules{}, network);
}

std::unique_ptr<Receiver> make_ack_receiver(const Group& group, Network& network, Inbox& inbox) {
  const std::uint32_t coalesce = coalesce_of(group);
  return std::make_unique<ReceivingEnd>(group, ack_settings(group), Turns{coalesce, coalesce - 1},
                                        std::make_unique<Upstream>(), network, inbox);
}

}  // namespace nasvm::multicast

#include "vm/multicast/nak/nak.hpp"

#include <algorithm>

#include "vm/multicast/window/receiving_end.hpp"
#include "vm/multicast/window/sending_end.hpp"

namespace nasvm::multicast {
namespace {

Settings nak_settings(const Group& group) { return settings_of(group, 0); }

/// Between 80 and 90 % of the window (section 5, NAK-based protocols); at most the window, which would stand still.
std::uint32_t poll_of(const Group& group, std::uint32_t window) {
  const auto poll = value_of(group.parameters, "poll", std::max(1U, window * 85 / 100));
  return std::min(static_cast<std::uint32_t>(poll), window);
}

}  // namespace

std::unique_ptr<Sender> make_nak_sender(const Group& group, Network& network) {
  const Settings settings = nak_settings(group);
  SendingRules rules;
  rules.poll = poll_of(group, settings.window);
  return std::make_unique<SendingEnd>(group, settings, rules, network);
}

std::unique_ptr<Receiver> make_nak_receiver(const Group& group, Network& network, Inbox& inbox) {
  return std::make_unique<ReceivingEnd>(group, nak_settings(group), Turns{}, std::make_unique<Upstream>(), network,
                                        inbox);
}

}  // namespace nasvm::multicast

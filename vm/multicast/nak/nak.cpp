#include "vm/multicast/nak/nak.hpp"

#include <algorithm>

#include "vm/multicast/erasure/repairing_receiver.hpp"
#include "vm/multicast/erasure/repairing_sender.hpp"
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

bool has_repairs(const Parameters& set) { return value_of(set, "fec", 0) == 1; }

/// Before it is whole a block has no repairs, so it has to fit into the window.
int block_of(const Group& group, std::uint32_t window) {
  const auto block = static_cast<std::uint32_t>(value_of(group.parameters, "block", default_block));
  return static_cast<int>(std::min(block, window));
}

}  // namespace

std::string nak_objection(const Parameters& set) {
  if (!has_repairs(set)) {
    return set.contains("block") ? "block has no effect without fec=on: add that, or leave block out" : "";
  }
  for (const std::string name : {"poll", "suppress"}) {
    if (set.contains(name)) return name + " has no effect with fec=on, where each block asks: leave one of them out";
  }
  return "";
}

std::unique_ptr<Sender> make_nak_sender(const Group& group, Network& network) {
  const Settings settings = nak_settings(group);
  if (has_repairs(group.parameters)) {
    return make_repairing_sender(group, settings, block_of(group, settings.window), network);
  }
  SendingRules rules;
  rules.poll = poll_of(group, settings.window);
  return std::make_unique<SendingEnd>(group, settings, rules, network);
}

std::unique_ptr<Receiver> make_nak_receiver(const Group& group, Network& network, Inbox& inbox) {
  const Settings settings = nak_settings(group);
  if (has_repairs(group.parameters)) {
    return make_repairing_receiver(settings, block_of(group, settings.window), network, inbox);
  }
  return std::make_unique<ReceivingEnd>(group, settings, Turns{}, std::make_unique<Upstream>(), network, inbox);
}

}  // namespace nasvm::multicast

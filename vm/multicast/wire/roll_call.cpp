#include "vm/multicast/wire/roll_call.hpp"

#include <algorithm>
#include <bit>
#include <span>

namespace nasvm::multicast {
namespace {

/// What packets mean: `flags`. Calls and rolls are polls, answers acknowledgements; `sequence` counts the calls.
enum Part : std::uint8_t {
  a_call = 0,  ///< payload: the group's text; `count`: byte order
  a_roll = 1,  ///< payload: a line for each node
};

constexpr std::uint32_t byte_order = std::endian::native == std::endian::little ? 1 : 0;

std::string_view text_of(const Packet& packet) {
  return {reinterpret_cast<const char*>(packet.payload.data()), packet.payload.size()};
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

void RollCall::tell(std::uint8_t what, std::string_view text) {
  for (std::size_t i = 0; i < receivers_.size(); ++i) {
    if (receivers_[i].lost) continue;
    network_.send(static_cast<Node>(i + 1), {.kind = Packet::Kind::poll,
                                             .flags = what,
                                             .sequence = call_,
                                             .count = byte_order,
                                             .payload = std::as_bytes(std::span(text))});
  }
}

void RollCall::invite(std::string_view group) {
  ++call_;
  for (Receiver& receiver : receivers_) receiver.answer.clear();
  tell(a_call, group);
}

void RollCall::arrived(Node from, const Packet& packet, TimePoint /*now*/) {
  if (from < 1 || static_cast<std::size_t>(from) > receivers_.size()) return;
  if (packet.kind != Packet::Kind::ack || packet.sequence != call_) return;
  receivers_[static_cast<std::size_t>(from - 1)].answer = text_of(packet);
}

void RollCall::lost(Node node, TimePoint /*now*/) {
  if (node < 1 || static_cast<std::size_t>(node) > receivers_.size()) return;
  receivers_[static_cast<std::size_t>(node - 1)] = {.lost = true};
}

bool RollCall::done() const {
  return std::ranges::all_of(receivers_,
                             [](const Receiver& receiver) { return receiver.lost || !receiver.answer.empty(); });
}

std::vector<std::string> RollCall::read_out(const std::string& own) {
  std::vector<std::string> all{own};
  std::string text = own + '\n';
  for (const Receiver& receiver : receivers_) {
    all.push_back(receiver.answer);
    text += receiver.answer + '\n';
  }
  tell(a_roll, text);
  return all;
}

void RollAnswer::arrived(Node from, const Packet& packet, TimePoint /*now*/) {
  if (from != sender_node || packet.kind != Packet::Kind::poll) return;
  if (packet.flags == a_call && packet.sequence > call_) {
    call_ = packet.sequence;
    invitation_ = Invitation{.group = std::string(text_of(packet)), .same_byte_order = packet.count == byte_order};
    roll_.reset();
  } else if (packet.flags == a_roll && packet.sequence == call_ && !invitation_) {
    roll_ = lines_of(text_of(packet));
  }
}

void RollAnswer::answer(std::string_view own) {
  invitation_.reset();
  network_.send(sender_node,
                {.kind = Packet::Kind::ack, .sequence = call_, .payload = std::as_bytes(std::span(own))});
}

}  // namespace nasvm::multicast

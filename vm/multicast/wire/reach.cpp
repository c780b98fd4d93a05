#include "vm/multicast/wire/reach.hpp"

#include <algorithm>
#include <bit>

#include "vm/link/datagram_socket.hpp"

namespace nasvm::multicast {
namespace {

/// What the packets mean: `flags`. Questions are polls, answers acknowledgements.
enum Question : std::uint8_t {
  probe = 0,   ///< have you heard this? `count`: which length
  ask = 1,     ///< what have you heard?
  result = 2,  ///< this is it: payload a bit for each unreached node, `count` room, `message_bytes` nanoseconds
};
constexpr std::uint8_t answers_disturbed = 0x80;  ///< in the flags of answers and results

constexpr std::size_t most_lengths = 32;

std::vector<std::byte> bits_of(const std::vector<Node>& nodes) {
  std::vector<std::byte> bits;
  for (const Node node : nodes) {
    const auto at = static_cast<std::size_t>(node);
    bits.resize(std::max(bits.size(), at / 8 + 1));
    bits[at / 8] |= std::byte{1} << (at % 8);
  }
  return bits;
}

std::vector<Node> nodes_of(std::span<const std::byte> bits) {
  std::vector<Node> nodes;
  for (std::size_t at = 0; at < 8 * bits.size(); ++at) {
    if ((bits[at / 8] & std::byte{1} << (at % 8)) != std::byte{0}) nodes.push_back(static_cast<Node>(at));
  }
  return nodes;
}

}  // namespace

ReachProbe::ReachProbe(const Options& options, Network& network, TimePoint now)
    : options_(options),
      network_(network),
      receivers_(static_cast<std::size_t>(options.receivers)),
      begun_(now),
      round_length_(options.first_round),
      deadline_(now) {
  if (options_.payload_bytes.size() > most_lengths) options_.payload_bytes.resize(most_lengths);
  zeros_.resize(options_.payload_bytes.front());
}

bool ReachProbe::is_judged(const Receiver& receiver) const {
  if (receiver.lost) return true;
  if (!receiver.answered) return false;
  const auto lengths = static_cast<int>(options_.payload_bytes.size());
  if (std::popcount(receiver.heard) == lengths) return true;
  return receiver.rounds >= (receiver.hears_nothing() ? options_.rounds_for_reach : options_.rounds_for_length);
}

bool ReachProbe::all_judged() const {
  return std::ranges::all_of(receivers_, [this](const Receiver& receiver) { return is_judged(receiver); });
}

void ReachProbe::arrived(Node from, const Packet& packet, TimePoint now) {
  if (packet.kind != Packet::Kind::ack || from < 1 || from > options_.receivers) return;
  Receiver& receiver = receivers_[static_cast<std::size_t>(from - 1)];
  receiver.answered = true;
  receiver.heard |= packet.count;
  receiver.room_bytes = packet.offset;
  disturbed_ = disturbed_ || (packet.flags & answers_disturbed) != 0;
  if (!concluded_) time(packet, now);
  const auto question = static_cast<std::uint8_t>(packet.flags & ~answers_disturbed);
  receiver.agreed = receiver.agreed || (concluded_ && question == result);
  judge(now);
}

/// An answer says which round it is to: on long ways that is not the last one.
void ReachProbe::time(const Packet& answer, TimePoint now) {
  if (answer.sequence < 1 || answer.sequence > rounds_.size()) return;
  const Duration took = now - rounds_[answer.sequence - 1];
  if (took > Duration{0} && (reach_.round_trip == Duration{0} || took < reach_.round_trip)) reach_.round_trip = took;
}

void ReachProbe::lost(Node node, TimePoint now) {
  if (node < 1 || node > options_.receivers) return;
  receivers_[static_cast<std::size_t>(node - 1)].lost = true;
  judge(now);
}

/// Goes on as soon as nothing is missing.
void ReachProbe::judge(TimePoint now) {
  if (concluded_) {
    const auto knows = [](const Receiver& receiver) { return receiver.lost || receiver.agreed; };
    if (std::ranges::all_of(receivers_, knows)) deadline_ = TimePoint::max();
  } else if (!rounds_.empty() && all_judged()) {
    if (now - begun_ >= options_.listening) conclude(now);
    else deadline_ = begun_ + options_.listening;
  }
}

void ReachProbe::tick(TimePoint now) {
  if (done()) return;
  if (concluded_) return tell_result(now);
  if (!rounds_.empty()) judge(now);
  if (!concluded_ && deadline_ <= now) begin_round(now);
}

void ReachProbe::set_round(TimePoint now) {
  deadline_ = now + round_length_;
  round_length_ = std::min(2 * round_length_, options_.longest_round);
}

void ReachProbe::begin_round(TimePoint now) {
  rounds_.push_back(now);
  const auto round = static_cast<std::uint32_t>(rounds_.size());
  for (std::size_t length = 0; length < options_.payload_bytes.size(); ++length) {
    const auto payload = std::span(zeros_).first(options_.payload_bytes[length]);
    network_.send_to_all({.kind = Packet::Kind::poll,
                          .flags = probe,
                          .sequence = round,
                          .count = static_cast<std::uint32_t>(length),
                          .payload = payload});
  }
  for (std::size_t i = 0; i < receivers_.size(); ++i) {
    Receiver& receiver = receivers_[i];
    if (receiver.answered) ++receiver.rounds;
    if (is_judged(receiver) || round == 1) continue;
    network_.send(static_cast<Node>(i + 1), {.kind = Packet::Kind::poll, .flags = ask, .sequence = round});
  }
  set_round(now);
  judge(now);
}

void ReachProbe::conclude(TimePoint now) {
  concluded_ = true;
  std::uint32_t common = ~std::uint32_t{0};
  for (std::size_t i = 0; i < receivers_.size(); ++i) {
    if (receivers_[i].lost) continue;
    const std::size_t room = receivers_[i].room_bytes;
    if (reach_.room_bytes == 0 || room < reach_.room_bytes) reach_.room_bytes = room;
    if (receivers_[i].hears_nothing()) reach_.unreached.push_back(static_cast<Node>(i + 1));
    else common &= receivers_[i].heard;
  }
  // Which lengths get to those that are sent copies was not tried.
  const std::size_t last = options_.payload_bytes.size() - 1;
  const std::size_t longest =
      reach_.unreached.empty() ? std::min(static_cast<std::size_t>(std::countr_zero(common)), last) : last;
  reach_.payload_bytes = options_.payload_bytes[longest];
  reach_.disturbed = disturbed_ || options_.is_disturbed();
  result_ = bits_of(reach_.unreached);
  round_length_ = options_.first_round;
  tell_result(now);
  judge(now);
}

void ReachProbe::tell_result(TimePoint now) {
  const auto mark = static_cast<std::uint8_t>(reach_.disturbed ? answers_disturbed : 0);
  Packet packet{.kind = Packet::Kind::poll, .flags = static_cast<std::uint8_t>(result | mark)};
  packet.offset = reach_.payload_bytes;
  packet.message_bytes = static_cast<std::uint64_t>(reach_.round_trip.count());
  packet.count = static_cast<std::uint32_t>(std::min<std::size_t>(reach_.room_bytes, ~std::uint32_t{0}));
  packet.payload = result_;
  for (std::size_t i = 0; i < receivers_.size(); ++i) {
    if (!receivers_[i].lost && !receivers_[i].agreed) network_.send(static_cast<Node>(i + 1), packet);
  }
  set_round(now);
}

std::vector<Node> ReachProbe::silent() const {
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < receivers_.size(); ++i) {
    const bool has_spoken = concluded_ ? receivers_[i].agreed : receivers_[i].answered;
    if (!receivers_[i].lost && !has_spoken) nodes.push_back(static_cast<Node>(i + 1));
  }
  return nodes;
}

void ReachAnswer::arrived(Node from, const Packet& packet, TimePoint /*now*/) {
  if (from != sender_node || packet.kind != Packet::Kind::poll) return;
  const auto question = static_cast<std::uint8_t>(packet.flags & ~answers_disturbed);
  if (question == probe && packet.count < most_lengths) heard_ |= std::uint32_t{1} << packet.count;
  const bool makes_sense = packet.offset > 0 && packet.offset <= link::max_datagram_bytes;
  if (question == result && !reach_ && makes_sense) {
    reach_ = Reach{.payload_bytes = packet.offset,
                   .unreached = nodes_of(packet.payload),
                   .disturbed = (packet.flags & answers_disturbed) != 0,
                   .round_trip = Duration(static_cast<Duration::rep>(packet.message_bytes)),
                   .room_bytes = packet.count};
  }
  const auto mark = static_cast<std::uint8_t>(is_disturbed_() ? answers_disturbed : 0);
  network_.send(sender_node, {.kind = Packet::Kind::ack,
                              .flags = static_cast<std::uint8_t>(question | mark),
                              .sequence = packet.sequence,
                              .count = heard_,
                              .offset = room_bytes_});
}

}  // namespace nasvm::multicast

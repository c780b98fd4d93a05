#include "vm/multicast/ipmcast/unicast_fallback.hpp"

#include <algorithm>
#include <bit>

#include "vm/multicast/window/feedback.hpp"

namespace nasvm::multicast::ipmcast {

UnicastFallback::UnicastFallback(int receivers, std::uint32_t retries, std::uint32_t window, Network& network)
    : network_(network),
      retries_(retries),
      alive_(static_cast<std::size_t>(receivers) + 1, true),
      asked_apart_(alive_.size()),
      places_(std::bit_ceil(window)) {}

void UnicastFallback::send(Node to, const Packet& packet) {
  if (packet.kind == Packet::Kind::poll) {
    asked_apart_[static_cast<std::size_t>(to)] = packet.count;
    for (Place& known : places_) std::erase(known.missing, to);
  }
  network_.send(to, packet);
}

void UnicastFallback::give_copies(Node to) {
  asked_apart_[static_cast<std::size_t>(to)].reset();
  network_.give_copies(to);
}

void UnicastFallback::send_to_all(const Packet& packet) {
  if (packet.kind != Packet::Kind::data) return network_.send_to_all(packet);
  Place& known = place(packet.sequence);
  if (known.sequence != packet.sequence) {
    known.sequence = packet.sequence;
    known.multicasts = 0;
    known.missing.clear();
  }
  if (known.multicasts > retries_ && !known.missing.empty()) {
    send_one_by_one(known, packet);
  } else {
    ++known.multicasts;
    network_.send_to_all(packet);
  }
  known.missing.clear();
}

void UnicastFallback::send_one_by_one(const Place& place, const Packet& packet) {
  for (const Node node : place.missing) network_.send(node, packet);
  further_copies_ += place.missing.size() - 1;
}

void UnicastFallback::missing(Node node, const Packet& nak) {
  if (node <= sender_node || static_cast<std::size_t>(node) >= alive_.size()) return;
  if (!alive_[static_cast<std::size_t>(node)]) return;
  // Single data would hide that it hears nothing that is for all, as is found out right now.
  auto& asked = asked_apart_[static_cast<std::size_t>(node)];
  if (asked && before(*asked, feedback_of(nak).seen)) asked.reset();
  if (asked) return;
  std::array<Range, max_nak_ranges> ranges;
  const std::size_t count = missing_of(nak, ranges);
  for (const Range& range : std::span(ranges).first(count)) {
    const std::uint32_t end = range.first + std::min(range.count, static_cast<std::uint32_t>(places_.size()));
    for (std::uint32_t sequence = range.first; sequence != end; ++sequence) {
      Place& known = place(sequence);
      const bool is_new = std::ranges::find(known.missing, node) == known.missing.end();
      if (known.sequence == sequence && is_new) known.missing.push_back(node);
    }
  }
}

void UnicastFallback::lost(Node node) {
  if (node <= sender_node || static_cast<std::size_t>(node) >= alive_.size()) return;
  alive_[static_cast<std::size_t>(node)] = false;
  for (Place& known : places_) std::erase(known.missing, node);
}

}  // namespace nasvm::multicast::ipmcast

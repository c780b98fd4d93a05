#pragma once
/// \file
/// A message cut into the packets that carry it, the same for all protocols: every piece is as long as the path
/// allows but the last, and an empty message is one empty piece.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "vm/multicast/packet.hpp"

namespace nasvm::multicast {

class Pieces {
 public:
  Pieces() = default;
  /// `first_sequence`: of the message's first packet. The message stays in place.
  Pieces(std::span<const std::byte> message, std::uint32_t number, std::uint32_t first_sequence,
         std::size_t packet_bytes)
      : message_(message), number_(number), first_(first_sequence), packet_bytes_(packet_bytes) {}

  [[nodiscard]] std::uint32_t count() const {
    return static_cast<std::uint32_t>(
        std::max<std::size_t>(1, (message_.size() + packet_bytes_ - 1) / packet_bytes_));
  }
  [[nodiscard]] std::uint32_t first() const { return first_; }
  /// The sequence number after the last packet's.
  [[nodiscard]] std::uint32_t end() const { return first_ + count(); }
  /// The data packet of that sequence number, from first() to end() - 1.
  [[nodiscard]] Packet packet(std::uint32_t sequence) const {
    const std::size_t offset = std::size_t{sequence - first_} * packet_bytes_;
    Packet packet;
    packet.message = number_;
    packet.sequence = sequence;
    packet.offset = offset;
    packet.message_bytes = message_.size();
    packet.payload = message_.subspan(offset, std::min(packet_bytes_, message_.size() - offset));
    return packet;
  }

 private:
  std::span<const std::byte> message_;
  std::uint32_t number_ = 0;
  std::uint32_t first_ = 0;
  std::size_t packet_bytes_ = 1;
};

}  // namespace nasvm::multicast

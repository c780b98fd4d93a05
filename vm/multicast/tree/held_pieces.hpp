#pragma once
/// \file
/// The pieces that an inner node of the tree keeps for those below it: as many as the window, by sequence number.
/// Buffers are used again, so that a piece costs a copy and no allocation once each has been used.

#include <bit>
#include <cstdint>
#include <vector>

#include "vm/multicast/packet.hpp"

namespace nasvm::multicast::tree {

class HeldPieces {
 public:
  /// At least `window` consecutive pieces are held at a time.
  explicit HeldPieces(std::uint32_t window) : places_(std::bit_ceil(window)) {}

  /// Takes the place of the piece that was put there so many pieces ago.
  void put(const Packet& piece) {
    Place& place = at(piece.sequence);
    place.bytes.assign(piece.payload.begin(), piece.payload.end());
    place.piece = piece;
    place.piece.payload = place.bytes;
  }
  /// One of the latest pieces; valid until its place is taken.
  [[nodiscard]] const Packet& piece(std::uint32_t sequence) { return at(sequence).piece; }

 private:
  struct Place {
    Packet piece;
    std::vector<std::byte> bytes;
  };

  Place& at(std::uint32_t sequence) { return places_[sequence & (places_.size() - 1)]; }

  std::vector<Place> places_;
};

}  // namespace nasvm::multicast::tree

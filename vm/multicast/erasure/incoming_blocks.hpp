#pragma once
/// \file
/// The blocks of the message that a receiver is getting, those within its window: what has come of each, and which
/// pieces the inbox has taken. Buffers are used again from block to block.

#include <cstdint>
#include <optional>
#include <vector>

#include "vm/multicast/erasure/layout.hpp"
#include "vm/multicast/erasure/received_block.hpp"
#include "vm/multicast/multicast.hpp"

namespace nasvm::multicast::erasure {

class IncomingBlocks {
 public:
  IncomingBlocks(std::size_t packet_bytes, std::uint32_t window, int most_pieces, Inbox& inbox);

  /// Every piece before it has been taken.
  [[nodiscard]] std::uint32_t next() const { return next_; }
  [[nodiscard]] std::uint32_t message() const { return message_; }

  /// A packet about the message that is coming: everything before which piece has left the sender, as it shows?
  /// Nothing: it is about another one, or makes no sense. The first packet says how long the message is.
  std::optional<std::uint32_t> enter(const Packet& packet);
  /// Everything before `sequence` has left. Returns whether another block has left as a whole.
  bool know(std::uint32_t sequence);
  /// A packet that was entered. A wrong one changes nothing.
  void piece(const Packet& data);
  void repair(const Packet& packet);
  /// Offers the inbox again what it had no room for.
  void retry();

  /// The blocks that lack something though all of them has left: their first pieces, and how many they lack. Returns
  /// how many of them there are, as far as they fit.
  std::size_t lacking(std::span<Range> out) const;

 private:
  struct Slot {
    ReceivedBlock block;
    std::vector<bool> taken;  ///< by index of the piece; empty: the slot is not in use
    std::uint32_t number = 0;
  };

  [[nodiscard]] const Slot* open_slot(std::uint32_t block) const;
  Slot& slot(std::uint32_t block);
  [[nodiscard]] std::uint32_t lacking_of(std::uint32_t block) const;
  void hand_over(Slot& slot);
  bool hand_over(Slot& slot, std::uint32_t sequence);
  void go_on();
  [[nodiscard]] std::optional<std::uint32_t> shows(const Packet& packet, const Layout& layout) const;

  std::size_t packet_bytes_;
  std::uint32_t window_;
  int most_pieces_;
  Inbox& inbox_;
  ReedSolomon code_;
  std::vector<Slot> slots_;  ///< by the block's number, modulo
  std::uint32_t message_ = 0;
  std::uint32_t next_ = 0;
  std::uint32_t known_ = 0;
  std::optional<Layout> layout_;
};

}  // namespace nasvm::multicast::erasure

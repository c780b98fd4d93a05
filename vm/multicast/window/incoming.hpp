#pragma once
/// \file
/// The message that a receiver is getting: where it lies among the sequence numbers, and whether a packet is a piece
/// of it as the sender would have cut it (pieces.hpp).

#include <algorithm>
#include <cstdint>

#include "vm/multicast/packet.hpp"
#include "vm/multicast/window/sequence.hpp"

namespace nasvm::multicast {

class Incoming {
 public:
  explicit Incoming(std::size_t packet_bytes) : packet_bytes_(packet_bytes) {}

  [[nodiscard]] std::uint32_t number() const { return number_; }
  [[nodiscard]] std::uint32_t first() const { return first_; }
  /// Of the message before it.
  [[nodiscard]] std::uint32_t first_of_last() const { return first_of_last_; }
  /// Is this the sequence number after that of its last packet? Not before a packet of it has come.
  [[nodiscard]] bool ends_at(std::uint32_t sequence) const { return begun_ && sequence - first_ == count_; }
  [[nodiscard]] bool ends_within(std::uint32_t after, std::uint32_t upto) const {
    const std::uint32_t end = first_ + static_cast<std::uint32_t>(count_);
    return begun_ && before(after, end) && !before(upto, end);
  }
  /// Is it a piece of this message? The first that is says how long the message is.
  [[nodiscard]] bool accepts(const Packet& data) const {
    const std::uint64_t index = data.sequence - first_;
    if (data.message != number_ || (begun_ && data.message_bytes != bytes_)) return false;
    if (index >= (begun_ ? count_ : pieces(data.message_bytes)) || data.offset != index * packet_bytes_) return false;
    return data.payload.size() == std::min<std::uint64_t>(packet_bytes_, data.message_bytes - data.offset);
  }
  void begin(const Packet& data) {
    if (begun_) return;
    bytes_ = data.message_bytes;
    count_ = pieces(bytes_);
    begun_ = true;
  }
  /// It is complete; the next one follows.
  void finish() {
    first_of_last_ = first_;
    first_ += static_cast<std::uint32_t>(count_);
    ++number_;
    begun_ = false;
  }

 private:
  [[nodiscard]] std::uint64_t pieces(std::uint64_t bytes) const {
    return std::max<std::uint64_t>(1, bytes / packet_bytes_ + (bytes % packet_bytes_ != 0 ? 1 : 0));
  }

  std::size_t packet_bytes_;
  std::uint32_t number_ = 0;
  std::uint32_t first_ = 0;
  std::uint32_t first_of_last_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t count_ = 0;  ///< of its packets
  bool begun_ = false;
};

}  // namespace nasvm::multicast

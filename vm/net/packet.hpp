#pragma once
/// \file
/// A packet on its way out, and who gets those that come in: what streams and links have in common.

#include <cstddef>
#include <cstdint>

#include "vm/block_copy.hpp"
#include "vm/message.hpp"

namespace nasvm::net {

/// Bytes of a packet, as they count against bounds.
inline std::size_t weight(const Envelope& envelope) { return sizeof(Envelope) + envelope.payload_bytes; }

/// A packet on its way out. Its owner leaves it and its payload in place until `packet_sent`.
struct Packet {
  Envelope envelope;
  const std::byte* payload = nullptr;  ///< envelope.payload_bytes long
  Packet* next = nullptr;              ///< the stream's own while it is queued
  void* owner = nullptr;               ///< for the handler
  bool stream_owned = false;           ///< made by PacketStream::send_copy
};

/// The two ends of a message agree by it. Pieces of messages that both have agreed on find their places by
/// themselves: such a packet may pass them, so that what it asks for does not begin when they have all left.
inline bool may_pass_data(const Envelope& envelope) {
  using enum PacketKind;
  const PacketKind kind = envelope.kind;
  return envelope.payload_bytes == 0 &&
         (kind == request || kind == grant || kind == credit || kind == pulled || kind == invite);
}

/// A queue of packets, first in first out, without allocation.
class PacketQueue {
 public:
  [[nodiscard]] bool empty() const { return first_ == nullptr; }
  [[nodiscard]] Packet* front() const { return first_; }
  void push(Packet& packet) {
    insert_after(last_, packet);
    if (packet.envelope.kind != PacketKind::data) last_in_order_ = &packet;
  }
  /// One that may pass data: behind all other kinds, and behind the first one where that is on its way already.
  void push_ahead_of_data(Packet& packet, bool first_is_on_its_way) {
    insert_after(last_in_order_ == nullptr && first_is_on_its_way ? first_ : last_in_order_, packet);
    last_in_order_ = &packet;
  }
  Packet& pop() {
    Packet& packet = *first_;
    first_ = packet.next;
    if (first_ == nullptr) last_ = nullptr;
    if (last_in_order_ == &packet) last_in_order_ = nullptr;
    return packet;
  }

 private:
  /// nullptr: before all.
  void insert_after(Packet* before, Packet& packet) {
    Packet*& link = before == nullptr ? first_ : before->next;
    packet.next = link;
    link = &packet;
    if (before == last_) last_ = &packet;
  }

  Packet* first_ = nullptr;
  Packet* last_ = nullptr;
  Packet* last_in_order_ = nullptr;  ///< the last one that is not data; nullptr: all are
};

/// Where an arriving payload goes.
struct Landing {
  enum class Verdict { take, hold };
  Verdict verdict = Verdict::take;  ///< hold: there is no room now; ask again after PacketParser::resume
  std::byte* data = nullptr;        ///< room for the payload; nullptr: throw it away
  void* token = nullptr;            ///< for the handler
  const bool* unwanted = nullptr;   ///< once the handler has set it the rest is thrown away; `data` may be gone

  /// Room for what has not come yet; nullptr: throw it away.
  [[nodiscard]] std::byte* place() const { return unwanted != nullptr && *unwanted ? nullptr : data; }
};

class PacketHandler {
 public:
  virtual ~PacketHandler() = default;
  /// An envelope has arrived: where does its payload go?
  virtual Landing begin_packet(const Envelope& envelope) = 0;
  /// The payload of that envelope is complete.
  virtual void end_packet(const Envelope& envelope, const Landing& landing) = 0;
  /// Both at once, for a packet that is in memory as a whole; not for handlers that put payloads on hold.
  virtual void take_packet(const Envelope& envelope, const std::byte* payload) {
    const Landing landing = begin_packet(envelope);
    if (landing.data != nullptr) copy_bytes(landing.data, payload, envelope.payload_bytes);
    end_packet(envelope, landing);
  }
  /// A packet has left: it and its payload may be used again.
  virtual void packet_sent(Packet& packet) = 0;
};

}  // namespace nasvm::net

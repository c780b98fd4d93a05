#pragma once
/// \file
/// A PacketHandler that keeps every packet that arrives and counts those that have left.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "vm/net/packet_stream.hpp"

namespace nasvm::test {

/// `count` bytes that depend on position and seed.
inline std::vector<std::byte> pattern(std::size_t count, unsigned seed = 0) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>((i * 2654435761U + seed * 97U) >> 7);
  return bytes;
}

class PacketRecorder final : public net::PacketHandler {
 public:
  struct Arrived {
    Envelope envelope;
    std::vector<std::byte> payload;
  };

  net::Landing begin_packet(const Envelope& envelope) override {
    ++begun;
    if (on_begun) on_begun(envelope);
    if (holds > 0) {
      --holds;
      return {net::Landing::Verdict::hold, nullptr, nullptr};
    }
    if (discard) return {net::Landing::Verdict::take, nullptr, this};
    buffer_.assign(envelope.payload_bytes, std::byte{0});
    return {net::Landing::Verdict::take, buffer_.data(), nullptr};
  }

  void end_packet(const Envelope& envelope, const net::Landing& landing) override {
    if (landing.token == this) {
      ++discarded;
    } else {
      arrived.push_back({envelope, std::move(buffer_)});
      if (on_arrived) on_arrived(arrived.back());
    }
  }

  void packet_sent(net::Packet& packet) override {
    sent.push_back(&packet);
    if (on_sent) on_sent(packet);
  }

  int holds = 0;         ///< so many times the answer is "hold"
  bool discard = false;  ///< throw payloads away
  int begun = 0;
  int discarded = 0;
  std::vector<Arrived> arrived;
  std::vector<net::Packet*> sent;
  std::function<void(const Envelope&)> on_begun;
  std::function<void(net::Packet&)> on_sent;
  std::function<void(const Arrived&)> on_arrived;

 private:
  std::vector<std::byte> buffer_;
};

/// A packet with its payload.
struct OwnPacket : net::Packet {
  explicit OwnPacket(std::vector<std::byte> content, int tag = 0) : bytes(std::move(content)) {
    envelope.tag = tag;
    envelope.payload_bytes = static_cast<std::uint32_t>(bytes.size());
    payload = bytes.data();
  }
  std::vector<std::byte> bytes;
};

}  // namespace nasvm::test

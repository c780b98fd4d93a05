#pragma once
/// \file
/// Packets out of a byte stream, whatever carries it: a stream socket (PacketStream) or acknowledged datagrams
/// (daemon::HostPort). No socket: bytes in, calls of a PacketHandler out. Bytes may come cut at any place. Who reads
/// from a socket can have the rest of a payload land in place, by `room` and `landed`.

#include <cstddef>
#include <span>

#include "vm/message.hpp"
#include "vm/net/packet.hpp"

namespace nasvm::net {

class PacketParser {
 public:
  explicit PacketParser(PacketHandler& handler) : handler_(handler) {}

  /// Takes packets off the front of `bytes`, until none are left or a payload is put on hold. False: what came is not
  /// a packet; the stream is of no use any more. Lets through what the handler throws; the bytes before are taken,
  /// and the payload of a packet that it has thrown for at its beginning is skipped.
  bool take(std::span<const std::byte>& bytes);

  /// The handler has no room for the payload of the packet that has begun. Nothing is taken until `resume`.
  [[nodiscard]] bool on_hold() const { return on_hold_; }
  /// Asks the handler again. Call `take` afterwards, also without further bytes: a payload may be empty.
  void resume() {
    if (on_hold_) begin_payload();
  }

  /// The handler wants nothing more of that task: the rest of a payload of its is thrown away, and not reported.
  void forget(Tid source) {
    if (in_payload_ && envelope_.source == source.value) landing_ = {};
  }

  /// The token of the packet whose payload has begun; null when there is none, or that has no token. Of a stream that
  /// has ended it will not be complete.
  [[nodiscard]] void* arriving() const { return in_payload_ ? landing_.token : nullptr; }

  /// Where the rest of the payload that has begun belongs; empty when there is none, or it is thrown away.
  [[nodiscard]] std::span<std::byte> room() const {
    std::byte* const place = in_payload_ ? landing_.place() : nullptr;
    if (place == nullptr) return {};
    return {place + payload_done_, envelope_.payload_bytes - payload_done_};
  }
  /// So many bytes have been put into `room`. Call `take` afterwards.
  void landed(std::size_t bytes) { payload_done_ += bytes; }

 private:
  void begin_payload();
  bool take_envelope(std::span<const std::byte>& bytes);
  void take_payload(std::span<const std::byte>& bytes);

  PacketHandler& handler_;
  Envelope envelope_{};
  std::size_t envelope_done_ = 0;
  Landing landing_{};
  std::size_t payload_done_ = 0;
  bool in_payload_ = false;
  bool refused_ = false;  ///< the handler has thrown for the packet whose payload comes
  bool on_hold_ = false;
};

}  // namespace nasvm::net

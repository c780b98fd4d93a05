#include "vm/net/packet_parser.hpp"

#include <algorithm>
#include <cstring>

#include "vm/block_copy.hpp"

namespace nasvm::net {

/// Should the handler throw, the payload is skipped, and its end not reported.
void PacketParser::begin_payload() {
  landing_ = {};
  payload_done_ = 0;
  on_hold_ = false;
  in_payload_ = refused_ = true;
  landing_ = handler_.begin_packet(envelope_);
  refused_ = false;
  on_hold_ = landing_.verdict == Landing::Verdict::hold;
  in_payload_ = !on_hold_;
}

/// True when the envelope is complete.
inline bool PacketParser::take_envelope(std::span<const std::byte>& bytes) {
  const std::size_t piece = std::min(bytes.size(), sizeof(Envelope) - envelope_done_);
  // A copy of fixed length for the usual case, a few cycles instead of a call.
  if (piece == sizeof(Envelope)) {
    std::memcpy(&envelope_, bytes.data(), sizeof(Envelope));
  } else if (piece != 0) {
    std::memcpy(reinterpret_cast<std::byte*>(&envelope_) + envelope_done_, bytes.data(), piece);
  }
  bytes = bytes.subspan(piece);
  envelope_done_ += piece;
  if (envelope_done_ < sizeof(Envelope)) return false;
  envelope_done_ = 0;
  return true;
}

inline void PacketParser::take_payload(std::span<const std::byte>& bytes) {
  const std::size_t piece = std::min(bytes.size(), envelope_.payload_bytes - payload_done_);
  if (std::byte* const place = landing_.place()) copy_bytes(place + payload_done_, bytes.data(), piece);
  bytes = bytes.subspan(piece);
  payload_done_ += piece;
}

bool PacketParser::take(std::span<const std::byte>& bytes) {
  while (!on_hold_) {
    if (!in_payload_) {
      if (!take_envelope(bytes)) return true;
      if (!make_native(envelope_)) return false;
      begin_payload();
    } else {
      take_payload(bytes);
      if (payload_done_ < envelope_.payload_bytes) return true;
      in_payload_ = false;
      if (!refused_) handler_.end_packet(envelope_, landing_);
    }
  }
  return true;
}

}  // namespace nasvm::net

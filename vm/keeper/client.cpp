#include "vm/keeper/client.hpp"

#include "vm/protocol/protocol.hpp"

namespace nasvm::keeper {
namespace {

constexpr std::size_t report_piece_bytes = std::size_t{1} << 20;

}  // namespace

void Client::send(const Message& message) {
  const std::string text = to_text(message);
  post(protocol::control_envelope(keeper_tid, connection_->peer(), text.size()), std::as_bytes(std::span(text)));
}

void Client::send_output(std::span<const std::byte> bytes) {
  post(envelope_of(PacketKind::data, bytes.size()), bytes);
}

void Client::send_report(int rank, std::string_view report) {
  do {
    const std::string_view piece = report.substr(0, report_piece_bytes);
    Envelope envelope = envelope_of(PacketKind::report, piece.size());
    envelope.tag = rank;
    post(envelope, std::as_bytes(std::span(piece)));
    report.remove_prefix(piece.size());
  } while (!report.empty());
}

Envelope Client::envelope_of(PacketKind kind, std::size_t bytes) const {
  Envelope envelope;
  envelope.kind = kind;
  envelope.source = keeper_tid.value;
  envelope.destination = connection_->peer().value;
  envelope.payload_bytes = static_cast<std::uint32_t>(bytes);
  return envelope;
}

void Client::post(const Envelope& envelope, std::span<const std::byte> bytes) {
  Piece& piece = pieces_.emplace_back();
  piece.bytes.assign(bytes.begin(), bytes.end());
  piece.envelope = envelope;
  piece.payload = piece.bytes.data();
  piece.owner = this;
  unsent_bytes_ += bytes.size();
  connection_->send(piece);
}

void Client::piece_sent() {
  unsent_bytes_ -= pieces_.front().bytes.size();
  pieces_.pop_front();
}

std::span<std::byte> Client::begin_request(std::size_t bytes) {
  request_.assign(bytes, std::byte{0});
  return request_;
}

}  // namespace nasvm::keeper

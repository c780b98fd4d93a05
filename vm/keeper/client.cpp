#include "vm/keeper/client.hpp"

#include <algorithm>

#include "vm/protocol/protocol.hpp"

namespace nasvm::keeper {
namespace {

constexpr std::size_t report_piece_bytes = std::size_t{1} << 20;

}  // namespace

void Client::send(const Message& message) {
  protocol::send_text(*connection_, keeper_tid, connection_->peer(), to_text(message));
}

void Client::send_output(std::span<const std::byte> bytes) {
  Piece& piece = pieces_.emplace_back();
  piece.bytes.assign(bytes.begin(), bytes.end());
  piece.envelope.kind = PacketKind::data;
  piece.envelope.source = keeper_tid.value;
  piece.envelope.destination = connection_->peer().value;
  piece.envelope.payload_bytes = static_cast<std::uint32_t>(bytes.size());
  piece.payload = piece.bytes.data();
  piece.owner = this;
  unsent_bytes_ += bytes.size();
  connection_->send(piece);
}

void Client::piece_sent() {
  unsent_bytes_ -= pieces_.front().bytes.size();
  pieces_.pop_front();
}

void Client::send_report(int rank, std::string_view report) {
  Envelope envelope;
  envelope.kind = PacketKind::report;
  envelope.source = keeper_tid.value;
  envelope.destination = connection_->peer().value;
  envelope.tag = rank;
  do {
    const std::string_view piece = report.substr(0, report_piece_bytes);
    envelope.payload_bytes = static_cast<std::uint32_t>(piece.size());
    connection_->send_copy(envelope, std::as_bytes(std::span(piece)));
    report.remove_prefix(piece.size());
  } while (!report.empty());
}

}  // namespace nasvm::keeper

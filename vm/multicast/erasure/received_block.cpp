#include "vm/multicast/erasure/received_block.hpp"

#include <algorithm>

namespace nasvm::multicast::erasure {

void ReceivedBlock::reset(std::size_t bytes, std::size_t piece_bytes) {
  bytes_ = bytes;
  piece_bytes_ = piece_bytes;
  if (buffer_.size() < bytes) buffer_.resize(bytes);
  has_.assign(std::max<std::size_t>(1, (bytes + piece_bytes - 1) / piece_bytes), false);
  present_ = 0;
  repairs_.clear();
}

Piece ReceivedBlock::piece(int index) const {
  const std::size_t start = static_cast<std::size_t>(index) * piece_bytes_;
  return Piece(buffer_).subspan(start, std::min(piece_bytes_, bytes_ - start));
}

std::span<std::byte> ReceivedBlock::place_of(int index) {
  const Piece piece = this->piece(index);
  return std::span(buffer_).subspan(static_cast<std::size_t>(piece.data() - buffer_.data()), piece.size());
}

bool ReceivedBlock::add_piece(int index, Piece bytes, ReedSolomon& code) {
  if (lacking() == 0 || index < 0 || index >= pieces() || has(index)) return false;
  const auto place = place_of(index);
  if (place.size() != bytes.size()) return false;
  std::ranges::copy(bytes, place.begin());
  has_[static_cast<std::size_t>(index)] = true;
  ++present_;
  restore(code);
  return true;
}

bool ReceivedBlock::add_repair(int number, Piece bytes, ReedSolomon& code) {
  const bool known = std::ranges::find(repairs_, number, &KeptRepair::number) != repairs_.end();
  if (lacking() == 0 || known || number < 0 || number >= most_rows - pieces()) return false;
  if (bytes.size() != piece(0).size()) return false;
  repairs_.push_back({number, {bytes.begin(), bytes.end()}});
  restore(code);
  return true;
}

void ReceivedBlock::restore(ReedSolomon& code) {
  if (lacking() != 0 || repairs_.empty()) return;
  std::vector<Piece> pieces_now;
  std::vector<Missing> missing;
  for (int index = 0; index < pieces(); ++index) {
    pieces_now.push_back(piece(index));
    if (!has(index)) missing.push_back({index, place_of(index)});
  }
  std::vector<Repair> repairs;
  for (const KeptRepair& repair : repairs_) repairs.push_back({repair.number, repair.bytes});
  code.decode(pieces_now, repairs, missing);
  has_.assign(has_.size(), true);
  present_ = pieces();
  repairs_.clear();
}

}  // namespace nasvm::multicast::erasure

#pragma once
/// \file
/// Small writes to one owner's blocks, collected into one message: a note, and pieces of the file, each with its
/// position and length. Data is copied once, from the caller's buffer into the message. Bytes that follow each other
/// in the file become one piece.
///
/// Order: pieces are carried out as they were written.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "vm/files/note.hpp"

namespace nasvm::files {

class WriteBatch {
 public:
  /// `bytes`: of one message, at most.
  explicit WriteBatch(std::size_t bytes) : capacity_(note_bytes + bytes) {}

  /// Where to put what is written from `position` on, one byte behind the other; how much of it was used `close`
  /// says. No room for `least` bytes: empty; then the batch has to be taken first. Valid until then.
  std::span<std::byte> open(std::uint64_t position, std::size_t least) {
    if (message_.empty()) {
      message_.resize(capacity_);
      used_ = note_bytes;
    }
    const bool goes_on = last_.has_value() && last_->end == position;
    const std::size_t head = goes_on ? 0 : head_bytes;
    if (used_ + head + least > capacity_) return {};
    if (!goes_on) {
      last_ = Piece{used_, position};
      little_endian::put(message_, used_, position);
      used_ += head_bytes;
    }
    return std::span(message_).subspan(used_);
  }
  void close(std::size_t bytes) {
    last_->end += bytes;
    used_ += bytes;
    little_endian::put(message_, last_->at + 8, std::uint64_t{used_ - last_->at - head_bytes});
  }

  [[nodiscard]] bool empty() const { return message_.empty() || used_ == note_bytes; }
  /// The message, and an empty batch.
  std::vector<std::byte> take(const Note& note) {
    message_.resize(used_);
    put(message_, note);
    last_.reset();
    used_ = 0;
    return std::exchange(message_, {});
  }

 private:
  static constexpr std::size_t head_bytes = 16;
  struct Piece {
    std::size_t at = 0;     ///< of its head in the message
    std::uint64_t end = 0;  ///< in the file
  };

  std::size_t capacity_;
  std::vector<std::byte> message_;
  std::size_t used_ = 0;
  std::optional<Piece> last_;
};

/// Calls `visit(position, data)` for each piece of a batch's body. Throws RunError when it is no such body.
template <typename Visit>
void for_each_piece(std::span<const std::byte> body, Visit visit) {
  while (!body.empty()) {
    if (body.size() < 16) throw RunError("a batch of writes is cut short");
    const auto position = little_endian::get<std::uint64_t>(body, 0);
    const auto bytes = little_endian::get<std::uint64_t>(body, 8);
    body = body.subspan(16);
    if (bytes > body.size()) throw RunError("a batch of writes is cut short");
    visit(position, body.first(static_cast<std::size_t>(bytes)));
    body = body.subspan(static_cast<std::size_t>(bytes));
  }
}

}  // namespace nasvm::files

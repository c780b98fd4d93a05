#include "vm/transport/shm/ring.hpp"

#include <cstring>

#include "vm/streaming_copy.hpp"

namespace nasvm::shm {
namespace {

/// A record of this and so many lines is no packet: go on at the front of the ring.
constexpr std::uint64_t skip_mark = std::uint64_t{1} << 32;

constexpr std::size_t lines_of(std::size_t payload_bytes) {
  return 1 + (payload_bytes + line_bytes - 1) / line_bytes;
}

}  // namespace

/// Beside the record itself, its successor's first line has to be free, because it is cleared.
bool RingWriter::has_room(std::size_t lines) {
  const std::uint64_t end = written_ + lines + 1;
  if (end - taken_ <= lines_.size()) return true;
  taken_ = control_->taken.load(std::memory_order_seq_cst);
  return end - taken_ <= lines_.size();
}

bool RingWriter::try_put(const Envelope& envelope, const std::byte* payload) {
  const std::size_t lines = lines_of(envelope.payload_bytes);
  const std::size_t before_end = lines_.size() - (written_ & (lines_.size() - 1));
  const std::size_t skipped = lines <= before_end ? 0 : before_end;
  if (!has_room(skipped + lines)) return false;
  Record& mark = at(written_);
  Record& record = at(written_ + skipped);
  written_ += skipped + lines;
  at(written_).lines.store(0, std::memory_order_relaxed);
  // The payload first: its reader looks at the envelope's line all the time, and would take that away in between.
  copy_past_cache_from(stream_from_, reinterpret_cast<std::byte*>(&record + 1), payload, envelope.payload_bytes);
  std::memcpy(&record.envelope, &envelope, sizeof envelope);
  if (skipped != 0) {
    record.lines.store(lines, std::memory_order_relaxed);
    mark.lines.store(skip_mark + skipped, std::memory_order_release);
  } else {
    record.lines.store(lines, std::memory_order_release);
  }
  // Behind the word, not in it: that leaves with the envelope, in one go.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return true;
}

const Record* RingReader::skip_to_front(std::uint64_t mark) {
  read_ += mark - skip_mark;
  return &at(read_);
}

/// The writer is told seldom, since that costs both sides a cache line. It never waits in vain: with all records
/// taken out at most a quarter of the ring has not been told, and no packet with its mark needs more than half of it.
bool RingReader::pop() {
  read_ += at(read_).lines.load(std::memory_order_relaxed);
  if (read_ - told_ < lines_.size() / 4) return false;
  told_ = read_;
  control_->taken.store(read_, std::memory_order_seq_cst);
  return control_->writer_waits.load(std::memory_order_seq_cst) != 0 &&
         control_->writer_waits.exchange(0, std::memory_order_seq_cst) != 0;
}

}  // namespace nasvm::shm

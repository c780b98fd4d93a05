#include "vm/transport/shm/ring.hpp"

#include <cstring>

#include "vm/streaming_copy.hpp"

namespace nasvm::shm {
namespace {

/// A record of this and so many lines is no packet: go on at the front of the ring.
constexpr std::uint64_t skip_mark = std::uint64_t{1} << 32;

/// In the envelope.
constexpr std::size_t kind_at = offsetof(Envelope, kind);

ShortRecord& as_short(Record& record) { return reinterpret_cast<ShortRecord&>(record); }

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

/// Whether nothing is lost of it in a short record.
bool RingWriter::is_short(const Envelope& envelope) const {
  return envelope.payload_bytes <= ShortRecord::most_bytes && envelope.message_bytes == envelope.payload_bytes &&
         (envelope.offset | envelope.sender_id | envelope.invitation | envelope.reserved) == 0 &&
         envelope.mark == Envelope::native_mark && envelope.version == Envelope::current_version &&
         last_ == Ends{envelope.source, envelope.destination};
}

bool RingWriter::try_put_short(const Envelope& envelope, const std::byte* payload) {
  if (!has_room(1)) return false;
  ShortRecord& record = as_short(at(written_));
  ++written_;
  at(written_).lines.store(0, std::memory_order_relaxed);
  std::memcpy(record.kind.data(), reinterpret_cast<const std::byte*>(&envelope) + kind_at, record.kind.size());
  record.context = envelope.context;
  record.tag = envelope.tag;
  record.credit = envelope.credit;
  copy_payload(record.payload.data(), payload, envelope.payload_bytes);
  record.word.store(short_mark + envelope.payload_bytes, std::memory_order_release);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return true;
}

bool RingWriter::try_put(const Envelope& envelope, const std::byte* payload) {
  if (is_short(envelope)) return try_put_short(envelope, payload);
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
  last_ = {envelope.source, envelope.destination};
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

const Record& RingReader::skip_to_front(std::uint64_t mark) {
  read_ += mark - skip_mark;
  return at(read_);
}

RingReader::Packet RingReader::unfold(std::uint64_t word) {
  const ShortRecord& record = as_short(at(read_));
  std::memcpy(reinterpret_cast<std::byte*>(&unfolded_) + kind_at, record.kind.data(), record.kind.size());
  unfolded_.source = last_.source;
  unfolded_.destination = last_.destination;
  unfolded_.context = record.context;
  unfolded_.tag = record.tag;
  unfolded_.credit = record.credit;
  unfolded_.payload_bytes = static_cast<std::uint32_t>(word - short_mark);
  unfolded_.message_bytes = unfolded_.payload_bytes;
  return {&unfolded_, record.payload.data()};
}

/// The writer is told seldom, since that costs both sides a cache line. It never waits in vain: with all records
/// taken out at most a quarter of the ring has not been told, and no packet with its mark needs more than half of it.
bool RingReader::pop() {
  const std::uint64_t word = at(read_).lines.load(std::memory_order_relaxed);
  read_ += word >= short_mark ? 1 : word;
  if (read_ - told_ < lines_.size() / 4) return false;
  told_ = read_;
  control_->taken.store(read_, std::memory_order_seq_cst);
  return control_->writer_waits.load(std::memory_order_seq_cst) != 0 &&
         control_->writer_waits.exchange(0, std::memory_order_seq_cst) != 0;
}

}  // namespace nasvm::shm

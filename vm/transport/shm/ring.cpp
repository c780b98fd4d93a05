#include "vm/transport/shm/ring.hpp"

#include <bit>
#include <cstring>

#include "vm/streaming_copy.hpp"

namespace nasvm::shm {
namespace {

/// A record of this and so many lines is no packet: go on at the front of the ring.
constexpr std::uint64_t skip_mark = std::uint64_t{1} << 32;

/// As many short messages are written while a line comes from the core that has read it. Measured, as the next one:
/// docs/decisions/short-messages.md.
constexpr std::uint64_t lines_ahead = 8;
/// The same for a record of more lines, whose successor is taken to be as long: up to 1 KiB.
constexpr std::uint64_t most_lines_ahead = 17;

/// After so many of the shortest messages in a row a line is left half open for one more: to close it for a longer
/// one after all costs as much as a line from core to core.
constexpr int shortest_before_halves = 8;

/// A lap has room for so many records of a kind: with fewer the writer would have to find out what is taken for
/// nearly each. Chosen: 1 KiB fits into the first laps.
constexpr std::size_t records_of_lap = 16;

/// Lines that the first message prepares, and most of a later step: 4 and 64 KiB.
constexpr std::size_t first_prepared = 64;
constexpr std::size_t most_prepared = 1024;

/// Asks for a line that is soon to be written. For x86 of any kind: compilers know of the instruction only where they
/// are told of a processor that has it; the others take it for nothing.
void ask_for(const Record& line) {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(line));
#else
  __builtin_prefetch(&line, 1);
#endif
}

constexpr std::size_t lines_of(std::size_t payload_bytes) {
  return 1 + (payload_bytes + line_bytes - 1) / line_bytes;
}

}  // namespace

void RingWriter::find_out_what_is_taken() { taken_ = control_->taken.load(std::memory_order_seq_cst); }

std::optional<std::size_t> RingWriter::find_room(std::size_t lines) {
  const std::size_t place = written_ & (lines_.size() - 1);
  if (place + lines > lap_end() && lap_ < lines_.size()) {
    find_out_what_is_taken();
    if (lines > lap_ / records_of_lap || written_ - taken_ > lap_ / 2) lengthen_lap(lines);
  }
  const std::size_t skipped = place + lines <= lap_end() ? 0 : lines_.size() - place;
  const std::uint64_t begin = written_ + skipped;
  if (begin + lines + 1 - taken_ > lines_.size()) find_out_what_is_taken();
  if (begin + lines + 1 - taken_ > lines_.size()) return {};
  const std::uint64_t front = begin & ~(lines_.size() - 1);
  if (prepared_ < lap_) prepare(static_cast<std::size_t>(begin - front) + lines + 1);
  free_until_ = std::min(front + lap_end() + 1, taken_ + lines_.size());
  if (prepared_ < lap_) free_until_ = std::min(free_until_, front + prepared_);
  return skipped;
}

/// The reader does not keep up, or records of so many lines would be too few in a lap. This lap goes on behind its
/// end.
void RingWriter::lengthen_lap(std::size_t lines) {
  lap_ = std::min(lines_.size(), std::max(2 * lap_, std::bit_ceil(records_of_lap * lines)));
  control_->lap.store(static_cast<std::uint32_t>(lap_), std::memory_order_relaxed);
}

/// The line that so many more will have been written before. Behind the end of a lap that is one at the front.
inline void RingWriter::ask_ahead(std::uint64_t lines) {
  const std::uint64_t line = written_ + lines;
  ask_for(at(line < free_until_ ? line : line - free_until_));
}

/// As much again as is in use: a ring that few messages go through takes little memory.
void RingWriter::prepare(std::size_t end) {
  if (end <= prepared_) return;
  const std::size_t step = std::clamp(prepared_, first_prepared, most_prepared);
  const std::size_t until = std::min(std::max(end, prepared_ + step), lap_);
  if (prepare_) prepare_(lines_.subspan(prepared_, until - prepared_));
  prepared_ = until;
}

/// All but the word, which tells that it is there.
inline void write_short(ShortRecord& record, const Envelope& envelope, const std::byte* payload) {
  std::memcpy(record.kind.data(), reinterpret_cast<const std::byte*>(&envelope) + ShortRecord::kind_at,
              record.kind.size());
  record.context = envelope.context;
  record.tag = envelope.tag;
  record.credit = envelope.credit;
  copy_payload(record.payload(), payload, envelope.payload_bytes);
}

bool RingWriter::try_put_short(const Envelope& envelope, const std::byte* payload) {
  if (!fits(1)) return try_put_long(envelope, payload);  // seldom
  Record& line = at(written_);
  ++written_;
  at(written_).lines.store(0, std::memory_order_relaxed);
  std::uint64_t word = short_mark + envelope.payload_bytes;
  if (envelope.payload_bytes > ShortRecord::most_half_bytes) {
    shortest_in_a_row_ = 0;
  } else if (shortest_in_a_row_ < shortest_before_halves) {
    ++shortest_in_a_row_;
  } else {
    half_is_open_ = true;
    short_at(line, half_line_bytes).word.store(0, std::memory_order_relaxed);
    word += half_mark;
  }
  ShortRecord& record = short_at(line, 0);
  write_short(record, envelope, payload);
  record.word.store(word, std::memory_order_release);
  // The fence waits until the line is this core's; so those of the next messages are asked for ahead of time.
  ask_ahead(lines_ahead);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return true;
}

/// The line behind has been cleared with the first half.
void RingWriter::put_second(const Envelope& envelope, const std::byte* payload) {
  ShortRecord& record = short_at(at(written_ - 1), half_line_bytes);
  write_short(record, envelope, payload);
  record.word.store(short_mark + envelope.payload_bytes, std::memory_order_release);
  half_is_open_ = false;
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

/// Says that the next record begins on a line of its own.
void RingWriter::close_half() {
  short_at(at(written_ - 1), half_line_bytes).word.store(skip_mark, std::memory_order_release);
  half_is_open_ = false;
  shortest_in_a_row_ = 0;
}

bool RingWriter::try_put_long(const Envelope& envelope, const std::byte* payload) {
  const std::size_t lines = lines_of(envelope.payload_bytes);
  shortest_in_a_row_ = 0;
  std::size_t skipped = 0;
  if (!fits(lines)) {
    const auto found = find_room(lines);
    if (!found) return false;
    skipped = *found;
  }
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
  if (lines <= most_lines_ahead) {
    for (std::size_t i = 1; i <= lines; ++i) ask_ahead(i);
  }
  // Behind the word, not in it: that leaves with the envelope, in one go.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return true;
}

const Record& RingReader::skip_to_front(std::uint64_t mark) {
  read_ += mark - skip_mark;
  return at(read_);
}

RingReader::Packet RingReader::leave_half() {
  offset_ = 0;
  ++read_;
  return front();
}

/// The writer is told seldom, since that costs both sides a cache line. It never waits in vain: with all records
/// taken out less than a quarter of a lap has not been told, because laps only grow and the first packet behind a
/// mark is always told. A mark at the end of a short lap needs no more than a sixteenth of one at the front, where
/// all but that quarter is free; without a mark, and in laps of the whole ring, no packet needs more than half of the
/// ring.
bool RingReader::tell() {
  told_ = read_;
  if (const std::size_t lap = control_->lap.load(std::memory_order_relaxed); lap != 0) tells_after_ = lap / 4;
  control_->taken.store(read_, std::memory_order_seq_cst);
  return control_->writer_waits.load(std::memory_order_seq_cst) != 0 &&
         control_->writer_waits.exchange(0, std::memory_order_seq_cst) != 0;
}

}  // namespace nasvm::shm

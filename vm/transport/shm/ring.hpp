#pragma once
/// \file
/// A ring of cache lines in memory that two tasks share: one writes packets into it, the other takes them out.
/// Neither locks nor calls the system. Pure logic on memory that somebody else has mapped.
///
/// A packet is a record of whole lines: a word that says how many, the envelope, and from the second line on the
/// payload. The word is written last; while it is zero there is no record. So a reader polls one word, and has the
/// envelope with the same cache line. Records are never split: one that does not fit before the end of the ring
/// leaves a mark there and begins at the front. Order: a record's successor's word is cleared before the record is
/// published, so what an earlier lap has left is never taken for one.
///
/// Behind publishing there is a fence, and looking is sequentially consistent, so that with a flag ("I sleep", "I
/// wait for room") beside the ring one of two sides always sees the other (Dekker's argument).

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "vm/message.hpp"

namespace nasvm::shm {

inline constexpr std::size_t line_bytes = 64;

/// What the two sides of a ring tell each other beside the records. All zero: empty and unused.
struct RingControl {
  alignas(line_bytes) std::atomic<std::uint64_t> taken{0};  ///< lines taken out so far; told after a quarter of a lap
  alignas(line_bytes) std::atomic<std::uint32_t> writer_waits{0};  ///< for room; whoever clears it wakes the writer
  std::atomic<std::uint32_t> in_use{0};                            ///< the writer has come
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// First line of a record.
struct alignas(line_bytes) Record {
  std::atomic<std::uint64_t> lines{0};  ///< of this record; 0: none yet
  Envelope envelope;

  [[nodiscard]] const std::byte* payload() const { return reinterpret_cast<const std::byte*>(this + 1); }
};
static_assert(sizeof(Record) == line_bytes);

/// The lines of a ring: a power of two of them, at least 16, all zero at first.
using RingLines = std::span<Record>;

/// The writing end. One thread uses it.
class RingWriter {
 public:
  RingWriter() = default;
  /// Payloads of `stream_from` bytes or more are written past the cache (vm/streaming_copy.hpp).
  RingWriter(RingLines lines, RingControl& control, std::size_t stream_from = ~std::size_t{0})
      : lines_(lines), control_(&control), stream_from_(stream_from) {}

  /// Longest payload of a record: a quarter of the ring.
  static constexpr std::size_t max_payload(std::size_t ring_bytes) { return ring_bytes / 4 - line_bytes; }

  /// Writes a packet, unless there is no room for it now. What is read afterwards is read after it has been
  /// published.
  bool try_put(const Envelope& envelope, const std::byte* payload);
  /// Says that this side waits for room: call before the last `try_put` ahead of a sleep.
  void announce_waiting() { control_->writer_waits.store(1, std::memory_order_seq_cst); }

 private:
  [[nodiscard]] bool has_room(std::size_t lines);
  Record& at(std::uint64_t position) { return lines_[position & (lines_.size() - 1)]; }

  RingLines lines_;
  RingControl* control_ = nullptr;
  std::size_t stream_from_ = ~std::size_t{0};
  std::uint64_t written_ = 0;  ///< lines, all laps together
  std::uint64_t taken_ = 0;    ///< what the reader has last been seen to say
};

/// The reading end. One thread uses it.
class RingReader {
 public:
  RingReader() = default;
  RingReader(RingLines lines, RingControl& control) : lines_(lines), control_(&control) {}

  /// The oldest record, or nullptr. It stays in place until `pop`.
  const Record* front() {
    // The payload's line comes together with the envelope's, not after it.
    __builtin_prefetch(&at(read_ + 1));
    const std::uint64_t lines = at(read_).lines.load(std::memory_order_seq_cst);
    if (lines == 0) return nullptr;
    return lines > lines_.size() ? skip_to_front(lines) : &at(read_);
  }
  /// Gives the room of the oldest record back. True: the writer waits for it and has to be woken.
  bool pop();

 private:
  const Record* skip_to_front(std::uint64_t mark);
  Record& at(std::uint64_t position) { return lines_[position & (lines_.size() - 1)]; }

  RingLines lines_;
  RingControl* control_ = nullptr;
  std::uint64_t read_ = 0;  ///< lines, all laps together
  std::uint64_t told_ = 0;  ///< what the writer has been told of it
};

}  // namespace nasvm::shm

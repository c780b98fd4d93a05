#pragma once
/// \file
/// A ring of cache lines in memory that two tasks share: one writes packets into it, the other takes them out.
/// Neither locks nor calls the system. Pure logic on memory that somebody else has mapped.
///
/// A packet is a record of whole lines: a word that says how many, the envelope, and from the second line on the
/// payload. Short messages, which most programs send more of than of all others, have a record of one line: what of
/// the envelope is not as usual, then the payload, so that one line goes from core to core. Of the shortest, a number
/// each, two share a line where many come in a row. The word is written last; while it is zero there is no record. So
/// a reader polls one word, and has the envelope with the same cache line. Records are never split: one that does not
/// fit before the end of a lap leaves a mark there and begins at the front. A lap is as long as it has to be: while
/// the reader keeps up, the writer turns back early, so that what goes to and fro between two tasks stays in few
/// lines, whose memory has been made; it lengthens when the reader lags, and for long records, until it is the whole
/// ring. Order: a record's successor's word is cleared before the record is published, so what an earlier lap has
/// left is never taken for one.
///
/// Behind publishing there is a fence, and looking is sequentially consistent, so that with a flag ("I sleep", "I
/// wait for room") beside the ring one of two sides always sees the other (Dekker's argument).

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "vm/message.hpp"

namespace nasvm::shm {

inline constexpr std::size_t line_bytes = 64;
inline constexpr std::size_t half_line_bytes = line_bytes / 2;
/// The word of a record of this and so many bytes of payload is that of a short one.
inline constexpr std::uint64_t short_mark = std::uint64_t{1} << 33;
/// And with this, too, of one that is followed by another one in the second half of its line.
inline constexpr std::uint64_t half_mark = std::uint64_t{1} << 34;

/// What the two sides of a ring tell each other beside the records. All zero: empty and unused.
struct RingControl {
  /// Lines taken out so far, with those that were skipped; told after a quarter of a lap.
  alignas(line_bytes) std::atomic<std::uint64_t> taken{0};
  alignas(line_bytes) std::atomic<std::uint32_t> writer_waits{0};  ///< for room; whoever clears it wakes the writer
  std::atomic<std::uint32_t> in_use{0};                            ///< the writer has come
  std::atomic<std::uint32_t> lap{0};                               ///< lines of a lap; 0: as many as at first
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// First line of a record.
struct alignas(line_bytes) Record {
  std::atomic<std::uint64_t> lines{0};  ///< of this record; 0: none yet
  Envelope envelope;

  [[nodiscard]] const std::byte* payload() const { return reinterpret_cast<const std::byte*>(this + 1); }
};
static_assert(sizeof(Record) == line_bytes);

/// A packet in one line, or in half of one: an envelope of which all that is not here is as nothing has been said
/// (or, of `source` and `destination`, as in the last packet that had all of it). The payload follows.
struct ShortRecord {
  static constexpr std::size_t kind_at = offsetof(Envelope, kind);
  static constexpr std::size_t head_bytes = 24;
  static constexpr std::size_t most_bytes = line_bytes - head_bytes;  ///< remote service requests of 8 bytes have 40
  static constexpr std::size_t most_half_bytes = half_line_bytes - head_bytes;  ///< of one in half a line

  std::atomic<std::uint64_t> word;
  std::array<std::byte, offsetof(Envelope, reserved) - offsetof(Envelope, kind)> kind;  ///< and what follows it there
  std::uint32_t context;
  std::int32_t tag;
  std::uint32_t credit;

  [[nodiscard]] std::byte* payload() { return reinterpret_cast<std::byte*>(this) + head_bytes; }
};
static_assert(sizeof(ShortRecord) == ShortRecord::head_bytes);

/// The one that begins so many bytes after the line: 0 or half_line_bytes.
inline ShortRecord& short_at(Record& line, std::size_t offset) {
  return *reinterpret_cast<ShortRecord*>(reinterpret_cast<std::byte*>(&line) + offset);
}

/// The lines of a ring: a power of two of them, at least 16, all zero at first.
using RingLines = std::span<Record>;

/// Lines of the first laps: 16 KiB.
inline constexpr std::size_t first_lap_lines = 256;

/// Between whom packets go.
struct Ends {
  std::uint32_t source = 0;
  std::uint32_t destination = 0;
  bool operator==(const Ends&) const = default;
};

/// The writing end. One thread uses it.
class RingWriter {
 public:
  /// Is told of lines that are going to be written for the first time, while these are few: to make their memory for
  /// many at once. From the first one on, each line once.
  using Prepare = std::function<void(RingLines)>;

  RingWriter() = default;
  /// Payloads of `stream_from` bytes or more are written past the cache (vm/streaming_copy.hpp).
  RingWriter(RingLines lines, RingControl& control, std::size_t stream_from = ~std::size_t{0}, Prepare prepare = {})
      : lines_(lines),
        control_(&control),
        stream_from_(stream_from),
        lap_(std::min(lines.size(), first_lap_lines)),
        prepare_(std::move(prepare)) {}

  /// Longest payload of a record: a quarter of the ring.
  static constexpr std::size_t max_payload(std::size_t ring_bytes) { return ring_bytes / 4 - line_bytes; }

  /// Writes a packet, unless there is no room for it now. What is read afterwards is read after it has been
  /// published.
  bool try_put(const Envelope& envelope, const std::byte* payload) {
    if (half_is_open_) {
      if (is_short(envelope) && envelope.payload_bytes <= ShortRecord::most_half_bytes) {
        put_second(envelope, payload);
        return true;
      }
      close_half();
    }
    return is_short(envelope) ? try_put_short(envelope, payload) : try_put_long(envelope, payload);
  }
  /// Says that this side waits for room: call before the last `try_put` ahead of a sleep.
  void announce_waiting() { control_->writer_waits.store(1, std::memory_order_seq_cst); }

 private:
  /// Whether a record of so many lines may be written right here, as far as is known. Beside the record itself, its
  /// successor's first line has to be free, because it is cleared.
  [[nodiscard]] bool fits(std::size_t lines) const { return written_ + lines + 1 <= free_until_; }
  /// How many lines are to be skipped before a record of so many; nothing: there is no room for it now.
  [[nodiscard]] std::optional<std::size_t> find_room(std::size_t lines);
  void lengthen_lap(std::size_t lines);
  void prepare(std::size_t end);
  void find_out_what_is_taken();
  void ask_ahead(std::uint64_t lines);
  /// Where the lap ends for records. The line behind the last one has to be there, too.
  [[nodiscard]] std::size_t lap_end() const { return lap_ < lines_.size() ? lap_ - 1 : lap_; }
  /// Whether nothing is lost of it in a short record.
  [[nodiscard]] bool is_short(const Envelope& envelope) const {
    return envelope.payload_bytes <= ShortRecord::most_bytes && envelope.message_bytes == envelope.payload_bytes &&
           (envelope.offset | envelope.sender_id | envelope.invitation | envelope.reserved) == 0 &&
           envelope.mark == Envelope::native_mark && envelope.version == Envelope::current_version &&
           last_ == Ends{envelope.source, envelope.destination};
  }
  bool try_put_short(const Envelope& envelope, const std::byte* payload);
  void put_second(const Envelope& envelope, const std::byte* payload);
  void close_half();
  bool try_put_long(const Envelope& envelope, const std::byte* payload);
  Record& at(std::uint64_t position) { return lines_[position & (lines_.size() - 1)]; }

  RingLines lines_;
  RingControl* control_ = nullptr;
  std::size_t stream_from_ = ~std::size_t{0};
  std::uint64_t written_ = 0;     ///< lines, all laps together
  std::uint64_t taken_ = 0;       ///< what the reader has last been seen to say
  std::uint64_t free_until_ = 0;  ///< lines up to there may be written in this lap, as far as that is known
  std::size_t lap_ = 0;           ///< lines of the ring that are in use
  std::size_t prepared_ = 0;      ///< lines, from the front on
  int shortest_in_a_row_ = 0;     ///< that had a line each
  bool half_is_open_ = false;     ///< the second half of the last line that was written
  Ends last_;                     ///< of the last whole envelope
  Prepare prepare_;
};

/// The reading end. One thread uses it.
class RingReader {
 public:
  struct Packet {
    const Envelope* envelope = nullptr;
    const std::byte* payload = nullptr;
    explicit operator bool() const { return envelope != nullptr; }
  };

  RingReader() = default;
  RingReader(RingLines lines, RingControl& control)
      : lines_(lines), control_(&control), tells_after_(std::min(lines.size(), first_lap_lines) / 4) {}

  /// The oldest packet, if any. It stays in place until `pop`.
  Packet front() {
    // The payload's first lines come together with the envelope's, not after it. Fetched in vain they had better stay
    // with their writer.
    for (std::uint64_t line = 1; line <= lines_foreseen_; ++line) __builtin_prefetch(&at(read_ + line));
    const std::uint64_t word = short_at(at(read_), offset_).word.load(std::memory_order_seq_cst);
    if (word == 0) return {};
    if (word >= short_mark) return unfold(word);
    if (offset_ != 0) return leave_half();
    const Record& record = word > lines_.size() ? skip_to_front(word) : at(read_);
    last_ = {record.envelope.source, record.envelope.destination};
    return {&record.envelope, record.payload()};
  }
  /// Gives the room of the oldest record back. True: the writer waits for it and has to be woken.
  bool pop() {
    const std::uint64_t word = short_at(at(read_), offset_).word.load(std::memory_order_relaxed);
    const bool is_short = word >= short_mark;
    foresee(is_short, is_short ? 0 : word - 1);
    offset_ = word >= short_mark + half_mark ? half_line_bytes : 0;
    if (offset_ != 0) return false;
    read_ += is_short ? 1 : word;
    return read_ - told_ >= tells_after_ && tell();
  }

 private:
  /// With more the look itself takes long. Measured: docs/decisions/short-messages.md.
  static constexpr std::uint64_t most_lines_fetched = 4;

  /// A record of that kind has so many lines of payload. What comes behind it is taken to be as what came behind the
  /// last one of its kind.
  void foresee(bool is_short, std::uint64_t payload_lines) {
    lines_behind_[last_was_short_ ? 1 : 0] = std::min(payload_lines, most_lines_fetched);
    last_was_short_ = is_short;
    lines_foreseen_ = lines_behind_[is_short ? 1 : 0];
  }
  const Record& skip_to_front(std::uint64_t mark);
  Packet leave_half();
  Packet unfold(std::uint64_t word) {
    ShortRecord& record = short_at(at(read_), offset_);
    std::memcpy(reinterpret_cast<std::byte*>(&unfolded_) + ShortRecord::kind_at, record.kind.data(),
                record.kind.size());
    unfolded_.source = last_.source;
    unfolded_.destination = last_.destination;
    unfolded_.context = record.context;
    unfolded_.tag = record.tag;
    unfolded_.credit = record.credit;
    unfolded_.payload_bytes = static_cast<std::uint32_t>(word & (line_bytes - 1));
    unfolded_.message_bytes = unfolded_.payload_bytes;
    return {&unfolded_, record.payload()};
  }
  bool tell();
  Record& at(std::uint64_t position) { return lines_[position & (lines_.size() - 1)]; }

  RingLines lines_;
  RingControl* control_ = nullptr;
  std::uint64_t read_ = 0;  ///< lines, all laps together
  std::size_t offset_ = 0;  ///< in the line that is next: half_line_bytes when its first half has been taken
  std::uint64_t told_ = 0;  ///< what the writer has been told of it
  std::size_t tells_after_ = 0;
  Ends last_;  ///< of the last whole envelope
  bool last_was_short_ = false;
  std::array<std::uint64_t, 2> lines_behind_{1, 0};  ///< lines of payload of what came behind a long one, a short one
  std::uint64_t lines_foreseen_ = 1;
  Envelope unfolded_;  ///< of a short record: what all of them leave out stays as it is
};

}  // namespace nasvm::shm

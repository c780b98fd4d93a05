#pragma once
/// \file
/// The shared memory of a task: one ring for each task that may send to it, and what wakes it. It belongs to the
/// receiver; senders map the parts that they write to.
///
/// The memory has no name in any file system (memfd_create), so it vanishes with the last process that has it mapped,
/// however that ends. Others open it as /proc/<pid>/fd/<n>, which the kernel allows to processes of the same user.
/// The descriptor says which boot of which kernel pid and n belong to, and a random token that the memory must begin
/// with: so neither another computer nor another process namespace nor a foreign process is taken for the peer.
///
/// Layout: SegmentHeader, a RingControl for each sender, then from a page boundary on the rings. Pages are made
/// shortly before they are first written to: a ring that nobody uses takes address space but no memory.

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "vm/metrics/clock.hpp"
#include "vm/net/fd.hpp"
#include "vm/transport/shm/ring.hpp"

namespace nasvm::shm {

using Token = std::array<std::byte, 16>;

/// In the owner's byte order: tells a peer of the other one, and other layouts, which have other numbers.
inline constexpr std::uint64_t layout_mark = 0x6e617376'6d000007;

/// Where a task's board is: memory apart, to which the task copies what many are going to read. Others map it and
/// copy it themselves, for half of what reading another's memory costs the system.
struct BoardPlace {
  std::atomic<std::uint32_t> number{0};  ///< of boards so far: the last one is there
  std::int32_t fd = -1;
  std::uint64_t address = 0;  ///< in the owner
  std::uint64_t bytes = 0;
};

/// Begins with what is written once; then what is written in operation, each on a line of its own.
struct SegmentHeader {
  Token token{};
  std::uint64_t layout = layout_mark;
  std::uint64_t rings = 0;
  std::uint64_t ring_bytes = 0;
  std::uint64_t token_address = 0;  ///< of a copy of the token in the owner's own memory, to try reading there
  std::int32_t bell_fd = -1;
  alignas(line_bytes) std::atomic<std::uint32_t> asleep{0};  ///< whoever clears it rings the owner's doorbell
  std::atomic<Ticks> rung{0};                                ///< when; 0: not since the owner last asked
  std::atomic<std::int32_t> rung_from{-1};                   ///< the core that it was rung from
  alignas(line_bytes) std::atomic<std::uint32_t> users{0};   ///< senders that have come
  alignas(line_bytes) std::atomic<std::uint32_t> departed{0};
  std::atomic<std::uint32_t> moving{0};  ///< messages that are no longer where the owner has said they are
  alignas(line_bytes) std::atomic<std::uint32_t> waiting{0};  ///< the owner waits for a send of its own
  alignas(line_bytes) BoardPlace board;  ///< changes before the message that says that something is there
};

inline constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

/// A part of shared memory in this process's address space; at the border of a huge page, if it has as much as one.
class Mapping {
 public:
  Mapping() = default;
  /// Throws RunError.
  Mapping(int fd, std::size_t offset, std::size_t bytes);
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  ~Mapping();
  [[nodiscard]] std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Ring for each of `senders`, in bytes: 256 KiB while all of them together stay within 2 MiB, else less, at least 16
/// KiB. Bounds the memory of a task at 2 MiB or 16 KiB for each sender.
std::size_t default_ring_bytes(std::size_t senders);

/// How a task wants to get long messages: fetched out of the sender's memory, or through its ring.
enum class LongMessages { fetched, through_ring };

/// A task's own segment.
class Segment {
 public:
  /// Throws RunError when the system has no memory or descriptors for it.
  Segment(std::size_t senders, std::size_t ring_bytes, int bell_fd, LongMessages preference);
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  /// How others find it, as text.
  [[nodiscard]] std::string descriptor() const;
  [[nodiscard]] SegmentHeader& header() const;
  /// Where the packets of sender `index` come.
  [[nodiscard]] RingReader reader(std::size_t index) const;
  /// Has that sender ever come?
  [[nodiscard]] bool in_use(std::size_t index) const;
  /// Does that sender wait for room? From now on it does not: the caller wakes it.
  [[nodiscard]] bool take_waiting(std::size_t index) const;
  /// The board, of at least so many bytes. Nobody reads there when it is asked for. Empty: the system has no memory
  /// for it.
  [[nodiscard]] std::span<std::byte> board(std::size_t bytes);

 private:
  net::Fd memory_;
  Mapping mapping_;
  net::Fd board_memory_;
  Mapping board_;
  Token token_{};  ///< where token_address points
  LongMessages preference_;
};

/// Has the process that a descriptor names ended? False also where that cannot be seen from here.
[[nodiscard]] bool owner_has_left(std::string_view descriptor);

/// Another task's segment, as one of its senders sees it.
class PeerSegment {
 public:
  /// Opens what the descriptor names, as sender `index`. Throws RunError with the reason why that does not work.
  PeerSegment(std::string_view descriptor, std::size_t index);

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] SegmentHeader& header() const;
  /// May this process read its owner's memory? Taken for the other direction too: it is a matter of user and kernel.
  [[nodiscard]] bool can_pull() const { return can_pull_; }
  [[nodiscard]] LongMessages preference() const { return preference_; }
  /// Longest payload of a record in this sender's ring.
  [[nodiscard]] std::size_t max_payload() const { return RingWriter::max_payload(ring_bytes_); }
  /// The writing end, which streams payloads from that length on; tells the owner that there is one.
  [[nodiscard]] RingWriter writer(std::size_t stream_from = ~std::size_t{0});
  /// The owner's doorbell. None when the owner is gone: another process that has got its number is left alone. Throws
  /// RunError when it cannot be opened though it is there.
  [[nodiscard]] net::Fd open_bell() const;
  /// Memory that the owner has open as that descriptor. Throws RunError.
  [[nodiscard]] Mapping map(int fd, std::size_t bytes) const;
  /// Where these bytes of the owner's memory are in this process. Null: not on its board, or that cannot be mapped.
  [[nodiscard]] const std::byte* find_on_board(std::uint64_t address, std::size_t bytes);

 private:
  /// What the owner has open, while it is the owner still. None: errno says why, or it is gone.
  [[nodiscard]] net::Fd open_of_owner(int fd, int flags) const;
  void map_board();

  pid_t pid_ = 0;
  int memory_fd_ = -1;  ///< in the owner
  Token token_{};
  std::size_t index_ = 0;
  std::size_t ring_bytes_ = 0;
  bool can_pull_ = false;
  LongMessages preference_ = LongMessages::through_ring;
  Mapping front_;  ///< header and controls
  Mapping ring_;
  Mapping board_;
  std::uint32_t board_number_ = 0;  ///< of the one that has been mapped, or could not be
  std::uint64_t board_address_ = 0;
  std::size_t board_bytes_ = 0;  ///< 0: it could not be mapped
};

}  // namespace nasvm::shm

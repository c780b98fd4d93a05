#pragma once
/// \file
/// Memory for the blocks that one owner caches: frames of equal size, which tasks on the same computer may read
/// without asking. It has no name in any file system (memfd_create) and goes with the last process that has it
/// mapped.
///
/// Each frame has a version: even while it shows a whole block, odd while it does not. A reader looks at the version,
/// copies, and looks again; the same even one means that what it has copied is that block's. Data that a task writes
/// into a block that is shown does not change its version: who reads and who writes the same bytes at the same time
/// gets either.
///
/// One thread owns the memory; others read. Nothing here waits.

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "vm/net/fd.hpp"

namespace nasvm::files {

/// Names a block on all tasks.
struct BlockName {
  std::uint32_t file = 0;
  std::uint64_t block = 0;
  bool operator==(const BlockName&) const = default;
};

inline std::uint64_t hash_of(const BlockName& name) {
  std::uint64_t value = (name.block + 1) * 0x9e3779b97f4a7c15U ^ (std::uint64_t{name.file} << 40);
  value ^= value >> 32;
  value *= 0xd6e8feb86659fd93U;
  return value ^ value >> 32;
}

/// A whole block in somebody's cache, as long as `still_shown`.
struct FrameView {
  const std::byte* data = nullptr;
  const std::atomic<std::uint64_t>* version = nullptr;
  std::uint64_t seen = 0;
  /// Asked after copying.
  [[nodiscard]] bool still_shown() const {
    std::atomic_thread_fence(std::memory_order_acquire);
    return version->load(std::memory_order_relaxed) == seen;
  }
};

/// The mapping, and what both sides know of it.
class FrameMemory {
 public:
  struct Shape {
    std::uint32_t frames = 0;
    std::size_t block_bytes = 0;
    bool operator==(const Shape&) const = default;
  };

  FrameMemory(int fd, const Shape& shape);
  ~FrameMemory();
  FrameMemory(const FrameMemory&) = delete;
  FrameMemory& operator=(const FrameMemory&) = delete;

  static std::size_t bytes_for(const Shape& shape);

  [[nodiscard]] const Shape& shape() const { return shape_; }
  /// A number that nobody else has, at the beginning: a process number may be another process's by now.
  [[nodiscard]] std::atomic<std::uint64_t>& token() const;
  [[nodiscard]] std::byte* data(std::uint32_t frame) const {
    return frames_ + std::size_t{frame} * shape_.block_bytes;
  }

  /// In front of the data, a cache line for each frame.
  struct alignas(64) Header {
    std::atomic<std::uint64_t> version;
    std::atomic<std::uint64_t> block;
    std::atomic<std::uint32_t> file;
    std::atomic<std::uint32_t> used;  ///< by somebody since the owner has looked
  };
  [[nodiscard]] Header& header(std::uint32_t frame) const { return headers_[frame]; }
  /// Where to look for a block: the number of its frame, from 1. A hint, which the header confirms.
  [[nodiscard]] std::atomic<std::uint32_t>& hint(const BlockName& name) const {
    return hints_[hash_of(name) & (hint_count_ - 1)];
  }

 private:
  Shape shape_;
  std::size_t hint_count_;
  std::size_t bytes_;
  std::byte* base_;
  Header* headers_;
  std::atomic<std::uint32_t>* hints_;
  std::byte* frames_;
};

/// The owner's end.
class OwnFrames {
 public:
  /// RunError when there is no memory for them. What is not used takes none.
  explicit OwnFrames(const FrameMemory::Shape& shape);

  [[nodiscard]] std::uint32_t count() const { return memory_.shape().frames; }
  [[nodiscard]] std::span<std::byte> data(std::uint32_t frame) const {
    return {memory_.data(frame), memory_.shape().block_bytes};
  }
  /// It is going to be written to for the first time: all of its memory at once, which takes less than page by page.
  void touch(std::uint32_t frame) const;
  /// It holds that block from now on, whole, and others may read it.
  void show(std::uint32_t frame, const BlockName& name);
  /// It does not any more.
  void hide(std::uint32_t frame);
  /// Whether others have read it since the last call.
  bool take_used(std::uint32_t frame);
  /// By which others find it: "pid:fd:frames:block_bytes:token:boot".
  [[nodiscard]] std::string place() const;

 private:
  net::Fd fd_;
  FrameMemory memory_;
};

/// A reader's end.
class NeighbourFrames {
 public:
  /// Throws RunError, which says why, when that place is out of reach: on another computer, another user's, gone.
  explicit NeighbourFrames(const std::string& place);

  /// None: it is not there, or not whole.
  [[nodiscard]] std::optional<FrameView> find(const BlockName& name) const;

 private:
  FrameMemory memory_;
};

}  // namespace nasvm::files

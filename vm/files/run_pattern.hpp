#pragma once
/// \file
/// Which parts of a file a task is going to read next, where it reads pieces of one length at one distance from each
/// other (every fourth column of elements, say), each piece in one access or several: the runs. Batches of runs are
/// fetched where whole blocks would bring others' columns along, over a network that is slower than memory.
///
/// Pure arithmetic; files_runs.cpp fetches.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace nasvm::files {

/// Runs of equal length, `stride` bytes from one beginning to the next.
struct Runs {
  std::uint64_t first = 0;
  std::uint64_t length = 0;
  std::uint64_t stride = 0;
  std::uint32_t count = 0;
  bool operator==(const Runs&) const = default;

  [[nodiscard]] std::uint64_t bytes() const { return length * count; }
  /// Where these bytes are among those of all runs, one behind the other; -1: not, or not within one run.
  [[nodiscard]] std::int64_t place_of(std::uint64_t position, std::size_t bytes) const {
    if (count == 0 || position < first) return -1;
    const std::uint64_t run = (position - first) / stride;
    const std::uint64_t within = (position - first) % stride;
    if (run >= count || within + bytes > length) return -1;
    return static_cast<std::int64_t>(run * length + within);
  }
};

/// What a task's accesses to one file look like.
class RunPattern {
 public:
  void access(std::uint64_t position, std::size_t bytes) {
    goes_on_ = position == end_;
    if (!goes_on_) jump(position);
    end_ = position + bytes;
  }
  /// The last access began where the one before it had ended.
  [[nodiscard]] bool goes_on() const { return goes_on_; }
  /// The last runs were alike, with so much between them that whole blocks are twice as much at least.
  [[nodiscard]] bool holds() const { return alike_ >= 2 && length_ > 0 && 2 * length_ <= stride_; }
  /// The run that has begun, and those that should follow, of so many bytes at most within the file; none: count 0.
  [[nodiscard]] Runs next(std::uint64_t file_bytes, std::uint64_t most_bytes) const {
    return from(begin_, file_bytes, most_bytes);
  }
  [[nodiscard]] Runs from(std::uint64_t first, std::uint64_t file_bytes, std::uint64_t most_bytes) const {
    if (!holds() || first + length_ > file_bytes) return {};
    const std::uint64_t until_end = (file_bytes - first - length_) / stride_ + 1;
    const std::uint64_t count = std::min(until_end, most_bytes / length_);
    return {first, length_, stride_, static_cast<std::uint32_t>(count)};
  }

 private:
  void jump(std::uint64_t position) {
    const std::uint64_t length = end_ - begin_;
    const std::uint64_t stride = position > begin_ ? position - begin_ : 0;
    alike_ = stride != 0 && length == length_ && stride == stride_ ? alike_ + 1 : 0;
    length_ = length;
    stride_ = stride;
    begin_ = position;
  }

  std::uint64_t begin_ = 0;  ///< of the run that has begun
  std::uint64_t end_ = 0;    ///< of the last access
  std::uint64_t length_ = 0;
  std::uint64_t stride_ = 0;
  int alike_ = 0;
  bool goes_on_ = false;
};

/// Runs and their bytes, which may still be on their way.
struct RunBatch {
  Runs runs{};
  std::vector<std::byte> data;
  std::vector<std::uint64_t> questions;  ///< by which they were asked for: one to each owner
};

}  // namespace nasvm::files

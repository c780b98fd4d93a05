#pragma once
/// \file
/// One task's end of an open shared file, and the short way of small accesses: what follows on the last access,
/// within the same block, is a copy into or out of that block and nothing else.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vm/files/access_pattern.hpp"
#include "vm/files/disk.hpp"
#include "vm/files/frames.hpp"
#include "vm/files/layout.hpp"
#include "vm/files/run_pattern.hpp"
#include "vm/files/straight_reads.hpp"
#include "vm/files/write_batch.hpp"

namespace nasvm::files {

/// Where writes go that follow on the last one.
struct WriteCursor {
  std::byte* at = nullptr;
  std::size_t room = 0;
  std::uint64_t position = 0;  ///< in the file, of `at`
  std::uint64_t begin = 0;     ///< what was written from there to `position` has not been told to cache or batch yet
  std::uint64_t block = 0;
  int owner = 0;
  bool open = false;
};

/// A part of the file that this task can copy from.
struct ReadWindow {
  const std::byte* data = nullptr;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;  ///< `begin`: closed
  /// Of somebody else's cache: still good after the copy? Null for this task's own memory.
  std::optional<FrameView> others{};
};

struct OpenFile {
  std::uint32_t number = 0;  ///< the same on all tasks, used once
  std::string path;
  Access access = Access::read;
  Layout layout{1, {0}};
  std::unique_ptr<DiskFile> disk;  ///< null where it cannot be opened
  int keeper = 0;                  ///< the task that holds the lock
  std::uint64_t position = 0;
  std::uint64_t size = 0;       ///< as far as this task knows
  std::uint64_t owned_end = 0;  ///< behind the last byte that was written to this task's blocks
  bool reserved = false;        ///< do_lsize has taken space
  bool is_here = false;         ///< all owners are on this host, and this task has it open, too
  bool is_saved = true;  ///< the system has what anybody had written by the last collective call, and this task

  WriteCursor write;
  ReadWindow read;
  int look_in = 1;  ///< small accesses until the next look for messages

  /// One for each task; those of owners are used.
  std::vector<WriteBatch> batches;
  struct Sent {
    std::uint64_t writes = 0;   ///< batches to this owner
    std::uint64_t settled = 0;  ///< of these, known to be in its cache
  };
  std::vector<Sent> sent;
  std::optional<FileError> trouble;       ///< of a write that was cut short: until all have heard of it
  std::optional<FileError> lost;          ///< of what was accepted and has not got to its owner's cache: for good
  std::optional<FileError> sync_trouble;  ///< the system tells once that it has lost what it had taken: for good
  AccessPattern pattern;
  StraightReads straight;
  RunPattern run;
  bool is_apart = false;  ///< all of it is on other computers, and nobody writes to it: runs are worth fetching
  RunBatch batches_of_runs[2];
  std::vector<int>
      fetchers;  ///< tasks of this host, which fetch blocks of other hosts for each other; none: nobody does
  std::uint64_t recent[64] = {};  ///< blocks (from 1) of which parts were fetched

  /// Small accesses between two looks: a look costs about as much as so many of them.
  static constexpr int look_every = 64;

  [[nodiscard]] BlockName name_of(std::uint64_t block) const { return {number, block}; }
  [[nodiscard]] bool is_settled(int owner) const {
    const auto index = static_cast<std::size_t>(owner);
    return sent[index].writes == sent[index].settled && batches[index].empty();
  }

  /// The short way. False: not possible; nothing has changed but `look_in`.
  bool write_on(const void* data, std::size_t bytes) {
    if (position != write.position || bytes > write.room || --look_in <= 0) return false;
    std::memcpy(write.at, data, bytes);
    write.at += bytes;
    write.room -= bytes;
    write.position = position += bytes;
    return true;
  }
  bool read_on(void* into, std::size_t bytes) {
    if (position < read.begin || position > read.end || bytes > read.end - position || --look_in <= 0) return false;
    std::memcpy(into, read.data + (position - read.begin), bytes);
    if (read.others.has_value() && !read.others->still_shown()) return false;
    run.access(position, bytes);
    position += bytes;
    return true;
  }
};

}  // namespace nasvm::files

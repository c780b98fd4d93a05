#pragma once
/// \file
/// Disk cache of one owner: the blocks of open files that it is responsible for and that were used last. A block that
/// has to go and was written to is brought to disk first, together with its neighbours in the cache, in one write.
/// Memory is bounded by the number of frames. A block is only read from disk when bytes of it are needed that were
/// not written here; behind what the disk file holds there is nothing to read.
///
/// One thread. Calls block for the disk, and never for other tasks. FileError: the disk's. A block that cannot be
/// written stays in the cache, to be tried again; another one has to go instead.
///
/// Source: D'Azevedo and Romine, EDONIO: Extended Distributed Object Network I/O Library, section 4.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "vm/files/disk.hpp"
#include "vm/files/frames.hpp"

namespace nasvm::files {

/// Which block goes when there is no room: the one that was used least recently, or the one that came first.
enum class Eviction : std::uint8_t { least_recent, first_in };

class DiskCache {
 public:
  struct Counters {
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    std::uint64_t reads = 0;  ///< calls to the disk
    std::uint64_t bytes_read = 0;
    std::uint64_t writes = 0;
    std::uint64_t bytes_written = 0;
  };

  explicit DiskCache(const FrameMemory::Shape& shape, Eviction eviction = Eviction::least_recent);

  /// Blocks of this file may come from now on. `disk` outlives them. `bytes`: what it holds; less than that later on
  /// is an error of who reads there.
  void add(std::uint32_t file, DiskFile& disk, std::uint64_t bytes);
  /// Forgets the file's blocks, also those that were not brought to disk.
  void remove(std::uint32_t file);

  /// Where to write a block's bytes from `begin` on, one behind the other, `least` bytes or more. To the end of the
  /// block, valid until the next call of any member but `wrote`, which says how many bytes were written.
  std::span<std::byte> room(const BlockName& name, std::size_t begin, std::size_t least);
  void wrote(const BlockName& name, std::size_t begin, std::size_t bytes);
  /// A whole block. Valid until the next call.
  std::span<const std::byte> block(const BlockName& name);

  /// Blocks that could be loaded without one that has to go.
  [[nodiscard]] std::size_t empty() const { return frames_->count() - frame_of_.size(); }
  /// The next block comes into memory that was used before: it takes a tenth of the time that new memory takes.
  [[nodiscard]] bool has_used_room() const { return free_.empty() || states_[free_.back()].used_before; }
  [[nodiscard]] bool holds(const BlockName& name) const { return frame_of_.contains(name); }
  /// Loads these blocks, while there are empty frames.
  void preload(std::uint32_t file, std::span<const std::uint64_t> blocks);

  /// Brings everything of a file that was written here to disk, in order. All of it is tried; throws the first error.
  void write_back(std::uint32_t file);
  /// Another number of frames: what was used last stays. RunError, bad_alloc: no memory, and nothing has changed.
  void resize(std::uint32_t frames);

  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] const OwnFrames& frames() const { return *frames_; }
  [[nodiscard]] std::size_t block_bytes() const { return block_bytes_; }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;
  /// Longest write, in blocks.
  static constexpr std::size_t longest_run = 32;

  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
    [[nodiscard]] bool empty() const { return begin == end; }
    void include(std::size_t from, std::size_t to);
  };
  struct Frame {
    BlockName name;
    Range valid;  ///< holds the block's bytes
    Range dirty;  ///< of those: not on disk yet
    bool shown = false;
    bool used_before = false;  ///< since the memory was made, all of it zero
    std::uint32_t newer = none;
    std::uint32_t older = none;
  };
  struct File {
    DiskFile* disk = nullptr;
    std::uint64_t disk_bytes = 0;   ///< behind these, this owner's blocks are zero on disk
    std::uint64_t first_bytes = 0;  ///< it had when it came, and has
    /// Of so many from `position` on.
    [[nodiscard]] std::size_t there(std::uint64_t position, std::size_t bytes) const {
      return static_cast<std::size_t>(std::min<std::uint64_t>(first_bytes - std::min(first_bytes, position), bytes));
    }
  };

  std::uint32_t find_or_take(const BlockName& name);
  std::uint32_t take_frame();
  std::uint32_t make_room();
  void spare_used();
  void load_rest(std::uint32_t index);
  void load(Frame& frame, std::uint32_t index, std::size_t begin, std::size_t end);
  void show_if_whole(std::uint32_t index);
  void forget(std::uint32_t index);
  void touch(std::uint32_t index);
  void link_newest(std::uint32_t index);
  void unlink(std::uint32_t index);
  /// Whether the second one's dirty bytes follow the first one's.
  [[nodiscard]] bool follows(const Frame& first, const Frame& second) const;
  [[nodiscard]] std::uint32_t dirty_neighbour(const Frame& frame, bool behind) const;
  void write_with_neighbours(std::uint32_t index);
  void write_run(std::span<const std::uint32_t> run);
  DiskFile::Writing writing_of(std::span<const std::uint32_t> run);
  void written(std::span<const std::uint32_t> run);
  void take_loaded(std::span<const std::uint32_t> frames, std::span<const DiskFile::Reading> readings);
  Frame& at(std::uint32_t index) { return states_[index]; }

  struct Hash {
    std::size_t operator()(const BlockName& name) const { return static_cast<std::size_t>(hash_of(name)); }
  };

  std::size_t block_bytes_;
  Eviction eviction_;
  std::unique_ptr<OwnFrames> frames_;
  std::vector<Frame> states_;
  std::unordered_map<BlockName, std::uint32_t, Hash> frame_of_;
  std::map<std::uint32_t, File> files_;
  std::vector<std::uint32_t> free_;
  std::uint32_t newest_ = none;
  std::uint32_t oldest_ = none;
  Counters counters_;
};

}  // namespace nasvm::files

#include "vm/files/disk_cache.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

namespace nasvm::files {

void DiskCache::Range::include(std::size_t from, std::size_t to) {
  if (empty()) {
    begin = from;
    end = to;
    return;
  }
  begin = std::min(begin, from);
  end = std::max(end, to);
}

DiskCache::DiskCache(const FrameMemory::Shape& shape, Eviction eviction)
    : block_bytes_(shape.block_bytes),
      eviction_(eviction),
      frames_(std::make_unique<OwnFrames>(shape)),
      states_(shape.frames) {
  for (std::uint32_t frame = shape.frames; frame > 0; --frame) free_.push_back(frame - 1);
  frame_of_.reserve(shape.frames);
}

void DiskCache::add(std::uint32_t file, DiskFile& disk, std::uint64_t bytes) { files_[file] = {&disk, bytes, bytes}; }

void DiskCache::remove(std::uint32_t file) {
  for (std::uint32_t index = 0; index < states_.size(); ++index) {
    const auto found = frame_of_.find(at(index).name);
    if (at(index).name.file == file && found != frame_of_.end() && found->second == index) forget(index);
  }
  files_.erase(file);
}

// --- what callers write and read
// ------------------------------------------------------------------------------------

std::span<std::byte> DiskCache::room(const BlockName& name, std::size_t begin, std::size_t least) {
  const std::uint32_t index = find_or_take(name);
  const Range& valid = at(index).valid;
  // What is valid is one range: a new part that does not touch it needs what lies between.
  if (!valid.empty() && (begin > valid.end || begin + least < valid.begin)) load_rest(index);
  return frames_->data(index).subspan(begin);
}

void DiskCache::wrote(const BlockName& name, std::size_t begin, std::size_t bytes) {
  if (bytes == 0) return;
  const std::uint32_t index = frame_of_.at(name);
  at(index).valid.include(begin, begin + bytes);
  at(index).dirty.include(begin, begin + bytes);
  show_if_whole(index);
}

std::span<const std::byte> DiskCache::block(const BlockName& name) {
  const std::uint32_t index = find_or_take(name);
  load_rest(index);
  return frames_->data(index);
}

void DiskCache::preload(std::uint32_t file, std::span<const std::uint64_t> blocks) {
  // All of it is asked for at once, and then waited for.
  File& from = files_.at(file);
  for (const std::uint64_t block : blocks.first(std::min(blocks.size(), empty()))) {
    from.disk->expect(block * block_bytes_, block_bytes_);
  }
  std::vector<DiskFile::Reading> readings;
  std::vector<std::uint32_t> frames;
  for (const std::uint64_t block : blocks) {
    if (empty() == 0) break;
    const BlockName name{file, block};
    if (holds(name)) continue;
    const std::uint32_t index = find_or_take(name);
    const std::uint64_t position = name.block * block_bytes_;
    if (position >= from.disk_bytes) {
      load_rest(index);
      continue;
    }
    at(index).used_before = true;
    frames.push_back(index);
    readings.push_back({position, frames_->data(index), from.there(position, block_bytes_)});
  }
  from.disk->read_all(readings);
  take_loaded(frames, readings);
}

/// Throws the first error, once all others have been taken.
void DiskCache::take_loaded(std::span<const std::uint32_t> frames, std::span<const DiskFile::Reading> readings) {
  std::optional<FileError> trouble;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (readings[i].error.has_value()) {
      if (!trouble.has_value()) trouble = readings[i].error;
      forget(frames[i]);
      continue;
    }
    ++counters_.reads;
    counters_.bytes_read += block_bytes_;
    at(frames[i]).valid = {0, block_bytes_};
    show_if_whole(frames[i]);
  }
  if (trouble.has_value()) throw *trouble;
}

std::uint32_t DiskCache::find_or_take(const BlockName& name) {
  if (const auto found = frame_of_.find(name); found != frame_of_.end()) {
    ++counters_.hits;
    touch(found->second);
    return found->second;
  }
  ++counters_.misses;
  const std::uint32_t index = take_frame();
  Frame& frame = at(index);
  frame.name = name;
  frame.valid = frame.dirty = {};
  frame_of_.emplace(name, index);
  link_newest(index);
  return index;
}

void DiskCache::load_rest(std::uint32_t index) {
  Frame& frame = at(index);
  const Range valid = frame.valid;
  if (valid.begin == 0 && valid.end == block_bytes_) return;
  try {
    load(frame, index, 0, valid.empty() ? block_bytes_ : valid.begin);
    if (!valid.empty()) load(frame, index, valid.end, block_bytes_);
  } catch (...) {
    if (frame.dirty.empty()) forget(index);
    throw;
  }
  frame.valid = {0, block_bytes_};
  show_if_whole(index);
}

void DiskCache::load(Frame& frame, std::uint32_t index, std::size_t begin, std::size_t end) {
  if (begin == end) return;
  const auto into = frames_->data(index).subspan(begin, end - begin);
  const File& file = files_.at(frame.name.file);
  const std::uint64_t position = frame.name.block * block_bytes_ + begin;
  if (position >= file.disk_bytes) {
    if (frame.used_before) std::memset(into.data(), 0, into.size());
    return;
  }
  frame.used_before = true;
  file.disk->read(position, into, file.there(position, into.size()));
  ++counters_.reads;
  counters_.bytes_read += into.size();
}

void DiskCache::show_if_whole(std::uint32_t index) {
  Frame& frame = at(index);
  if (frame.shown || frame.valid.begin != 0 || frame.valid.end != block_bytes_) return;
  frames_->show(index, frame.name);
  frame.shown = true;
}

// --- which frames hold what
// -----------------------------------------------------------------------------------------

std::uint32_t DiskCache::take_frame() {
  if (free_.empty()) forget(make_room());
  const std::uint32_t index = free_.back();
  free_.pop_back();
  if (!at(index).used_before) frames_->touch(index);
  return index;
}

/// The frame whose block goes, with nothing in it that is not on disk.
std::uint32_t DiskCache::make_room() {
  if (eviction_ == Eviction::least_recent) spare_used();
  std::optional<FileError> trouble;
  for (std::uint32_t index = oldest_; index != none; index = at(index).newer) {
    if (at(index).dirty.empty()) return index;
    try {
      write_with_neighbours(index);
      return index;
    } catch (const FileError& error) {
      if (!trouble.has_value()) trouble = error;
    }
  }
  throw *trouble;
}

/// Others that have read the oldest blocks straight from here count as much as this task: a second chance for these.
void DiskCache::spare_used() {
  for (std::size_t looks = 0; looks < states_.size() && frames_->take_used(oldest_); ++looks) touch(oldest_);
}

void DiskCache::forget(std::uint32_t index) {
  Frame& frame = at(index);
  if (frame.shown) frames_->hide(index);
  frame_of_.erase(frame.name);
  unlink(index);
  const bool untouched = !frame.used_before && frame.valid.empty();
  frame = {};
  frame.used_before = !untouched;
  free_.push_back(index);
}

void DiskCache::touch(std::uint32_t index) {
  if (eviction_ == Eviction::first_in || newest_ == index) return;
  unlink(index);
  link_newest(index);
}

void DiskCache::link_newest(std::uint32_t index) {
  at(index).newer = none;
  at(index).older = newest_;
  if (newest_ != none) at(newest_).newer = index;
  newest_ = index;
  if (oldest_ == none) oldest_ = index;
}

void DiskCache::unlink(std::uint32_t index) {
  const Frame& frame = at(index);
  (frame.newer == none ? newest_ : at(frame.newer).older) = frame.older;
  (frame.older == none ? oldest_ : at(frame.older).newer) = frame.newer;
}

void DiskCache::resize(std::uint32_t frames) {
  std::vector<std::uint32_t> staying;  // newest first
  std::vector<std::uint32_t> going;
  for (std::uint32_t index = newest_; index != none; index = at(index).older) {
    (staying.size() < frames ? staying : going).push_back(index);
  }
  for (const std::uint32_t index : going) {
    if (!at(index).dirty.empty()) write_with_neighbours(index);
  }
  DiskCache other({frames, block_bytes_}, eviction_);
  for (auto index = staying.rbegin(); index != staying.rend(); ++index) {
    const Frame& from = at(*index);
    const std::uint32_t to = other.find_or_take(from.name);
    const auto bytes = frames_->data(*index).subspan(from.valid.begin, from.valid.end - from.valid.begin);
    std::copy(bytes.begin(), bytes.end(),
              other.frames_->data(to).begin() + static_cast<std::ptrdiff_t>(from.valid.begin));
    other.at(to).valid = from.valid;
    other.at(to).dirty = from.dirty;
    other.show_if_whole(to);
  }
  // Neighbours would go on copying from memory that nobody writes to any more.
  for (std::uint32_t index = newest_; index != none; index = at(index).older) {
    if (at(index).shown) frames_->hide(index);
  }
  frames_ = std::move(other.frames_);
  states_ = std::move(other.states_);
  frame_of_ = std::move(other.frame_of_);
  free_ = std::move(other.free_);
  newest_ = other.newest_;
  oldest_ = other.oldest_;
}

// --- to disk
// --------------------------------------------------------------------------------------------------------

bool DiskCache::follows(const Frame& first, const Frame& second) const {
  return first.name.file == second.name.file && first.name.block + 1 == second.name.block && !first.dirty.empty() &&
         !second.dirty.empty() && first.dirty.end == block_bytes_ && second.dirty.begin == 0;
}

std::uint32_t DiskCache::dirty_neighbour(const Frame& frame, bool behind) const {
  if (!behind && frame.name.block == 0) return none;
  const auto found = frame_of_.find({frame.name.file, behind ? frame.name.block + 1 : frame.name.block - 1});
  if (found == frame_of_.end()) return none;
  const Frame& other = states_[found->second];
  return (behind ? follows(frame, other) : follows(other, frame)) ? found->second : none;
}

void DiskCache::write_with_neighbours(std::uint32_t index) {
  std::vector<std::uint32_t> run{index};
  for (std::uint32_t next = index; run.size() < longest_run; run.push_back(next)) {
    if ((next = dirty_neighbour(at(next), true)) == none) break;
  }
  for (std::uint32_t next = index; run.size() < longest_run; run.insert(run.begin(), next)) {
    if ((next = dirty_neighbour(at(next), false)) == none) break;
  }
  write_run(run);
}

void DiskCache::write_run(std::span<const std::uint32_t> run) {
  const DiskFile::Writing writing = writing_of(run);
  files_.at(at(run.front()).name.file).disk->write(writing.position, writing.parts);
  written(run);
}

DiskFile::Writing DiskCache::writing_of(std::span<const std::uint32_t> run) {
  const Frame& first = at(run.front());
  DiskFile::Writing writing{first.name.block * block_bytes_ + first.dirty.begin, {}};
  std::uint64_t end = writing.position;
  for (const std::uint32_t index : run) {
    const Range& dirty = at(index).dirty;
    writing.parts.push_back(frames_->data(index).subspan(dirty.begin, dirty.end - dirty.begin));
    end += writing.parts.back().size();
  }
  // Also a write that fails may have got some of it there.
  File& file = files_.at(first.name.file);
  file.disk_bytes = std::max(file.disk_bytes, end);
  return writing;
}

/// It is on disk.
void DiskCache::written(std::span<const std::uint32_t> run) {
  ++counters_.writes;
  for (const std::uint32_t index : run) {
    Range& dirty = at(index).dirty;
    counters_.bytes_written += dirty.end - dirty.begin;
    dirty = {};
  }
}

void DiskCache::write_back(std::uint32_t file) {
  std::vector<std::uint32_t> dirty;
  for (const auto& [name, index] : frame_of_) {
    if (name.file == file && !at(index).dirty.empty()) dirty.push_back(index);
  }
  std::sort(dirty.begin(), dirty.end(),
            [this](std::uint32_t a, std::uint32_t b) { return at(a).name.block < at(b).name.block; });
  std::vector<std::span<const std::uint32_t>> runs;
  std::vector<DiskFile::Writing> writings;
  for (std::size_t begin = 0; begin < dirty.size();) {
    std::size_t end = begin + 1;
    while (end < dirty.size() && end - begin < longest_run && follows(at(dirty[end - 1]), at(dirty[end]))) ++end;
    runs.push_back(std::span(dirty).subspan(begin, end - begin));
    writings.push_back(writing_of(runs.back()));
    begin = end;
  }
  if (writings.empty()) return;
  files_.at(file).disk->write_all(writings);
  std::optional<FileError> trouble;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!writings[i].error.has_value()) written(runs[i]);
    else if (!trouble.has_value()) trouble = writings[i].error;
  }
  if (trouble.has_value()) throw *trouble;
}

}  // namespace nasvm::files

#include "vm/files/files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <utility>

namespace nasvm::files {
namespace {

std::uint32_t blocks_in(std::size_t bytes, std::size_t block_bytes) {
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::clamp<std::size_t>(bytes / block_bytes, 1, most));
}

/// The others hear why there is none, and this task has to come to that.
DiskCache cache_of(const Options& options, std::optional<FileError>& trouble) {
  try {
    if (!trouble.has_value()) {
      return DiskCache({blocks_in(options.disk_bytes, options.block_bytes), options.block_bytes}, options.eviction);
    }
  } catch (const FileError& error) {
    trouble = error;
  } catch (const std::bad_alloc&) {
    trouble.emplace(ENOMEM, fmt::format("no memory for the table of {} bytes of a file cache", options.disk_bytes));
  }
  return DiskCache({1, options.block_bytes}, options.eviction);
}

std::uint64_t memory_bytes() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::uint64_t count_parts() {
  static std::atomic<std::uint64_t> parts = 0;
  return ++parts;
}

}  // namespace

void check_cache_sizes(std::size_t data_bytes, std::size_t disk_bytes, std::size_t block_bytes) {
  const auto refuse_small = [block_bytes](const char* cache, std::size_t bytes, const char* otherwise) {
    throw FileError(EINVAL, fmt::format("a {} cache of {} bytes does not hold a block of {}{}", cache, bytes,
                                        block_bytes, otherwise));
  };
  if (disk_bytes < block_bytes) refuse_small("disk", disk_bytes, "");
  if (data_bytes != 0 && data_bytes < block_bytes) refuse_small("data", data_bytes, " (0: none)");
  for (const std::size_t bytes : {data_bytes, disk_bytes}) {
    if (bytes <= memory_bytes()) continue;
    throw FileError(
        ENOMEM, fmt::format("{} bytes of a file cache: this computer has {} bytes of memory", bytes, memory_bytes()));
  }
}

Files::Files(Line& line, Disk& disk, Options options, std::optional<FileError> trouble)
    : line_(line),
      disk_(disk),
      options_(std::move(options)),
      cache_(cache_of(options_, trouble)),
      copies_(options_.data_bytes / options_.block_bytes, options_.block_bytes),
      neighbours_(static_cast<std::size_t>(line.size())),
      silent_(static_cast<std::size_t>(line.size())),
      gathering_(line.size()),
      own_part_(count_parts()),
      left_(static_cast<std::size_t>(line.size())) {
  try {
    const Inside inside(*this);
    line_.listen([this](int from, std::span<const std::byte> message) { hear(from, message); });
    exchange_places("do_nio", trouble);
  } catch (...) {
    line_.listen({});  // the line and its thread outlive this
    throw;
  }
}

Files::~Files() {
  leave();
  line_.listen({});
}

OpenFile& Files::at(int fd) {
  const auto index = static_cast<std::size_t>(fd);
  if (fd < 0 || index >= files_.size() || files_[index] == nullptr) {
    throw FileError(EBADF, fmt::format("no file is open as {}", fd));
  }
  return *files_[index];
}

OpenFile* Files::find(std::uint32_t number) {
  for (const auto& file : files_) {
    if (file != nullptr && file->number == number) return file.get();
  }
  return nullptr;
}

void Files::look() {
  const Inside inside(*this);
  ++own_calls_;
  close_cursors();
  line_.progress();
}

/// What every access does that does not follow on the last one.
void Files::begin_access(OpenFile& file, std::size_t bytes) {
  ++own_calls_;
  close_cursors();
  constexpr std::size_t bytes_of_one = 4096;
  file.look_in -= 4 + static_cast<int>(std::min<std::size_t>(bytes / bytes_of_one, OpenFile::look_every));
  if (file.look_in > 0) return;
  file.look_in = OpenFile::look_every;
  line_.progress();
}

std::uint64_t Files::seek(int fd, std::int64_t offset, Whence whence) {
  const Inside inside(*this);
  OpenFile& file = at(fd);
  if (whence == Whence::end) close_cursors();  // what was written counts
  const std::uint64_t base = whence == Whence::set ? 0 : whence == Whence::current ? file.position : file.size;
  std::int64_t position = 0;
  if (__builtin_add_overflow(static_cast<std::int64_t>(base), offset, &position) || position < 0) {
    throw FileError(EINVAL, fmt::format("{}: {} bytes from {} on is no position", file.path, offset, base));
  }
  // Accesses that go on where a cursor stands need not know of this.
  return file.position = static_cast<std::uint64_t>(position);
}

// --- collective calls
// -----------------------------------------------------------------------------------------------

void Files::exchange_places(const std::string& call, const std::optional<FileError>& trouble) {
  const auto met = meet(call, {static_cast<std::int64_t>(options_.block_bytes), static_cast<std::int64_t>(own_part_)},
                        options_.share_memory ? cache_.frames().place() : "", trouble);
  if (met.least[0] != met.most[0]) throw FileError(EINVAL, call + ": tasks have blocks of different lengths");
  const auto& places = met.texts;
  for (std::size_t task = 0; task < places.size(); ++task) {
    neighbours_[task].reset();
    if (places[task].empty() || !options_.share_memory || is_self(static_cast<int>(task))) continue;
    try {
      neighbours_[task] = std::make_unique<NeighbourFrames>(places[task]);
    } catch (const RunError&) {
      // Out of reach: it will be asked.
    }
  }
}

void Files::set_cache_sizes(std::size_t data_bytes, std::size_t disk_bytes) {
  const Inside inside(*this);
  const std::string call = "do_csize";
  gather_all(call);
  std::optional<FileError> trouble;
  try_to(trouble, [&] { check_cache_sizes(data_bytes, disk_bytes, options_.block_bytes); });
  wait_for_all();
  (void)meet(call, {}, "", trouble);
  wait_for_all();  // what neighbours have asked for since, and got elsewhere
  copies_.set_limit(data_bytes / options_.block_bytes);
  try_to(trouble, [&] {
    try {
      cache_.resize(blocks_in(disk_bytes, options_.block_bytes));
    } catch (const FileError&) {
      throw;
    } catch (const std::exception& error) {  // no memory: which the others hear, who have come to this call, too
      throw FileError(ENOMEM, call + ": " + error.what());
    }
  });
  exchange_places(call);
  (void)meet(call, {}, "", trouble);
}

void Files::synchronize() {
  const Inside inside(*this);
  gather_all("do_gsync");
}

/// Collective. All that was written so far is in caches, and no copy is older than that. Throws what got lost of any
/// file: nobody reads that; of the rest it is so all the same.
void Files::gather_all(const std::string& call) {
  std::optional<FileError> trouble;
  std::vector<OpenFile*> written;
  std::vector<std::int64_t> saved;
  for (const auto& file : files_) {
    if (file == nullptr || file->access == Access::read) continue;
    try_to(file->lost, [&] { settle_writes(*file); });
    if (!trouble.has_value()) trouble = file->lost;
    written.push_back(file.get());
    saved.push_back(std::exchange(file->is_saved, false) ? 1 : 0);
  }
  try {
    const Outcome met = meet(call, saved, "", trouble);
    for (std::size_t i = 0; i < written.size(); ++i) written[i]->is_saved = met.least[i] != 0;
  } catch (const FileError&) {
    if (have_all_met()) forget_copies();
    throw;
  }
  forget_copies();
}

/// Others may have written since: what was copied from files that are written to is out of date.
void Files::forget_copies() {
  for (const auto& file : files_) {
    if (file == nullptr || file->access == Access::read) continue;
    wait_for_all(file->number);
    copies_.drop_file(file->number);
  }
}

std::uint64_t Files::reserve(int fd, std::uint64_t bytes) {
  const Inside inside(*this);
  OpenFile& file = at(fd);
  const std::string call = "do_lsize " + file.path;
  gather_all(call);
  std::optional<FileError> trouble;
  if (file.access == Access::read) trouble.emplace(EBADF, file.path + ": is open for reading only");
  if (bytes > longest_file) trouble.emplace(EFBIG, file.path + ": no file is as long as that");
  const Outcome met = meet(call, {static_cast<std::int64_t>(bytes)}, "", trouble);
  file.reserved = true;
  if (met.least != met.most) trouble.emplace(EINVAL, call + ": tasks say different sizes");
  else if (is_self(file.keeper)) try_to(trouble, [&] { file.disk->reserve(bytes); });
  (void)meet(call, {}, "", trouble);
  return bytes;
}

void Files::preload(int fd) {
  const Inside inside(*this);
  OpenFile& file = at(fd);
  const std::string call = "do_preload " + file.path;
  gather_all(call);
  const auto from = static_cast<std::uint64_t>(meet(call, {static_cast<std::int64_t>(file.position)}).least[0]);
  std::optional<FileError> trouble;
  const std::uint64_t blocks =
      file.layout.owns(line_.rank()) && from < file.size ? file.layout.block_of(file.size - 1) + 1 : 0;
  std::vector<std::uint64_t> own;
  for (std::uint64_t block = file.layout.block_of(from); block < blocks && own.size() < cache_.empty(); ++block) {
    if (is_self(file.layout.owner_of(block)) && !cache_.holds(file.name_of(block))) own.push_back(block);
  }
  if (!own.empty()) try_to(trouble, [&] { cache_.preload(file.number, own); });
  (void)meet(call, {}, "", trouble);
}

void Files::flush(int fd) {
  const Inside inside(*this);
  OpenFile& file = at(fd);
  const std::string call = "do_flush " + file.path;
  gather_writes(file, call);
  write_out(file, call, Then::go_on);
}

/// Those that are to bring a computer's part to disk: one for each.
bool Files::synchronizes(const OpenFile& file) const {
  if (!options_.durable || !file.layout.owns(line_.rank())) return false;
  if (options_.hosts.empty()) return true;
  for (const int owner : file.layout.owners()) {
    if (owner < line_.rank() && host_of(owner) == host_of(line_.rank())) return false;
  }
  return true;
}

/// Collective. All that was written is in caches, and the file's size known. What has not got there is in
/// `file.lost`; an exception says that a task was missing, and that nothing has been done.
void Files::gather_writes(OpenFile& file, const std::string& call) {
  if (file.access != Access::read) try_to(file.lost, [&] { settle_writes(file); });
  file.is_saved = file.access == Access::read;
  file.size = static_cast<std::uint64_t>(meet(call, {static_cast<std::int64_t>(file.size)}).most[0]);
}

/// Has the system given up what it had taken? It says so once.
static bool loses_data(const FileError& error) {
  return error.code() == EIO || error.code() == ENOSPC || error.code() == EDQUOT;
}

/// Collective. Errors wait until all has been tried: the rest is written.
void Files::write_out(OpenFile& file, const std::string& call, Then then) {
  if (file.access == Access::read) return;
  std::optional<FileError> trouble = file.lost.has_value() ? file.lost : file.trouble;
  if (file.layout.owns(line_.rank())) try_to(trouble, [&] { cache_.write_back(file.number); });
  if (options_.durable) (void)meet(call);  // what others have written on this computer goes to disk, too
  // Before the last meeting: whoever has closed the file may write to it by other means.
  if (then == Then::close && !trouble.has_value() && file.reserved && is_self(file.keeper)) {
    try_to(trouble, [&] { file.disk->resize(file.size); });
  }
  if (synchronizes(file)) {
    std::optional<FileError> error;
    try_to(error, [&] { file.disk->sync(); });
    if (error.has_value() && loses_data(*error)) file.sync_trouble = error;
    if (!error.has_value()) error = file.sync_trouble;
    if (!trouble.has_value()) trouble = error;
  }
  forget_copies();
  try {
    (void)meet(call, {}, "", trouble);
  } catch (const FileError&) {
    // That a write was cut short is kept until all have heard of it, and what got lost for good.
    if (have_all_met()) file.trouble.reset();
    throw;
  }
  file.is_saved = true;
}

void Files::close(int fd) {
  const Inside inside(*this);
  OpenFile& file = at(fd);
  const std::string call = "do_close " + file.path;
  wait_for_all(file.number);
  gather_writes(file, call);
  std::optional<FileError> trouble;
  try {
    write_out(file, call, Then::close);
  } catch (const FileError& error) {
    trouble = error;
  }
  wait_for_all(file.number);  // what neighbours have asked for since, and got elsewhere
  cache_.remove(file.number);
  copies_.drop_file(file.number);
  files_[static_cast<std::size_t>(fd)].reset();
  if (trouble.has_value()) throw *trouble;
}

std::vector<std::string> Files::unsaved() const {
  std::vector<std::string> paths;
  for (const auto& file : files_) {
    if (file != nullptr && !file->is_saved) paths.push_back(file->path);
  }
  return paths;
}

Files::Counters Files::counters() const {
  const Inside inside(*this);
  Counters counters = counters_;
  counters.disk = cache_.counters();
  return counters;
}

}  // namespace nasvm::files

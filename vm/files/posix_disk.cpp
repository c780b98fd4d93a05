#include "vm/files/posix_disk.hpp"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "vm/files/uring.hpp"
#include "vm/net/fd.hpp"

namespace nasvm::files {
namespace {

/// Alignment that every file system's O_DIRECT is content with.
constexpr std::size_t direct_alignment = 4096;

/// Shorter writes are left to `sync`, which may find neighbours for them.
constexpr std::uint64_t worth_starting = 512 * 1024;

bool is_aligned(std::uint64_t value) { return value % direct_alignment == 0; }

bool fits_direct(std::uint64_t position, const std::byte* data, std::size_t bytes) {
  return is_aligned(position) && is_aligned(bytes) && is_aligned(reinterpret_cast<std::uintptr_t>(data));
}

/// Takes `done` bytes off the front.
void advance(std::vector<iovec>& parts, std::size_t done) {
  std::size_t whole = 0;
  while (whole < parts.size() && done >= parts[whole].iov_len) done -= parts[whole++].iov_len;
  parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(whole));
  if (done == 0) return;
  parts[0].iov_base = static_cast<std::byte*>(parts[0].iov_base) + done;
  parts[0].iov_len -= done;
}

class PosixFile final : public DiskFile {
 public:
  PosixFile(std::string path, net::Fd fd, net::Fd direct, std::shared_ptr<Uring> ring)
      : path_(std::move(path)),
        fd_(std::move(fd)),
        direct_(std::move(direct)),
        ring_(std::move(ring)),
        tells_memory_(!direct_) {}

  /// The lock is of the open file, which a child that was forked has, too.
  ~PosixFile() override {
    struct flock whole {};
    whole.l_type = F_UNLCK;
    whole.l_whence = SEEK_SET;
    (void)::fcntl(fd_.get(), F_OFD_SETLK, &whole);
  }
  PosixFile(const PosixFile&) = delete;
  PosixFile& operator=(const PosixFile&) = delete;

  using DiskFile::read;
  void read(std::uint64_t position, std::span<std::byte> into, std::size_t there) override {
    std::size_t done = 0;
    while (done < into.size()) {
      std::byte* const to = into.data() + done;
      const int fd = direct_ && fits_direct(position + done, to, into.size() - done) ? direct_.get() : fd_.get();
      const ssize_t got = ::pread(fd, to, into.size() - done, static_cast<off_t>(position + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw system_error(path_, "cannot be read");
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    if (done < there) throw FileError(EIO, path_ + ": cannot be read: it has become shorter since it was opened");
    std::memset(into.data() + done, 0, into.size() - done);
  }

  bool read_from_memory(std::uint64_t position, std::span<std::byte> into) override {
    if (!tells_memory_) return false;
    const iovec all{into.data(), into.size()};
    const ssize_t got = ::preadv2(fd_.get(), &all, 1, static_cast<off_t>(position), RWF_NOWAIT);
    if (got < 0 && errno != EAGAIN && errno != EINTR) tells_memory_ = false;
    return got == static_cast<ssize_t>(into.size());
  }

  void write(std::uint64_t position, std::span<const std::span<const std::byte>> parts) override {
    const std::uint64_t begin = position;
    bool past_the_page_cache = static_cast<bool>(direct_);
    std::vector<iovec> left;
    for (const auto& part : parts) {
      past_the_page_cache = past_the_page_cache && fits_direct(position, part.data(), part.size());
      left.push_back({const_cast<std::byte*>(part.data()), part.size()});
    }
    while (!left.empty()) {
      const int count = static_cast<int>(std::min<std::size_t>(left.size(), IOV_MAX));
      const int fd = past_the_page_cache ? direct_.get() : fd_.get();
      const ssize_t done = ::pwritev(fd, left.data(), count, static_cast<off_t>(position));
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) throw system_error(path_, "cannot be written");
      if (done == 0) throw system_error(path_, "cannot be written", ENOSPC);
      // The rest of a write that was cut short need not lie on whole pages.
      past_the_page_cache = past_the_page_cache && is_aligned(static_cast<std::uint64_t>(done));
      position += static_cast<std::uint64_t>(done);
      advance(left, static_cast<std::size_t>(done));
    }
    if (position - begin >= worth_starting && !direct_) start_writing(begin, position - begin);
  }

  // What does not fit, or has not got there whole, is done by calls, which say what is wrong with it.

  void read_all(std::span<Reading> readings) override {
    constexpr std::size_t at_a_time = 32;
    const auto whole = transfer_all(readings, Uring::Direction::read, at_a_time,
                                    [](const Reading& one) { return std::array{one.into}; });
    for (std::size_t i = 0; i < readings.size(); ++i) {
      if (!whole[i]) DiskFile::read_all(readings.subspan(i, 1));
    }
  }

  void write_all(std::span<Writing> writings) override {
    constexpr std::size_t at_a_time = 8;
    const auto whole = transfer_all(writings, Uring::Direction::write, at_a_time,
                                    [](const Writing& one) { return std::span(one.parts); });
    for (std::size_t i = 0; i < writings.size(); ++i) {
      if (!whole[i]) DiskFile::write_all(writings.subspan(i, 1));
    }
  }

  void sync() override {
    int result = 0;
    do {
      result = ::fsync(fd_.get());
    } while (result != 0 && errno == EINTR);
    if (result != 0) throw system_error(path_, "cannot be brought to disk");
    // A new file is on disk when its name is, too.
    if (!std::exchange(name_is_safe_, true)) sync_folder();
  }

  std::uint64_t size() override { return static_cast<std::uint64_t>(status().st_size); }

  void resize(std::uint64_t bytes) override {
    int result = 0;
    do {
      result = ::ftruncate(fd_.get(), static_cast<off_t>(bytes));
    } while (result != 0 && errno == EINTR);
    if (result != 0) {
      throw system_error(path_, "cannot be given a size of " + std::to_string(bytes) + " bytes");
    }
  }

  void reserve(std::uint64_t bytes) override {
    if (bytes == 0) return;
    // A signal ends it, and file systems in memory begin again each time: with a timer it may never get there.
    constexpr int most_tries = 5;
    for (int tries = 0; tries < most_tries; ++tries) {
      if (::fallocate(fd_.get(), FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes)) == 0) return;
      if (errno != EINTR) break;
    }
    if (errno == EOPNOTSUPP || errno == ENOSYS || errno == EINTR) return;
    throw system_error(path_, "cannot get " + std::to_string(bytes) + " bytes of space");
  }

  void expect(std::uint64_t position, std::uint64_t bytes) override {
    if (!direct_) {
      (void)::posix_fadvise(fd_.get(), static_cast<off_t>(position), static_cast<off_t>(bytes), POSIX_FADV_WILLNEED);
    }
  }

  void lock(Access access) override {
    struct flock range {};
    range.l_type = access == Access::read ? F_RDLCK : F_WRLCK;
    range.l_whence = SEEK_SET;
    if (::fcntl(fd_.get(), F_OFD_SETLK, &range) == 0) return;
    if (errno == EAGAIN || errno == EACCES) {
      throw FileError(EBUSY, path_ + ": is open elsewhere" +
                                 (access == Access::read ? " for writing" : ", by another program or a second time"));
    }
    if (errno != ENOLCK && errno != EOPNOTSUPP && errno != EINVAL) throw system_error(path_, "cannot be locked");
  }

  std::uint64_t identity() override { return static_cast<std::uint64_t>(status().st_ino); }

  std::int64_t changed_ns() override {
    const timespec time = status().st_mtim;
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  }

 private:
  /// Past the page cache, several at a time. Which of them have got there whole?
  template <typename All, typename Parts>
  std::vector<bool> transfer_all(std::span<All> all, Uring::Direction direction, std::size_t at_a_time,
                                 Parts parts_of) {
    std::vector<bool> whole(all.size());
    if (!direct_ || ring_ == nullptr) return whole;
    std::vector<std::vector<iovec>> parts(all.size());
    std::vector<Uring::Transfer> transfers;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < all.size(); ++i) {
      bool fits = true;
      for (const auto& part : parts_of(all[i])) {
        fits = fits && fits_direct(all[i].position, part.data(), part.size());
        parts[i].push_back({const_cast<std::byte*>(part.data()), part.size()});
      }
      if (!fits || parts[i].size() > IOV_MAX) continue;
      transfers.push_back({direct_.get(), all[i].position, parts[i]});
      places.push_back(i);
    }
    ring_->run(transfers, direction, at_a_time);
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      std::size_t bytes = 0;
      for (const iovec& part : transfers[i].parts) bytes += part.iov_len;
      whole[places[i]] = transfers[i].result == static_cast<std::int64_t>(bytes);
    }
    return whole;
  }

  /// So that the disk is busy while the program goes on, not only from `sync` on. It is no error not to.
  void start_writing(std::uint64_t position, std::uint64_t bytes) {
    (void)::sync_file_range(fd_.get(), static_cast<off_t>(position), static_cast<off_t>(bytes),
                            SYNC_FILE_RANGE_WRITE);
  }

  struct stat status() {
    struct stat found {};
    if (::fstat(fd_.get(), &found) != 0) throw system_error(path_, "cannot be looked at");
    return found;
  }

  void sync_folder() {
    const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
    const net::Fd fd(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    // A folder that may be written but not read cannot be opened, and file systems need not know how to do this.
    if (fd) (void)::fsync(fd.get());
  }

  std::string path_;
  bool name_is_safe_ = false;
  net::Fd fd_;
  net::Fd direct_;               ///< none: everything goes through the page cache
  std::shared_ptr<Uring> ring_;  ///< none: one call after another
  bool tells_memory_;            ///< which no file system has to, and nobody asks who wants to go past it
};

/// A pipe's other end may never come, and a folder opens but cannot be read.
void refuse_other_things(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return;
  if (S_ISDIR(found.st_mode)) throw system_error(path, "cannot be opened", EISDIR);
  if (S_ISFIFO(found.st_mode) || S_ISSOCK(found.st_mode)) throw FileError(EINVAL, path + ": is no ordinary file");
}

class PosixDisk final : public Disk {
 public:
  explicit PosixDisk(Caching caching) : caching_(caching) {}

  std::unique_ptr<DiskFile> open(const std::string& path, const Way& way) override {
    if (!way.exclusive) refuse_other_things(path);  // else the system refuses whatever is there
    // Blocks that are written in part are read first: writing alone is not enough.
    int flags = O_CLOEXEC | (way.access == Access::read ? O_RDONLY : O_RDWR);
    if (way.create) flags |= O_CREAT | (way.exclusive ? O_EXCL : 0);
    net::Fd fd(::open(path.c_str(), flags, static_cast<mode_t>(way.mode)));
    if (!fd) throw system_error(path, "cannot be opened");
    net::Fd direct;
    if (caching_ == Caching::direct) {
      direct.reset(::open(path.c_str(), (flags & ~(O_CREAT | O_EXCL)) | O_DIRECT));
      if (ring_ == nullptr) ring_ = Uring::make();
    }
    return std::make_unique<PosixFile>(path, std::move(fd), std::move(direct), ring_);
  }

 private:
  Caching caching_;
  std::shared_ptr<Uring> ring_;  ///< of all files
};

}  // namespace

std::unique_ptr<Disk> make_posix_disk(Caching caching) { return std::make_unique<PosixDisk>(caching); }

}  // namespace nasvm::files

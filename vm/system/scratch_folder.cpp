#include "vm/system/scratch_folder.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "vm/status.hpp"

namespace nasvm {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 2> places{"/dev/shm", "/tmp"};
constexpr int watch_rounds = 20;
constexpr int most_attempts = 8;
constexpr unsigned watch_pause_us = 100'000;
constexpr std::string_view name_prefix = "nasvm-run-";

double in_mebibytes(std::uintmax_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

/// "nasvm-run-4711-abcdef"
bool is_name_of_ours(std::string_view name) {
  return name.starts_with(name_prefix) && name.size() > name_prefix.size() &&
         std::isdigit(static_cast<unsigned char>(name[name_prefix.size()])) != 0;
}

/// A lock on a folder that this user has made; none when somebody else holds it, or has removed the folder meanwhile.
net::Fd lock(const std::string& path) {
  net::Fd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  const bool locked = folder && ::flock(folder.get(), LOCK_EX | LOCK_NB) == 0 &&
                      ::fstat(folder.get(), &status) == 0 && status.st_uid == ::geteuid() && status.st_nlink != 0;
  return locked ? std::move(folder) : net::Fd();
}

/// Removes the folders of this user's runs that nobody holds any more.
void sweep(std::string_view place) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(place, error)) {
    if (!is_name_of_ours(entry.path().filename().native())) continue;
    if (const net::Fd held = lock(entry.path())) fs::remove_all(entry.path(), error);
  }
}

struct LockedFolder {
  std::string path;
  net::Fd lock;
};

/// Another run may sweep a new folder away before it is locked: then another one is made. A file system may know no
/// locks.
LockedFolder make_folder(std::string_view place) {
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    std::string path = fmt::format("{}/{}{}-XXXXXX", place, name_prefix, ::getpid());
    if (::mkdtemp(path.data()) == nullptr) {
      throw RunError(fmt::format("cannot make a folder in {}: {}", place, std::strerror(errno)));
    }
    if (net::Fd held = lock(path)) return {std::move(path), std::move(held)};
    ::rmdir(path.c_str());
  }
  throw RunError(fmt::format("cannot lock a folder in {}: its file system has to know flock", place));
}

/// Waits until nobody holds the other end of `pipe`, then removes the folder; again for a while, because processes
/// that end at the same moment may still put files there. Whoever made the folder has died without doing that.
[[noreturn]] void keep_watch(const std::string& path, int pipe) {
  ::setsid();
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal_number, SIG_IGN);
  // It is to outlive this process's terminal, pipes and sockets without holding any of them.
  ::dup2(pipe, 0);
  ::close_range(1, ~0U, 0);
  char nothing = 0;
  while (::read(0, &nothing, 1) < 0 && errno == EINTR) {
  }
  std::error_code error;
  for (int round = 0; round < watch_rounds; ++round) {
    fs::remove_all(path, error);
    ::usleep(watch_pause_us);
  }
  ::_exit(0);
}

}  // namespace

std::string_view place_with_room(std::span<const std::string_view> places, std::uintmax_t least) {
  std::string found;
  for (const std::string_view place : places) {
    std::error_code error;
    const fs::space_info space = fs::space(place, error);
    if (!error && space.available >= least) return place;
    found += fmt::format("{}{} has {}", found.empty() ? "" : ", ", place,
                         error ? "none" : fmt::format("{:.1f} MiB", in_mebibytes(space.available)));
  }
  throw RunError(fmt::format("this run's files need {:.1f} MiB of room, but {}: free some, or run fewer tasks",
                             in_mebibytes(least), found));
}

ScratchFolder::ScratchFolder(std::uintmax_t least_room) {
  for (const std::string_view place : places) sweep(place);
  LockedFolder folder = make_folder(place_with_room(places, least_room));
  path_ = std::move(folder.path);
  lock_ = std::move(folder.lock);
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;  // then the next run sweeps
  pipe_ = net::Fd(ends[1]);
  watcher_ = ::fork();
  if (watcher_ == 0) keep_watch(path_, ends[0]);
  ::close(ends[0]);
}

ScratchFolder::~ScratchFolder() {
  std::error_code error;
  fs::remove_all(path_, error);
  if (watcher_ <= 0) return;
  ::kill(watcher_, SIGKILL);
  ::waitpid(watcher_, nullptr, 0);
}

}  // namespace nasvm

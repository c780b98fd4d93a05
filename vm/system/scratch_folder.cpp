#include "vm/system/scratch_folder.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "vm/status.hpp"

namespace nasvm {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 2> places{"/dev/shm", "/tmp"};
/// What the tasks of a small run put there: Open MPI takes 4 MiB for each, and hangs or gives up without.
constexpr std::uintmax_t least_room = 16U << 20;
constexpr int watch_rounds = 20;
constexpr unsigned watch_pause_us = 100'000;
constexpr std::string_view name_prefix = "nasvm-run-";

/// The process that made a folder of that name; 0 for any other name.
pid_t maker_of(std::string_view name) {
  if (!name.starts_with(name_prefix)) return 0;
  name.remove_prefix(name_prefix.size());
  pid_t pid = 0;
  (void)std::from_chars(name.data(), name.data() + name.size(), pid);
  return pid;
}

/// Removes the folders of this user's processes that are gone.
void sweep(std::string_view place) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(place, error)) {
    const pid_t maker = maker_of(entry.path().filename().native());
    if (maker <= 0 || ::kill(maker, 0) == 0 || errno != ESRCH) continue;
    struct stat status {};
    if (::lstat(entry.path().c_str(), &status) != 0 || status.st_uid != ::geteuid()) continue;
    fs::remove_all(entry.path(), error);
  }
}

std::string make_folder() {
  for (const std::string_view place : places) sweep(place);
  for (const std::string_view place : by_room(places, least_room)) {
    std::string name = std::string(place) + "/" + std::string(name_prefix) + std::to_string(::getpid()) + "-XXXXXX";
    if (::mkdtemp(name.data()) != nullptr) return name;
  }
  throw RunError(std::string("cannot make a folder in /dev/shm or /tmp: ") + std::strerror(errno));
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

std::vector<std::string_view> by_room(std::span<const std::string_view> places, std::uintmax_t least) {
  std::vector<std::string_view> sorted(places.begin(), places.end());
  std::ranges::stable_partition(sorted, [&](std::string_view place) {
    std::error_code error;
    const fs::space_info space = fs::space(place, error);
    return !error && space.available >= least;
  });
  return sorted;
}

ScratchFolder::ScratchFolder() : path_(make_folder()) {
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

#include "harness/kernel_runs/checkpoint_names.hpp"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace nasvm {
namespace {

/// A new name is on disk when its folder is.
int sync_folder(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return errno == EACCES ? 0 : errno;  // a folder that may be written to and not read
  const int result = ::fsync(fd) == 0 ? 0 : errno;
  ::close(fd);
  return result == EINVAL ? 0 : result;  // file systems that know no such thing
}

std::optional<FileMark> mark_of(const struct stat& found) {
  if (!S_ISREG(found.st_mode)) return std::nullopt;
  return FileMark{found.st_dev, found.st_ino, static_cast<std::uint64_t>(found.st_size)};
}

std::optional<FileMark> mark_of(const std::string& path) {
  struct stat found {};
  return ::lstat(path.c_str(), &found) == 0 ? mark_of(found) : std::nullopt;
}

/// A lease for writing is given while nobody else has the file open (fcntl(2)); it goes with the descriptor. Who
/// opens the file until then makes a signal, which would end the program if it were the usual one.
bool is_open_once(int file) {
  return ::fcntl(file, F_SETSIG, SIGURG) == 0 && ::fcntl(file, F_SETLEASE, F_WRLCK) == 0;
}

}  // namespace

Naming give_name(const std::string& from, const std::string& to, const std::optional<FileMark>& ours) {
  Naming naming;
  naming.named = mark_of(from);
  const bool keeps_old = ours && mark_of(to) == ours;
  if (keeps_old && ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0) {
    naming.spare = ours;
  } else if (::rename(from.c_str(), to.c_str()) != 0) {
    naming.error = errno;
  }
  if (naming.error == 0) naming.error = sync_folder(to);
  return naming;
}

bool is_nobody_elses(const std::string& path, const FileMark& mark) {
  const int file = ::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return false;
  struct stat found {};
  const bool is_it = ::fstat(file, &found) == 0 && mark_of(found) == mark && found.st_nlink == 1;
  const bool is_alone = is_it && is_open_once(file);
  ::close(file);
  return is_alone;
}

}  // namespace nasvm

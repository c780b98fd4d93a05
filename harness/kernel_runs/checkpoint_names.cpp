#include "harness/kernel_runs/checkpoint_names.hpp"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <iterator>

namespace nasvm {
namespace {

/// A new name is on disk when its folder is. 0, or as errno.
int sync_folder(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return errno;
  const int result = ::fsync(fd) == 0 ? 0 : errno;
  ::close(fd);
  return result;
}

/// A folder that may be written to and not read, or a file system that knows no such thing: nothing has failed.
bool cannot_be_known(int error) { return error == EACCES || error == EINVAL; }

std::optional<FileMark> mark_of(const struct stat& found) {
  if (!S_ISREG(found.st_mode)) return std::nullopt;
  return FileMark{found.st_dev, found.st_ino, static_cast<std::uint64_t>(found.st_size)};
}

std::optional<FileMark> mark_of(const std::string& path) {
  struct stat found {};
  return ::lstat(path.c_str(), &found) == 0 ? mark_of(found) : std::nullopt;
}

/// Somebody else writes to it. Where the file system knows no locks nobody does.
bool is_locked(int file) {
  struct flock range {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  return ::fcntl(file, F_OFD_SETLK, &range) != 0 && (errno == EAGAIN || errno == EACCES);
}

/// What a run that has died has left there. 0, or as errno.
int remove_left(const std::string& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return errno == ENOENT ? 0 : errno;
  const bool is_file = S_ISREG(found.st_mode);
  if (!is_file && !S_ISLNK(found.st_mode)) return EEXIST;
  // The lock lasts until the name is gone: nobody begins to write there in between.
  const int file = is_file ? ::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
  int error = 0;
  if (is_file && file < 0) error = errno == ENOENT ? 0 : errno;
  else if (is_file && (is_locked(file) || !leads_to(path, {found.st_dev, found.st_ino}))) error = EBUSY;
  else if (::unlink(path.c_str()) != 0 && errno != ENOENT) error = errno;
  if (file >= 0) ::close(file);
  return error;
}

/// A lease for writing is given while nobody else has the file open (fcntl(2)); it goes with the descriptor. Who
/// opens the file until then makes a signal, which would end the program if it were the usual one.
bool is_open_once(int file) {
  return ::fcntl(file, F_SETSIG, SIGURG) == 0 && ::fcntl(file, F_SETLEASE, F_WRLCK) == 0;
}

/// As the kernel has it.
constexpr int most_links = 40;

/// A name there stands for what somebody has open, not for a file in a folder.
bool is_in_proc(const std::filesystem::path& path) {
  return path.begin() != path.end() && std::next(path.begin()) != path.end() && *std::next(path.begin()) == "proc";
}

}  // namespace

Making make_new(const std::string& path) {
  Making making;
  making.error = remove_left(path);
  if (making.error != 0) return making;
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) {
    making.error = errno == EEXIST ? EBUSY : errno;  // somebody has made it a moment ago
    return making;
  }
  struct stat found {};
  if (::fstat(file, &found) == 0) making.made = mark_of(found);
  else making.error = errno;
  ::close(file);
  return making;
}

std::optional<std::string> end_of_links(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path name = path;
  for (int links = 0; links < most_links && fs::is_symlink(fs::symlink_status(name, error)); ++links) {
    const fs::path folder = fs::canonical(name.parent_path(), error);
    if (error || is_in_proc(folder)) return std::nullopt;
    name = folder / fs::read_symlink(name, error);
  }
  const fs::file_type type = fs::symlink_status(name, error).type();
  const bool may_be =
      type == fs::file_type::regular || type == fs::file_type::not_found || type == fs::file_type::none;
  return may_be ? std::optional(name.string()) : std::nullopt;
}

bool leads_to(const std::string& path, const FileMark& mark) {
  const std::optional<FileMark> found = mark_of(path);
  return found && found->device == mark.device && found->inode == mark.inode;
}

void remove_own(const std::string& path, const FileMark& mark) {
  if (leads_to(path, mark)) (void)::unlink(path.c_str());
}

Naming give_name(const std::string& from, const std::string& to, const std::optional<FileMark>& ours) {
  Naming naming;
  naming.named = mark_of(from);
  const bool keeps_old = ours && mark_of(to) == ours;
  if (keeps_old && ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0) {
    naming.spare = ours;
  } else if (::rename(from.c_str(), to.c_str()) != 0) {
    naming.error = errno;
  }
  if (naming.error != 0) return naming;
  const int unsafe = sync_folder(to);
  if (unsafe != 0 && naming.spare) {
    (void)::unlink(from.c_str());
    naming.spare.reset();
  }
  if (!cannot_be_known(unsafe)) naming.error = unsafe;
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

#include "harness/session/output.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "vm/status.hpp"
#include "vm/write_all.hpp"

namespace nasvm {
namespace {

[[noreturn]] void fail_to_write(const std::string& what, int error) {
  throw RunError(fmt::format("cannot write {}: {}", what, std::strerror(error)));
}

/// A new file beside another one; it goes with this object, unless it has taken the other one's name.
class FileBeside {
 public:
  explicit FileBeside(const std::string& target) {
    const std::string folder = target.substr(0, target.rfind('/') + 1);
    for (int number = 0; number < most_left_behind; ++number) {
      path_ = fmt::format("{}.nasvm-export-{}-{}", folder, ::getpid(), number);
      descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
      if (descriptor_ >= 0 || errno != EEXIST) return;
    }
  }
  ~FileBeside() {
    if (descriptor_ < 0) return;
    ::unlink(path_.c_str());
    ::close(descriptor_);
  }
  FileBeside(const FileBeside&) = delete;
  FileBeside& operator=(const FileBeside&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// Gives it owner and permissions of another file; false when that is not allowed.
  [[nodiscard]] bool resemble(const struct stat& other) const {
    struct stat own {};
    if (::fstat(descriptor_, &own) != 0) return false;
    const bool same_owner = own.st_uid == other.st_uid && own.st_gid == other.st_gid;
    return (same_owner || ::fchown(descriptor_, other.st_uid, other.st_gid) == 0) &&
           ::fchmod(descriptor_, other.st_mode & 07777) == 0;
  }
  /// Takes the name; returns the descriptor, or -1 and errno.
  int take_name(const std::string& target) {
    if (::rename(path_.c_str(), target.c_str()) != 0) return -1;
    return std::exchange(descriptor_, -1);
  }

 private:
  static constexpr int most_left_behind = 100;  ///< by killed processes of the same id

  std::string path_;
  int descriptor_ = -1;
};

/// To the disk, where the file system knows what that means.
int synchronize(int descriptor) { return ::fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno; }

bool has_access_list(const std::string& path) {
  return ::getxattr(path.c_str(), "system.posix_acl_access", nullptr, 0) > 0;
}

/// Which of standard output and standard error is this file; -1: neither.
int standard_stream(const struct stat& file) {
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat status {};
    if (::fstat(stream, &status) == 0 && status.st_dev == file.st_dev && status.st_ino == file.st_ino) return stream;
  }
  return -1;
}

/// Width of the terminal that the stream goes to; 0: to none, or it does not tell.
std::size_t terminal_width(int stream) {
  winsize size{};
  const bool told = ::isatty(stream) == 1 && ::ioctl(stream, TIOCGWINSZ, &size) == 0;
  return told ? std::size_t{size.ws_col} : 0;
}

}  // namespace

Console process_console() {
  Console console;
  console.out = [](std::string_view text) {
    if (const int error = write_all(STDOUT_FILENO, text); error != 0) fail_to_write("to standard output", error);
  };
  console.err = [](std::string_view text) { write_all(STDERR_FILENO, text); };
  console.err_is_terminal = ::isatty(STDERR_FILENO) == 1;
  console.out_columns = terminal_width(STDOUT_FILENO);
  console.err_columns = terminal_width(STDERR_FILENO);
  return console;
}

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  if (!open()) throw UsageError(fmt::format("{}: cannot be opened for writing: {}", path_, std::strerror(errno)));
}

bool OutputFile::open() {
  int descriptor = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  const bool created = descriptor >= 0;
  if (!created) descriptor = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) return false;
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = descriptor;
  created_ = created;
  struct stat status {};
  rewritable_ = ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
  if (const int stream = rewritable_ ? standard_stream(status) : -1; stream >= 0) {
    // Tables go there, too, each behind what is there: by one position in the file.
    const int shared = ::fcntl(stream, F_DUPFD_CLOEXEC, 0);
    if (shared < 0) return false;
    ::close(std::exchange(descriptor_, shared));
    rewritable_ = false;
  }
  std::error_code error;
  target_ = std::filesystem::canonical(path_, error);
  return true;
}

/// Others may have removed it, or put theirs in its place.
bool OutputFile::has_its_name() const {
  struct stat own {};
  struct stat named {};
  return ::fstat(descriptor_, &own) == 0 && ::stat(path_.c_str(), &named) == 0 && own.st_dev == named.st_dev &&
         own.st_ino == named.st_ino;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      rewritable_(other.rewritable_),
      created_(std::exchange(other.created_, false)) {}

OutputFile::~OutputFile() {
  if (created_ && has_its_name()) ::unlink(path_.c_str());
  if (descriptor_ >= 0) ::close(descriptor_);
}

void OutputFile::rewrite(std::string_view text) {
  if (rewritable_ && !has_its_name() && !open()) fail_to_write(path_, errno);
  if (!rewritable_) {
    if (const int error = write_all(descriptor_, text); error != 0) fail_to_write(path_, error);
  } else if (!may_be_replaced() || !replace(text)) {
    write_in_place(text);
  }
  created_ = false;
}

bool OutputFile::may_be_replaced() const {
  struct stat status {};
  return ::fstat(descriptor_, &status) == 0 && status.st_nlink == 1 && !target_.empty() && !has_access_list(target_);
}

bool OutputFile::replace(std::string_view text) {
  FileBeside beside(target_);
  if (beside.descriptor() < 0) {
    if (errno == EACCES || errno == EPERM || errno == EROFS) return false;
    fail_to_write(path_, errno);
  }
  struct stat old {};
  if (::fstat(descriptor_, &old) != 0 || !beside.resemble(old)) return false;
  if (const int error = write_all(beside.descriptor(), text); error != 0) fail_to_write(path_, error);
  if (const int error = synchronize(beside.descriptor()); error != 0) fail_to_write(path_, error);
  const int taken = beside.take_name(target_);
  if (taken < 0) fail_to_write(path_, errno);
  ::close(std::exchange(descriptor_, taken));
  return true;
}

/// So that a full disk leaves the content as it was.
void OutputFile::reserve(std::size_t bytes) {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) fail_to_write(path_, errno);
  if (static_cast<std::size_t>(status.st_size) >= bytes) return;
  if (const int error = ::posix_fallocate(descriptor_, 0, static_cast<off_t>(bytes)); error != 0) {
    if (::ftruncate(descriptor_, status.st_size) != 0) fail_to_write(path_, errno);
    fail_to_write(path_, error);
  }
}

void OutputFile::write_in_place(std::string_view text) {
  if (!text.empty()) reserve(text.size());
  if (::lseek(descriptor_, 0, SEEK_SET) < 0) fail_to_write(path_, errno);
  if (const int error = write_all(descriptor_, text); error != 0) fail_to_write(path_, error);
  if (::ftruncate(descriptor_, static_cast<off_t>(text.size())) != 0) fail_to_write(path_, errno);
  if (const int error = synchronize(descriptor_); error != 0) fail_to_write(path_, error);
}

}  // namespace nasvm

#include "harness/session/output.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vm/status.hpp"

namespace nasvm {
namespace {

/// Writes everything; returns 0 or the system's error number.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

[[noreturn]] void fail_to_write(const std::string& what, int error) {
  throw RunError(fmt::format("cannot write {}: {}", what, std::strerror(error)));
}

}  // namespace

Console process_console() {
  Console console;
  console.out = [](std::string_view text) {
    if (const int error = write_all(STDOUT_FILENO, text); error != 0) fail_to_write("to standard output", error);
  };
  console.err = [](std::string_view text) { write_all(STDERR_FILENO, text); };
  console.err_is_terminal = ::isatty(STDERR_FILENO) == 1;
  return console;
}

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0)
    throw UsageError(fmt::format("{}: cannot be opened for writing: {}", path_, std::strerror(errno)));
  struct stat status {};
  rewritable_ = ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      rewritable_(other.rewritable_) {}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void OutputFile::reserve(std::size_t bytes) {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) fail_to_write(path_, errno);
  if (static_cast<std::size_t>(status.st_size) >= bytes) return;
  if (const int error = ::posix_fallocate(descriptor_, 0, static_cast<off_t>(bytes)); error != 0) {
    if (::ftruncate(descriptor_, status.st_size) != 0) fail_to_write(path_, errno);
    fail_to_write(path_, error);
  }
}

void OutputFile::rewrite(std::string_view text) {
  if (rewritable_) {
    if (!text.empty()) reserve(text.size());
    if (::lseek(descriptor_, 0, SEEK_SET) < 0) fail_to_write(path_, errno);
  }
  if (const int error = write_all(descriptor_, text); error != 0) fail_to_write(path_, error);
  if (rewritable_ && ::ftruncate(descriptor_, static_cast<off_t>(text.size())) != 0) fail_to_write(path_, errno);
}

}  // namespace nasvm

#include "harness/document/read_text.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "vm/status.hpp"

namespace nasvm {
namespace {

constexpr std::size_t piece_bytes = std::size_t{64} << 10;

/// A file that is being read.
class Reader {
 public:
  /// Never blocks, also not on a named pipe that nobody writes into.
  Reader(const std::string& path, const ReadBounds& bounds)
      : path_(path),
        bounds_(bounds),
        // Standard input as it is: what others have read of it is gone, and how they read it is theirs.
        descriptor_(path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                : ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
    if (descriptor_ < 0) fail("cannot be opened", errno);
  }
  ~Reader() { ::close(descriptor_); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  /// Appends a piece; false at the end.
  bool append(std::string& text) {
    const std::size_t before = text.size();
    text.resize(before + piece_bytes);
    const ssize_t count = read_piece(text.data() + before);
    text.resize(before + static_cast<std::size_t>(count));
    return count > 0;
  }

 private:
  ssize_t read_piece(char* place) {
    for (bool waited = false;; waited = true) {
      if (path_ == "-") wait(bounds_.silence, "nothing has come for a long time");
      const ssize_t count = ::read(descriptor_, place, piece_bytes);
      if (count > 0) begun_ = true;
      if (count > 0 || (count == 0 && (begun_ || waited || !may_get_a_writer()))) return count;
      if (count == 0) wait(bounds_.writer, "nobody writes into it");
      else if (errno == EAGAIN) wait(bounds_.silence, "nothing more has come for a long time");
      else if (errno != EINTR) fail("cannot be read", errno);
    }
  }

  /// A named pipe that nobody has open for writing says neither more nor end.
  [[nodiscard]] bool may_get_a_writer() const {
    pollfd one{descriptor_, POLLIN, 0};
    return ::poll(&one, 1, 0) == 0;
  }

  void wait(std::chrono::milliseconds longest, const char* complaint) const {
    pollfd one{descriptor_, POLLIN, 0};
    if (::poll(&one, 1, static_cast<int>(longest.count())) == 0) {
      throw UsageError(fmt::format("{}: cannot be read: {}", path_, complaint));
    }
  }

  [[noreturn]] void fail(const char* what, int error) const {
    throw UsageError(fmt::format("{}: {}: {}", path_, what, std::strerror(error)));
  }

  const std::string& path_;
  const ReadBounds& bounds_;
  int descriptor_;
  bool begun_ = false;
};

/// Could it be JSON with more than one value?
bool begins_like_a_document(const std::string& text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string::npos || text[begin] == '{' || text[begin] == '[';
}

}  // namespace

std::string read_text(const std::string& path, const ReadBounds& bounds) {
  Reader reader(path, bounds);
  std::string text;
  while (reader.append(text) && begins_like_a_document(text)) {
    if (text.size() <= bounds.bytes) continue;
    throw UsageError(fmt::format("{}: more than {} MiB: no result document", path, bounds.bytes >> 20));
  }
  return text;
}

}  // namespace nasvm

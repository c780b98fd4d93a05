#include "harness/measuring/sequential_write.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <vector>

#include "vm/metrics/clock.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

constexpr std::size_t piece_bytes = std::size_t{8} << 20;

/// 0, or as errno.
int write_all(int fd, std::uint64_t bytes) {
  // Disks and file systems may store zeros for nothing.
  std::vector<unsigned char> piece(piece_bytes);
  for (std::size_t i = 0; i < piece.size(); ++i) piece[i] = static_cast<unsigned char>(i * 2654435761U >> 13);
  for (std::uint64_t done = 0; done < bytes;) {
    const ssize_t written = ::write(fd, piece.data(), std::min<std::uint64_t>(piece_bytes, bytes - done));
    if (written <= 0) return errno;
    done += static_cast<std::uint64_t>(written);
  }
  return ::fsync(fd) == 0 ? 0 : errno;
}

}  // namespace

double sequential_write_s(const std::string& path, std::uint64_t bytes) {
  const Ticks begin = ticks_now();
  // What has that name belongs to somebody, also where a symbolic link leads to it.
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) throw RunError(path + ": cannot be written: " + std::strerror(errno));
  (void)::unlink(path.c_str());  // whatever ends this program, nothing is left
  const int error = write_all(fd, bytes);
  const Ticks end = ticks_now();
  ::close(fd);
  if (error != 0) throw RunError(path + ": cannot be written: " + std::strerror(error));
  return to_seconds(end - begin);
}

}  // namespace nasvm

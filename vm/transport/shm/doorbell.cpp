#include "vm/transport/shm/doorbell.hpp"

#include <fcntl.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "vm/status.hpp"

namespace nasvm::shm {

Doorbell::Doorbell() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    throw RunError(std::string("transport shm: no pipe for the doorbell: ") + std::strerror(errno));
  }
  read_end_.reset(ends[0]);
  write_end_.reset(ends[1]);
}

void Doorbell::silence() {
  std::array<char, 64> rings;
  while (::read(read_end_.get(), rings.data(), rings.size()) == static_cast<ssize_t>(rings.size())) {
  }
}

/// Opened for reading as well, so that ringing at a task that has just died is no broken pipe.
BellRope::BellRope(pid_t pid, int fd) {
  const std::string path = "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(fd);
  pipe_.reset(::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  // Who fell asleep may have looked once more, found the message and ended before we came here: nobody is to be
  // woken.
  const bool gone = errno == ENOENT || errno == ESRCH;
  if (!pipe_ && !gone) throw RunError("transport shm: cannot open " + path + ": " + std::strerror(errno));
}

void BellRope::ring() {
  if (!pipe_) return;
  // A full pipe has rung already.
  const char byte = 1;
  (void)!::write(pipe_.get(), &byte, 1);
}

}  // namespace nasvm::shm

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

void BellRope::ring() {
  if (!pipe_) return;
  // A full pipe has rung already.
  const char byte = 1;
  (void)!::write(pipe_.get(), &byte, 1);
}

}  // namespace nasvm::shm

#include "vm/write_all.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace nasvm {

int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count > 0) {
      text.remove_prefix(static_cast<std::size_t>(count));
    } else if (count < 0 && errno == EAGAIN) {
      pollfd room{.fd = descriptor, .events = POLLOUT, .revents = 0};
      (void)::poll(&room, 1, -1);
    } else if (count < 0 && errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

}  // namespace nasvm

#include "harness/commands/p2p/pair/forwarder.hpp"

#include <cerrno>
#include <utility>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "vm/machine_topology.hpp"

namespace nasvm {
namespace {

/// This process's own core is the task's; a daemon, its parent, has others to go to.
void leave_own_core() { (void)bind_to_cores(usable_core_numbers(::getppid())); }

bool is_to_be_tried_again() { return errno == EAGAIN || errno == EINTR; }

}  // namespace

Forwarder::Forwarder(Socket one, Socket other)
    : one_(std::move(one)), other_(std::move(other)), thread_([this] { run(); }) {}

bool Forwarder::Way::move() {
  if (!is_full()) {
    const ssize_t got = ::recv(from_.fd(), bytes_.data(), bytes_.size(), MSG_DONTWAIT);
    if (got == 0 || (got < 0 && !is_to_be_tried_again())) return false;
    if (got < 0) return true;
    begin_ = 0;
    end_ = static_cast<std::size_t>(got);
  }
  const ssize_t sent = ::send(to_.fd(), bytes_.data() + begin_, end_ - begin_, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent < 0) return is_to_be_tried_again();
  begin_ += static_cast<std::size_t>(sent);
  return true;
}

void Forwarder::run() {
  leave_own_core();
  const auto wanted = [](const Way& in, const Way& out) {
    return static_cast<short>((in.is_full() ? 0 : POLLIN) | (out.is_full() ? POLLOUT : 0));
  };
  do {
    std::array<pollfd, 2> sockets{{{one_.fd(), wanted(there_, back_), 0}, {other_.fd(), wanted(back_, there_), 0}}};
    if (::poll(sockets.data(), sockets.size(), -1) < 0 && errno != EINTR) return;
  } while (there_.move() && back_.move());
}

}  // namespace nasvm

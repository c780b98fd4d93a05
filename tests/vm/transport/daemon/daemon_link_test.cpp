#include "vm/transport/daemon/daemon_link.hpp"

#include <sys/socket.h>

#include <array>
#include <catch2/catch.hpp>

using namespace nasvm;

TEST_CASE("the task's socket to its daemon gets the send buffer that was asked for", "[transport]") {
  std::array<int, 2> ends{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) == 0);
  const net::Fd daemon_end(ends[1]);
  net::Poller poller;
  DaemonLink link(net::Fd{ends[0]}, poller);
  link.set_send_buffer(65536);
  int bytes = 0;
  socklen_t length = sizeof bytes;
  REQUIRE(::getsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &bytes, &length) == 0);
  CHECK(bytes == 2 * 65536);  // the kernel doubles it, for its own records
}

#include "vm/link/datagram_socket.hpp"

#include <netinet/in.h>
#include <poll.h>
#include <sys/syscall.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <vector>

#include "support/refused_calls.hpp"
#include "support/skip.hpp"
#include "vm/link/simulated_pair.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using link::Address;
using link::DatagramSocket;

namespace {

// Waits for a datagram, at most 10 s.
std::span<const DatagramSocket::Received> arrived(DatagramSocket& socket) {
  pollfd event{socket.descriptor(), POLLIN, 0};
  REQUIRE(poll(&event, 1, 10000) == 1);
  return socket.receive();
}

void queue(DatagramSocket& socket, std::span<const std::byte> bytes, const Address& to) {
  const auto slot = socket.slot();
  REQUIRE(slot.size() == link::max_datagram_bytes);
  std::copy(bytes.begin(), bytes.end(), slot.begin());
  socket.push(bytes.size(), to);
}

}  // namespace

TEST_CASE("datagrams of every length arrive whole with their sender's address", "[link]") {
  DatagramSocket from("127.0.0.1");
  DatagramSocket to("127.0.0.2");
  CHECK(from.address().text() == "127.0.0.1:" + std::to_string(from.address().port()));
  CHECK(to.receive().empty());
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{1472}, link::max_datagram_bytes}) {
    const auto sent = test::random_bytes(bytes, bytes);
    queue(from, sent, to.address());
    const auto flushed = from.flush();
    CHECK(flushed.sent == 1);
    CHECK_FALSE(flushed.stuck);
    const auto received = arrived(to);
    REQUIRE(received.size() == 1);
    CHECK(received[0].from == from.address());
    CHECK(std::equal(sent.begin(), sent.end(), received[0].bytes.begin(), received[0].bytes.end()));
  }
}

TEST_CASE("a full queue leaves in one system call and arrives in one", "[link]") {
  DatagramSocket from("127.0.0.1");
  DatagramSocket to("127.0.0.1");
  for (std::size_t i = 0; i < DatagramSocket::batch; ++i) {
    queue(from, std::vector<std::byte>(100, static_cast<std::byte>(i)), to.address());
  }
  CHECK(from.slot().empty());
  CHECK(from.queued() == DatagramSocket::batch);
  CHECK(from.flush().sent == DatagramSocket::batch);
  CHECK(from.stats().send_calls == 1);
  CHECK(from.queued() == 0);
  const auto received = arrived(to);
  REQUIRE(received.size() == DatagramSocket::batch);
  for (std::size_t i = 0; i < received.size(); ++i) CHECK(received[i].bytes[0] == static_cast<std::byte>(i));
  CHECK(to.stats().receive_calls == 1);
}

TEST_CASE("datagrams of different lengths and to different peers arrive as they were queued", "[link]") {
  DatagramSocket from("127.0.0.1");
  DatagramSocket one("127.0.0.1");
  DatagramSocket other("127.0.0.1");
  const std::vector<std::size_t> lengths{1000, 1000, 1000, 700, 1000, 1000, 0, 1000, 1001, 1000};
  for (DatagramSocket* to : {&one, &other, &one}) {
    for (const std::size_t bytes : lengths) queue(from, test::random_bytes(bytes, bytes), to->address());
  }
  CHECK(from.flush().sent == 3 * lengths.size());
  for (auto& [socket, rounds] : {std::pair{&one, 2}, std::pair{&other, 1}}) {
    std::vector<std::vector<std::byte>> got;
    while (got.size() < static_cast<std::size_t>(rounds) * lengths.size()) {
      for (const auto& received : arrived(*socket)) {
        CHECK(received.from == from.address());
        got.emplace_back(received.bytes.begin(), received.bytes.end());
      }
    }
    for (std::size_t i = 0; i < got.size(); ++i) {
      const std::size_t bytes = lengths[i % lengths.size()];
      CHECK(got[i] == test::random_bytes(bytes, bytes));
    }
  }
}

TEST_CASE("datagrams that are kept apart do not pass through the system as one", "[link]") {
  DatagramSocket from("127.0.0.1");
  DatagramSocket to("127.0.0.1");
  for (const std::size_t bytes : {1400U, 1400U, 700U}) queue(from, test::random_bytes(bytes, 1), to.address());
  from.keep_apart();
  for (const std::size_t bytes : {900U, 900U}) queue(from, test::random_bytes(bytes, 2), to.address());
  CHECK(from.flush().sent == 5);
  for (const std::size_t bytes : {1400U, 1400U, 700U}) {  // one message each, though several may be joined
    pollfd event{to.descriptor(), POLLIN, 0};
    REQUIRE(poll(&event, 1, 10000) == 1);
    const auto received = to.receive(1);
    REQUIRE(received.size() == 1);
    CHECK(received[0].bytes.size() == bytes);
  }
}

TEST_CASE("datagrams over IPv6 arrive, too", "[link]") {
  DatagramSocket from("::1");
  DatagramSocket to("::1");
  for (int i = 0; i < 5; ++i) queue(from, test::random_bytes(1200, 7), to.address());
  CHECK(from.flush().sent == 5);
  CHECK(from.path_bytes(to.address()) < link::max_datagram_bytes);
  std::size_t count = 0;
  while (count < 5) {
    for (const auto& received : arrived(to)) {
      CHECK(received.bytes.size() == 1200);
      CHECK(received.from == from.address());
      ++count;
    }
  }
}

TEST_CASE("a few long datagrams fill the queue", "[link]") {
  DatagramSocket socket("127.0.0.1");
  while (!socket.slot().empty()) socket.push(link::max_datagram_bytes, socket.address());
  CHECK(socket.queued() == 5);
  socket.flush();
  CHECK_FALSE(socket.slot().empty());
}

TEST_CASE("the loopback path takes the longest datagram there is", "[link]") {
  DatagramSocket from("127.0.0.1");
  DatagramSocket to("127.0.0.2");
  CHECK(from.path_bytes(to.address()) == link::max_datagram_bytes);
}

TEST_CASE("a daemon that is gone costs its datagrams, not the socket", "[link]") {
  DatagramSocket from("127.0.0.1");
  Address gone;
  {
    const DatagramSocket short_lived("127.0.0.1");
    gone = short_lived.address();
  }
  const auto bytes = test::random_bytes(10, 1);
  for (int i = 0; i < 3; ++i) {
    queue(from, bytes, gone);
    CHECK_NOTHROW(from.flush());
    CHECK(from.receive().empty());
  }
  DatagramSocket alive("127.0.0.1");
  queue(from, bytes, alive.address());
  from.flush();
  CHECK(arrived(alive).size() == 1);
}

TEST_CASE("what the system cannot send now waits, what it must not send is dropped", "[link]") {
  struct Case {
    int error;
    bool waits;
  };
  for (const auto& [error, waits] :
       {Case{ENOBUFS, true}, Case{ENOMEM, true}, Case{EPERM, false}, Case{EACCES, false}}) {
    CAPTURE(error);
    DatagramSocket socket("127.0.0.1");
    queue(socket, test::random_bytes(10, 1), socket.address());
    const int status = test::status_in_child([&, error = error, waits = waits] {
      if (!test::refuse_call(SYS_sendmmsg, error)) return test::no_filter_status;
      const bool is_stuck = socket.flush().stuck;
      return is_stuck == waits && socket.stats().unsendable == (waits ? 0U : 1U) ? 0 : 1;
    });
    if (status == test::no_filter_status) return test::skip("this system forbids filters of system calls");
    CHECK(status == 0);
  }
}

TEST_CASE("addresses that cannot be used are named", "[link]") {
  CHECK_THROWS_WITH(DatagramSocket("localhorst"), Catch::Contains("\"localhorst\" is not an IPv4 or IPv6 address"));
  CHECK_THROWS_AS(DatagramSocket("300.0.0.1"), RunError);
  CHECK_THROWS_AS(DatagramSocket("192.0.2.1"), RunError);  // reserved for documentation, no host has it
}

TEST_CASE("a path whose length the system does not tell gets datagrams that pass everywhere", "[datagram socket]") {
  constexpr std::size_t large_buffer = 8 << 20;
  CHECK(DatagramSocket::datagram_bytes(std::nullopt, large_buffer) == 1280 - 28);
  CHECK(DatagramSocket::datagram_bytes(1500, large_buffer) == 1500 - 28);
  CHECK(DatagramSocket::datagram_bytes(65536, large_buffer) == link::max_datagram_bytes);
  CHECK(DatagramSocket::datagram_bytes(65536, 24 * 5000) == 5000);
  CHECK(DatagramSocket::datagram_bytes(0, large_buffer) == link::min_datagram_bytes);
}

TEST_CASE("datagrams fit into the least packet of IPv6 where the system does not tell a path's length", "[link]") {
  struct Case {
    const char* ip;
    std::uint32_t level, option;
    std::size_t expected;
  };
  for (const auto& [ip, level, option, expected] :
       {Case{"127.0.0.1", IPPROTO_IP, IP_MTU, 1280 - 28}, Case{"::1", IPPROTO_IPV6, IPV6_MTU, 1280 - 48}}) {
    CAPTURE(ip);
    const DatagramSocket socket(ip);
    const int status = test::status_in_child([&, level = level, option = option, expected = expected] {
      if (!test::refuse_call(SYS_getsockopt, EOPNOTSUPP, {{1, level}, {2, option}})) return test::no_filter_status;
      return socket.path_bytes(socket.address()) == expected ? 0 : 1;
    });
    if (status == test::no_filter_status) return test::skip("this system forbids filters of system calls");
    CHECK(status == 0);
  }
}

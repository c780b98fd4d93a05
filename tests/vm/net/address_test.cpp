#include "vm/net/address.hpp"

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <string>

#include "vm/status.hpp"

using namespace nasvm;
using namespace nasvm::net;

TEST_CASE("an address survives being written and read", "[address]") {
  CHECK(to_string(make_address("127.0.0.1", 4000)) == "127.0.0.1:4000");
  CHECK(to_string(parse_address("10.1.2.3:65535")) == "10.1.2.3:65535");
  CHECK(to_string(make_address("::1", 4000)) == "[::1]:4000");
  CHECK(to_string(parse_address("[2001:db8::7]:1")) == "[2001:db8::7]:1");
  CHECK(make_address("fe80::1%lo", 0).host() == "fe80::1%lo");
}

TEST_CASE("what is not an address and a port is refused", "[address]") {
  for (const char* bad :
       {"", "127.0.0.1", "127.0.0.1:", ":4000", "127.0.0.1:x", "127.0.0.1:4000x", "127.0.0.1:-1", "127.0.0.1:65536",
        "localhost:4000", "1.2.3:4000", "::1:4000", "[::1]", "[127.0.0.1]:4000", "[]:1"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(parse_address(bad), RunError);
  }
  CHECK_THROWS_AS(make_address("example", 1), RunError);
}

TEST_CASE("a listening socket gets an address of its own", "[address]") {
  const Fd a = listen_on("127.0.0.1", 1), b = listen_on("127.0.0.1", 1);
  CHECK(to_string(local_address(a.get())) != to_string(local_address(b.get())));
  CHECK_THROWS_AS(listen_on("192.0.2.1", 1), RunError);  // an address that no host has
}

TEST_CASE("a connection stays on one host between equal addresses and within the loopback network", "[address]") {
  const auto on_one = [](const char* a, const char* b) {
    return on_one_host(make_address(a, 1), make_address(b, 2));
  };
  CHECK(on_one("10.1.2.3", "10.1.2.3"));
  CHECK(on_one("127.0.0.1", "127.0.0.2"));
  CHECK(on_one("::1", "::1"));
  CHECK_FALSE(on_one("2001:db8::1", "2001:db8::2"));
  CHECK_FALSE(on_one("10.1.2.3", "10.1.2.4"));
  CHECK_FALSE(on_one("127.0.0.1", "10.1.2.3"));
}

TEST_CASE("congestion is controlled as asked, where the system can", "[address]") {
  const Fd socket = listen_on("127.0.0.1", 1);
  const auto method = [&] {
    char name[16] = "";
    socklen_t length = sizeof name;
    REQUIRE(::getsockopt(socket.get(), IPPROTO_TCP, TCP_CONGESTION, name, &length) == 0);
    return std::string(name);
  };
  set_congestion_control(socket.get(), "reno");  // every Linux has it
  CHECK(method() == "reno");
  set_congestion_control(socket.get(), "no such");
  CHECK(method() == "reno");
}

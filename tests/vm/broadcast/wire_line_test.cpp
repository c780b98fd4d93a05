#include "vm/broadcast/wire_line.hpp"

#include <catch2/catch.hpp>

using namespace nasvm;
using namespace nasvm::multicast;

TEST_CASE("a group over datagrams answers others as long as its line is there", "[broadcast]") {
  net::Poller poller;
  int answering = 0;
  const Surroundings here{.poller = &poller, .answer = [&](int more) { answering += more; }};
  const GroupPort::Options options{.ip = "127.0.0.1", .group = draw_group_address(Authentication::tag, 1)};
  {
    const WireLine line(here, std::make_unique<GroupPort>(options, make_secret()));
    CHECK(answering == 1);
  }
  CHECK(answering == 0);
}

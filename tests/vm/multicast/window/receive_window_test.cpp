#include "vm/multicast/window/receive_window.hpp"

#include <catch2/catch.hpp>

#include "vm/multicast/window/incoming.hpp"

using namespace nasvm::multicast;

TEST_CASE("a receive window knows what has come, what is missing, and nothing of what may come", "[multicast]") {
  ReceiveWindow window(100);
  CHECK(window.fits(99));
  CHECK_FALSE(window.fits(100));
  CHECK_FALSE(window.fits(~0U));
  CHECK(window.know(3) == Range{0, 3});
  window.come(2);
  CHECK(window.next() == 0);
  CHECK(window.has(2));
  CHECK_FALSE(window.has(1));
  CHECK_FALSE(window.has(3));
  CHECK(window.missing(0) == Range{0, 2});
  CHECK(window.missing(2).count == 0);
  CHECK(window.know(10) == Range{3, 7});
  CHECK(window.know(5).count == 0);
  CHECK(window.missing(2) == Range{3, 7});
  window.come(0);
  window.come(1);
  CHECK(window.next() == 3);
  CHECK(window.fits(102));
  CHECK(window.has(0));
  CHECK(window.has_gaps());
}

TEST_CASE("a receive window's ring is used again and again", "[multicast]") {
  ReceiveWindow window(64);
  for (std::uint32_t first = 0; first < 1000; first += 10) {
    window.know(first + 10);
    for (std::uint32_t i = 10; i-- > 0;) window.come(first + i);
    REQUIRE(window.next() == first + 10);
  }
  window.know(1063);
  CHECK(window.missing(1000) == Range{1000, 63});
}

TEST_CASE("only the pieces of the message that is coming are accepted", "[multicast]") {
  const std::vector<std::byte> bytes(100);
  const auto piece = [&](std::uint32_t sequence, std::uint64_t offset, std::size_t length, std::uint64_t total) {
    Packet packet;
    packet.sequence = sequence;
    packet.offset = offset;
    packet.message_bytes = total;
    packet.payload = std::span(bytes).first(length);
    return packet;
  };
  Incoming incoming(100);
  CHECK(incoming.accepts(piece(0, 0, 0, 0)));
  CHECK(incoming.accepts(piece(2, 200, 50, 250)));
  CHECK_FALSE(incoming.accepts(piece(2, 200, 49, 250)));
  CHECK_FALSE(incoming.accepts(piece(1, 200, 50, 250)));
  CHECK_FALSE(incoming.accepts(piece(3, 300, 0, 250)));
  CHECK_FALSE(incoming.accepts(piece(~0U, 0, 100, 250)));
  incoming.begin(piece(2, 200, 50, 250));
  CHECK_FALSE(incoming.accepts(piece(0, 0, 100, 251)));
  CHECK(incoming.ends_at(3));
  CHECK(incoming.ends_within(0, 3));
  CHECK_FALSE(incoming.ends_within(0, 2));
  incoming.finish();
  CHECK(incoming.first() == 3);
  CHECK_FALSE(incoming.ends_at(3));
  Packet next = piece(3, 0, 100, 100);
  CHECK_FALSE(incoming.accepts(next));
  next.message = 1;
  CHECK(incoming.accepts(next));
}

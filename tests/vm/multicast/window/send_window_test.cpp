#include "vm/multicast/window/send_window.hpp"

#include <catch2/catch.hpp>

using namespace nasvm::multicast;
using namespace std::chrono_literals;

namespace {

constexpr TimePoint start{1s};
constexpr TimePoint never = TimePoint::min();

/// Packets 0 to 9 have left, at `start`, as transmissions 0 to 9.
SendWindow ten_packets() {
  SendWindow window(10);
  for (std::uint32_t i = 0; i < 10; ++i) window.leave(i, start);
  return window;
}

}  // namespace

TEST_CASE("a send window is full until packets are released", "[multicast]") {
  SendWindow window = ten_packets();
  CHECK(window.full());
  CHECK(window.next() == 10);
  window.release(3);
  CHECK_FALSE(window.full());
  CHECK(window.base() == 3);
}

TEST_CASE("a packet that several miss leaves again once", "[multicast]") {
  SendWindow window = ten_packets();
  CHECK(window.miss({4, 2}, 9, never) == 2);
  CHECK(window.miss({4, 2}, 9, never) == 0);
  REQUIRE(window.repair() == 4U);
  CHECK(window.leave(4, start) == 10);
  REQUIRE(window.repair() == 5U);
  window.leave(5, start);
  CHECK_FALSE(window.repair());
  // A second receiver says the same, but had not seen the repairs when it did.
  CHECK(window.miss({4, 2}, 9, never) == 0);
  // A third one has seen what left after the first repair, so that was lost on its way there.
  CHECK(window.miss({4, 2}, 10, never) == 1);
  CHECK(window.repair() == 4U);
}

TEST_CASE("what left long ago leaves again whatever was seen", "[multicast]") {
  SendWindow window = ten_packets();
  CHECK(window.miss({8, 2}, std::nullopt, start - 1ns) == 0);
  CHECK(window.miss({8, 2}, Transmissions::none, start - 1ns) == 0);
  CHECK(window.miss({8, 2}, Transmissions::none, start) == 2);
}

TEST_CASE("the earliest packet is repaired first, and none that was released", "[multicast]") {
  SendWindow window = ten_packets();
  window.miss({7, 1}, 9, never);
  window.miss({2, 1}, 9, never);
  CHECK(window.repair() == 2U);
  window.release(5);
  CHECK(window.repair() == 7U);
  window.release(8);
  CHECK_FALSE(window.repair());
}

TEST_CASE("nothing is repaired that has not left or has been released", "[multicast]") {
  SendWindow window = ten_packets();
  window.release(4);
  CHECK(window.miss({0, 3}, 9, start) == 0);
  CHECK(window.miss({2, 3}, 9, start) == 1);
  CHECK(window.miss({10, 100}, 9, start) == 0);
  CHECK(window.miss({9, 4'000'000'000U}, 9, start) == 1);
  CHECK(window.miss({4'000'000'000U, 5}, 9, start) == 0);
}

TEST_CASE("what is skipped is released", "[multicast]") {
  SendWindow window = ten_packets();
  window.miss({7, 1}, 9, never);
  window.skip(25);
  CHECK(window.base() == 25);
  CHECK(window.next() == 25);
  CHECK_FALSE(window.repair());
}

TEST_CASE("times of transmissions are known as long as they are remembered", "[multicast]") {
  Transmissions transmissions(4);
  CHECK_FALSE(transmissions.left_at(0));
  CHECK_FALSE(transmissions.left_at(Transmissions::none));
  CHECK(transmissions.has_left(Transmissions::none));
  CHECK_FALSE(transmissions.has_left(0));
  for (int i = 0; i < 6; ++i) transmissions.add(start + i * 1s);
  CHECK_FALSE(transmissions.left_at(1));
  CHECK(transmissions.left_at(2) == start + 2s);
  CHECK(transmissions.left_at(5) == start + 5s);
  CHECK_FALSE(transmissions.left_at(6));
  CHECK(transmissions.has_left(5));
  CHECK_FALSE(transmissions.has_left(6));
}

#include <catch2/catch.hpp>
#include <deque>
#include <random>
#include <vector>

#include "vm/link/receive_window.hpp"
#include "vm/link/send_window.hpp"
#include "vm/link/simulated_pair.hpp"

using namespace nasvm::link;
using nasvm::test::random_bytes;
using Verdict = ReceiveWindow::Verdict;
using std::chrono::microseconds;
using std::chrono::milliseconds;

namespace {

const TimePoint start{std::chrono::seconds(1)};
constexpr Duration patience = milliseconds(100);

std::vector<std::byte> filled(std::size_t count) { return std::vector<std::byte>(count); }

}  // namespace

TEST_CASE("a receive window puts pieces in order, whatever their cut and overlap", "[link]") {
  const auto seed = GENERATE(range(0, 20));
  std::mt19937 random(static_cast<unsigned>(seed));
  const auto stream = random_bytes(50000, 1);
  ReceiveWindow window(1000, 0, 500);
  std::vector<std::byte> received;
  while (received.size() < stream.size()) {
    const std::size_t begin = received.size() < 500 ? random() % 1500 : received.size() - 500 + random() % 1500;
    if (begin >= stream.size()) continue;
    const std::size_t length = std::min<std::size_t>(1 + random() % 300, stream.size() - begin);
    const auto piece = std::span(stream).subspan(begin, length);
    const bool fits = begin + piece.size() <= window.right_edge();
    const bool news = begin + piece.size() > window.next();
    const Verdict verdict = window.accept(begin, piece);
    REQUIRE((verdict == Verdict::refused) == !fits);
    if (!news) REQUIRE(verdict == Verdict::duplicate);
    while (random() % 2 == 0 && !window.readable().empty()) {
      const auto readable = window.readable().first(1 + random() % window.readable().size());
      received.insert(received.end(), readable.begin(), readable.end());
      window.consume(readable.size());
    }
  }
  CHECK(received == stream);
  CHECK_FALSE(window.has_gaps());
}

TEST_CASE("a receive window says what it did with a piece", "[link]") {
  ReceiveWindow window(100, 1000, 2);
  CHECK(window.accept(1010, filled(10)) == Verdict::held);
  CHECK(window.accept(1010, filled(10)) == Verdict::duplicate);
  CHECK(window.accept(1012, filled(3)) == Verdict::duplicate);
  CHECK(window.accept(1030, filled(10)) == Verdict::held);
  CHECK(window.accept(1050, filled(10)) == Verdict::refused);  // a third range
  CHECK(window.accept(1040, filled(10)) == Verdict::held);     // touches one, so it needs no place
  CHECK(window.accept(1091, filled(10)) == Verdict::refused);  // beyond the edge
  CHECK(window.accept(1091, filled(9)) == Verdict::refused);   // a third range
  CHECK(window.accept(2000, filled(1)) == Verdict::refused);
  CHECK(window.next() == 1000);
  CHECK(window.accept(1000, filled(5)) == Verdict::advanced);
  CHECK(window.next() == 1005);
  CHECK(window.accept(1001, filled(9)) == Verdict::advanced);
  CHECK(window.next() == 1020);
  CHECK(window.accept(1019, filled(12)) == Verdict::advanced);
  CHECK(window.next() == 1050);
  CHECK(window.accept(1000, filled(50)) == Verdict::duplicate);
  CHECK_FALSE(window.has_gaps());
  CHECK(window.readable().size() == 50);
}

TEST_CASE("a receive window reports its latest range first and all others in turn", "[link]") {
  ReceiveWindow window(1000, 0, 100);
  for (std::uint64_t i = 40; i > 0; --i) window.accept(20 * i, filled(10));
  window.accept(20 * 25 - 1, filled(5));  // the latest: joins the 25th range
  std::vector<bool> seen(41);
  for (int call = 0; call < 3; ++call) {
    std::array<Range, 16> ranges;
    REQUIRE(window.report(ranges) == 16);
    CHECK(ranges[0].begin == 20 * 25 - 1);
    for (const Range& range : ranges) {
      CHECK(range.end == (range.end - 10) / 20 * 20 + 10);
      seen[(range.end - 10) / 20] = true;
    }
  }
  CHECK(std::count(seen.begin(), seen.end(), true) == 40);
}

TEST_CASE("a send window finds what three later arrivals prove lost", "[link]") {
  SendWindow window(10000, 0, 100);
  window.write(filled(1000));
  for (int i = 0; i < 6; ++i) window.transmit_new(100, start);
  const auto arrive = [&](std::uint64_t begin, std::uint64_t end) {
    const Range range{begin, end};
    return window.acknowledge(0, {&range, 1}, start, Duration::zero());
  };
  CHECK(arrive(100, 300) == 200);  // the second and third
  CHECK(window.find_losses(start, patience).segments == 0);
  CHECK(arrive(100, 300) == 0);
  CHECK(arrive(300, 400) == 100);  // the fourth is the third after the first
  const auto losses = window.find_losses(start, patience);
  CHECK(losses.segments == 1);
  CHECK(losses.latest_order == 0);
  REQUIRE(window.first_lost());
  CHECK(window.first_lost()->begin == 0);
  CHECK(window.in_flight() == 200);

  window.transmit_again(0, start);
  CHECK(window.in_flight() == 300);
  CHECK_FALSE(window.first_lost());
  // The retransmission is lost too: what left after it proves that.
  for (int i = 0; i < 3; ++i) window.transmit_new(100, start);
  CHECK(arrive(600, 900) == 300);
  CHECK(window.find_losses(start, patience).segments == 3);  // the first, and the two before it
  CHECK(window.acknowledge(900, {}, start, Duration::zero()) == 300);
  CHECK(window.in_flight() == 0);
  CHECK_FALSE(window.outstanding());
  CHECK_FALSE(window.idle());
  CHECK(window.writable() == 9900);
}

TEST_CASE("a send window takes for lost what is late by time alone", "[link]") {
  SendWindow window(10000, 0, 100);
  window.write(filled(200));
  window.transmit_new(100, start);
  window.transmit_new(100, start);
  const Range range{100, 200};
  window.acknowledge(0, {&range, 1}, start, Duration::zero());
  const auto losses = window.find_losses(start, patience);
  CHECK(losses.segments == 0);
  REQUIRE(losses.next_check);
  CHECK(*losses.next_check == start + patience);
  CHECK(window.find_losses(start + patience, patience).segments == 1);
}

TEST_CASE("the arrival of an earlier copy is no evidence against what left before the later one", "[link]") {
  SendWindow window(10000, 0, 100);
  window.write(filled(500));
  for (int i = 0; i < 5; ++i) window.transmit_new(100, start);
  window.lose_all();
  CHECK(window.in_flight() == 0);
  for (std::uint64_t begin = 100; begin < 500; begin += 100) window.transmit_again(begin, start + milliseconds(5));
  window.transmit_again(0, start + milliseconds(5));
  // Answered sooner than any round trip: this was the first transmission.
  window.acknowledge(100, {}, start + milliseconds(5) + microseconds(10), milliseconds(1));
  CHECK(window.find_losses(start + milliseconds(5), patience).segments == 0);
}

TEST_CASE("a send window cuts anew what is too long and keeps account", "[link]") {
  SendWindow window(10000, 0, 100);
  window.write(random_bytes(5000, 1));
  for (int i = 0; i < 5; ++i) window.transmit_new(1000, start);
  const Range range{2000, 3000};
  window.acknowledge(1000, {&range, 1}, start, Duration::zero());
  window.recut(300);
  CHECK(window.in_flight() == 0);
  std::size_t again = 0;
  while (const auto lost = window.first_lost()) {
    CHECK(lost->bytes <= 300);
    CHECK_FALSE((lost->begin >= 2000 && lost->begin < 3000));
    window.transmit_again(lost->begin, start);
    again += lost->bytes;
  }
  CHECK(again == 3000);
  CHECK(window.in_flight() == 3000);
  // Where the receiver's cut lies inside a piece, the piece's front counts as arrived.
  CHECK(window.acknowledge(1450, {}, start, Duration::zero()) == 450);
  CHECK(window.in_flight() == 2550);
  CHECK(window.acknowledge(5000, {}, start, Duration::zero()) == 2550);
  CHECK(window.idle() == true);
  CHECK(window.in_flight() == 0);
}

TEST_CASE("a send window's records wrap around and are bounded", "[link]") {
  SendWindow window(10000, 0, 8);
  std::uint64_t acknowledged = 0;
  for (int round = 0; round < 1000; ++round) {
    window.write(filled(8));
    while (!window.full() && window.unsent() > 0) window.transmit_new(1, start);
    CHECK(window.next() == acknowledged + 8);
    CHECK(window.full());
    acknowledged += 8;
    REQUIRE(window.acknowledge(acknowledged, {}, start, Duration::zero()) == 8);
  }
  CHECK(window.idle());
}

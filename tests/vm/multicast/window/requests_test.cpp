#include "vm/multicast/window/requests.hpp"

#include <catch2/catch.hpp>

using namespace nasvm;
using namespace nasvm::multicast;
using namespace std::chrono_literals;

namespace {

constexpr TimePoint start{1s};

/// A receiver's window and requests, its time-out 10 ms unless said.
struct Bench {
  explicit Bench(const Settings& settings = {.timeout = 10ms}) : requests(settings, 1, 64) {}

  /// Transmission 100 shows that all before `upto` have left.
  void miss(std::uint32_t upto, TimePoint now) { requests.missed(window.know(upto), 100, now); }
  /// A repair comes, or the packet itself, late.
  void take(std::uint32_t sequence, TimePoint now, std::uint32_t transmission = 101) {
    requests.found(sequence, transmission, now);
    window.come(sequence);
  }
  std::vector<Range> collect(TimePoint now, std::size_t room = 64) {
    std::vector<Range> ranges(room);
    ranges.resize(requests.collect(window, now, ranges));
    return ranges;
  }

  ReceiveWindow window{64};
  Requests requests;
};

using Ranges = std::vector<Range>;

}  // namespace

TEST_CASE("a gap is asked for at once, and again after a time-out that grows", "[multicast]") {
  Bench bench;
  CHECK(bench.requests.deadline() == TimePoint::max());
  bench.miss(3, start);
  CHECK(bench.requests.deadline() <= start);
  CHECK(bench.collect(start) == Ranges{{0, 3}});
  CHECK(bench.requests.deadline() == start + 10ms);
  bench.take(1, start + 1ms);
  CHECK(bench.collect(start + 10ms) == Ranges{{0, 1}, {2, 1}});
  CHECK(bench.requests.deadline() == start + 30ms);
  bench.take(0, start + 11ms);
  bench.take(2, start + 11ms);
  CHECK(bench.collect(start + 30ms).empty());
  CHECK(bench.requests.deadline() == TimePoint::max());
}

TEST_CASE("ranges that do not fit are asked for next", "[multicast]") {
  Bench bench;
  for (const std::uint32_t sequence : {1U, 3U, 5U}) {
    bench.miss(sequence + 1, start);
    bench.take(sequence, start);
  }
  CHECK(bench.collect(start, 2) == Ranges{{0, 1}, {2, 1}});
  CHECK(bench.requests.deadline() <= start);
  CHECK(bench.collect(start, 2) == Ranges{{4, 1}});
  CHECK(bench.requests.deadline() == start + 10ms);
}

TEST_CASE("who is asked says all that is missing, but not twice at one time", "[multicast]") {
  Bench bench;
  bench.miss(2, start);
  bench.collect(start);
  bench.requests.all_at_once(start + 1ms);
  CHECK(bench.requests.deadline() <= start + 1ms);
  CHECK(bench.collect(start + 1ms) == Ranges{{0, 2}});
  bench.requests.all_at_once(start + 1ms);
  CHECK(bench.collect(start + 1ms).empty());
}

TEST_CASE("without room one packet is asked for from time to time, and all when there is some again", "[multicast]") {
  Bench bench;
  bench.window.know(3);
  for (const std::uint32_t sequence : {0U, 1U, 2U}) bench.requests.refused(sequence, sequence, start);
  CHECK(bench.requests.deadline() == start + 10ms);
  CHECK(bench.collect(start + 10ms) == Ranges{{0, 1}});
  bench.requests.refused(0, 0, start + 11ms);
  CHECK(bench.collect(start + 25ms).empty());  // later than the first time
  SECTION("a packet is taken") {
    bench.take(0, start + 12ms);
    CHECK(bench.collect(start + 12ms) == Ranges{{1, 2}});
  }
  SECTION("the receiver is told") {
    bench.requests.room(start + 12ms);
    CHECK(bench.collect(start + 12ms) == Ranges{{0, 3}});
  }
}

TEST_CASE("time without room is no time that a repair takes", "[multicast]") {
  Bench bench{Settings{}};
  bench.miss(2, start);
  CHECK(bench.collect(start) == Ranges{{0, 2}});
  bench.requests.refused(1, 101, start + 1ms);
  const TimePoint later = start + 60s;
  CHECK(bench.collect(later) == Ranges{{0, 1}});
  bench.take(0, later + 1ms, 102);  // what was asked for a minute ago, and again just now
  bench.collect(later + 1ms);
  bench.requests.refused(1, 103, later + 2ms);
  CHECK(bench.requests.deadline() <= later + 2ms + 200ms);
}

TEST_CASE("a receiver that had room asks for nothing more when it is told of some", "[multicast]") {
  Bench bench;
  bench.miss(2, start);
  bench.collect(start);
  bench.requests.room(start + 1ms);
  CHECK(bench.collect(start + 1ms).empty());
}

TEST_CASE("the time-out follows the time that repairs take", "[multicast]") {
  Bench bench{Settings{}};
  for (std::uint32_t i = 0; i < 20; ++i) {
    const TimePoint now = start + i * 1s;
    bench.miss(i + 1, now);
    REQUIRE(bench.collect(now).size() == 1);
    bench.take(i, now + 40ms);
  }
  bench.miss(21, start + 30s);
  bench.collect(start + 30s);
  CHECK(bench.requests.deadline() > start + 30s + 40ms);
  CHECK(bench.requests.deadline() < start + 30s + 80ms);
}

TEST_CASE("receivers that suppress NAKs wait a while, and longer when another has asked", "[multicast]") {
  Bench bench{Settings{.timeout = 10ms, .receivers_suppress = true}};
  bench.miss(2, start);
  const TimePoint due = bench.requests.deadline();
  CHECK(due >= start);
  CHECK(due <= start + 2ms);
  bench.requests.heard({1, 100}, bench.window, start);
  CHECK(bench.collect(due) == Ranges{{0, 1}});
  CHECK(bench.collect(start + 9ms).empty());
  const Ranges later = bench.collect(start + 12ms);
  REQUIRE_FALSE(later.empty());
  CHECK(later.back().end() == 2);
}

TEST_CASE("who has seen packets come late waits before it asks, and less after losses", "[multicast]") {
  Bench bench;
  bench.miss(1, start);
  CHECK(bench.collect(start) == Ranges{{0, 1}});
  bench.take(0, start + 2ms, 99);
  bench.miss(3, start + 10ms);
  CHECK(bench.collect(start + 12ms).empty());
  CHECK(bench.requests.deadline() == start + 13ms);
  bench.requests.all_at_once(start + 12ms);
  CHECK(bench.collect(start + 12ms).empty());
  bench.take(1, start + 12ms, 98);
  CHECK(bench.collect(start + 13ms) == Ranges{{2, 1}});
  bench.take(2, start + 14ms);
  bench.miss(4, start + 20ms);
  CHECK(bench.collect(start + 20ms).empty());
  CHECK(bench.requests.deadline() == start + 20ms + 3ms - 3'000'000ns / 16);
}

TEST_CASE("however late packets come, what is missing is asked for within 5 ms", "[multicast]") {
  Bench bench;
  bench.miss(1, start);
  bench.take(0, start + 1s, 99);
  bench.miss(2, start + 2s);
  CHECK(bench.collect(start + 2s).empty());
  CHECK(bench.requests.deadline() == start + 2s + 5ms);
}

#include "lab/lossy_link.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace nasvm::lab {
namespace {

using namespace std::chrono_literals;
using TimePoint = LossyLink::TimePoint;

/// A datagram of four bytes that carries a number.
std::vector<std::byte> numbered(std::uint32_t number) {
  std::vector<std::byte> bytes(sizeof(number));
  for (auto& byte : bytes) {
    byte = static_cast<std::byte>(number);
    number >>= 8U;
  }
  return bytes;
}

std::uint32_t number_of(const std::vector<std::byte>& bytes) {
  std::uint32_t number = 0;
  for (auto byte = bytes.rbegin(); byte != bytes.rend(); ++byte)
    number = (number << 8U) | static_cast<unsigned>(*byte);
  return number;
}

/// Sends `count` numbers, one each microsecond, and returns those that have arrived at the end of time.
std::vector<std::uint32_t> carry(LossyLink& link, std::uint32_t count) {
  TimePoint now{};
  for (std::uint32_t number = 0; number < count; ++number) link.send(numbered(number), now += 1us);
  std::vector<std::uint32_t> arrived;
  for (auto datagram = link.receive(now + 1h); datagram.has_value(); datagram = link.receive(now + 1h)) {
    arrived.push_back(number_of(*datagram));
  }
  return arrived;
}

std::vector<std::uint32_t> in_order(std::uint32_t count) {
  std::vector<std::uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0U);
  return numbers;
}

}  // namespace

TEST_CASE("a lossy link without options delivers everything once and in order", "[lab]") {
  LossyLink link({});
  CHECK(carry(link, 1000) == in_order(1000));
}

TEST_CASE("a lossy link delivers after its delay and not before", "[lab]") {
  LossyLink link({.delay = 3ms});
  const TimePoint start{};
  link.send(numbered(7), start);
  CHECK(link.next_arrival() == start + 3ms);
  CHECK_FALSE(link.receive(start + 3ms - 1ns));
  const auto datagram = link.receive(start + 3ms);
  REQUIRE(datagram);
  CHECK(number_of(*datagram) == 7);
  CHECK(link.next_arrival() == TimePoint::max());
}

TEST_CASE("a lossy link lets others overtake the share of late ones and loses none", "[lab]") {
  LossyLink link({.reordering = 0.05, .delay = 1ms, .lateness = 1ms});
  auto arrived = carry(link, 10000);
  CHECK_FALSE(arrived == in_order(10000));
  CHECK(link.stats.late > 400);
  CHECK(link.stats.late < 600);
  std::ranges::sort(arrived);
  CHECK(arrived == in_order(10000));
}

TEST_CASE("a lossy link delivers the share of duplicates twice", "[lab]") {
  LossyLink link({.duplication = 0.05});
  const auto arrived = carry(link, 10000);
  CHECK(link.stats.duplicated > 400);
  CHECK(link.stats.duplicated < 600);
  CHECK(arrived.size() == 10000 + link.stats.duplicated);
}

TEST_CASE("a lossy link with the same seed does the same again, with another one something else", "[lab]") {
  const auto run = [](std::uint64_t seed) {
    LossyLink link({.seed = seed, .loss = 0.1, .duplication = 0.1, .reordering = 0.1});
    return carry(link, 1000);
  };
  CHECK(run(1) == run(1));
  CHECK(run(1) != run(2));
}

TEST_CASE("a lossy link drops what would be on its way beyond its bound, and takes more when some has arrived",
          "[lab]") {
  LossyLink link({.delay = 1ms, .transit_bytes = 10});
  const TimePoint start{};
  for (std::uint32_t number = 0; number < 3; ++number) link.send(numbered(number), start);
  CHECK(link.stats.lost == 1);
  REQUIRE(link.receive(start + 1ms));
  link.send(numbered(3), start + 1ms);
  CHECK(link.stats.lost == 1);
  REQUIRE(link.receive(start + 2ms));
  const auto last = link.receive(start + 2ms);
  REQUIRE(last);
  CHECK(number_of(*last) == 3);
}

}  // namespace nasvm::lab

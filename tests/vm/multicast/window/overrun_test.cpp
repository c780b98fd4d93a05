#include "vm/multicast/window/overrun.hpp"

#include <catch2/catch.hpp>
#include <random>

using namespace nasvm::multicast;
using namespace std::chrono_literals;

namespace {

constexpr double packet_bits = 10'000;

/// A sender that sends at a rate, or at a million packets in a second, and receivers that tell after each 100
/// packets.
struct Path {
  std::vector<double> capacities;  ///< of each receiver's way, in packets per second
  double random_loss = 0;

  void run(int rounds) {
    for (int i = 0; i < rounds; ++i) {
      const double rate = overrun.rate() > 0 ? overrun.rate() / packet_bits : 1e6;
      now += std::chrono::duration_cast<Duration>(std::chrono::duration<double>(100 / rate));
      next += 100;
      for (std::size_t r = silent; r < capacities.size(); ++r) {
        arrived[r] += 100 * (1 - random_loss) * std::min(1.0, capacities[r] / rate);
        overrun.report(static_cast<Node>(r) + 1, {0, next - 1, static_cast<std::uint64_t>(arrived[r])}, next, now);
      }
    }
  }
  [[nodiscard]] double rate() const { return overrun.rate() / packet_bits; }

  Overrun overrun{10, packet_bits};
  std::vector<double> arrived = std::vector<double>(10);
  std::uint32_t next = 0;
  std::size_t silent = 0;  ///< receivers that say nothing: the first ones
  TimePoint now{1s};
};

}  // namespace

TEST_CASE("who loses nothing sets no rate", "[multicast]") {
  Path path{.capacities = {2e6, 2e6}};
  path.run(100);
  CHECK(path.rate() == 0);
}

TEST_CASE("losses by chance do not slow a sender for long", "[multicast]") {
  Path path{.capacities = {2e6, 2e6, 2e6}, .random_loss = GENERATE(0.05, 0.2, 0.3, 0.5)};
  path.run(100);
  CHECK((path.rate() == 0 || path.rate() > 1e6));
}

TEST_CASE("a loss of nearly everything is never taken for chance", "[multicast]") {
  Path path{.capacities = {2e6, 2e6, 2e6}, .random_loss = 0.97};
  path.run(20);
  CHECK(path.rate() > 0);
  CHECK(path.rate() < 100);
  path.random_loss = 0;
  path.run(100);
  CHECK(path.rate() > 1e6);
}

TEST_CASE("questions that arrive do not hide that no packet does that IP cuts", "[multicast]") {
  constexpr double cut_bits = 8 * 8192;
  Overrun overrun(2, cut_bits);
  std::uint32_t next = 0;
  std::uint64_t arrived = 0;
  TimePoint now{1s};
  for (int i = 0; i < 1000; ++i, now += 1ms) {  // a packet that is lost, a question that is not
    overrun.asks();
    next += 2;
    overrun.report(1, {0, next - 1, ++arrived}, next, now);
  }
  CHECK(overrun.rate() > 0);
  CHECK(overrun.rate() / cut_bits < 100);
}

TEST_CASE("questions that are lost as often as packets are no sign of anything", "[multicast]") {
  const double bits = GENERATE(8.0 * 1400, 8.0 * 8192);
  const double lost = bits > 8 * 1500 ? 0.05 : 0.35;  // of questions: shorter than a packet that is cut
  std::mt19937 random(7);
  const auto arrives = [&](double loss) { return std::uniform_real_distribution<>(0, 1)(random) >= loss; };
  Overrun overrun(2, bits);
  std::uint32_t next = 0;
  std::uint64_t arrived = 0;
  double least = 1e9;
  TimePoint now{1s};
  for (int i = 0; i < 20'000; ++i, now += 100us) {  // short messages: a packet, two questions
    arrived += arrives(std::max(lost, 0.26)) ? 1 : 0;
    for (int question = 0; question < 2; ++question) {
      overrun.asks();
      arrived += arrives(lost) ? 1 : 0;
    }
    next += 3;
    overrun.report(1, {0, next - 1, arrived}, next, now);
    if (overrun.rate() > 0) least = std::min(least, overrun.rate() / bits);
  }
  CHECK(least > 1000);
}

TEST_CASE("a sender that overruns a receiver's way comes down to what that carries", "[multicast]") {
  const double slowest = GENERATE(500'000.0, 100'000.0, 10'000.0);
  Path path{.capacities = {600'000, slowest, 700'000}};
  path.run(30);
  for (int i = 0; i < 20; ++i) {
    path.run(1);
    CHECK(path.rate() > 0.7 * slowest);
    CHECK(path.rate() < 1.8 * slowest);
  }
}

TEST_CASE("when the way is free again, the rate rises", "[multicast]") {
  Path path{.capacities = {10'000}};
  path.run(30);
  path.capacities = {5e6};
  path.run(60);
  CHECK(path.rate() > 1e6);
}

TEST_CASE("time in which nothing was to leave is no time of a sample", "[multicast]") {
  Overrun overrun(2, packet_bits);
  TimePoint now{1s};
  overrun.report(1, {0, 9, 10}, 10, now);
  now += 10s;
  overrun.paused(10s, now);
  now += 3ms;
  REQUIRE(overrun.report(1, {0, 309, 130}, 310, now));
  CHECK(overrun.rate() / packet_bits == Approx(40'000));
}

TEST_CASE("a sender of two thousand million packets still comes down", "[multicast]") {
  Path path{.capacities = {10'000}};
  path.next = 0x8000'0000;
  path.run(30);
  CHECK(path.rate() > 7'000);
  CHECK(path.rate() < 18'000);
}

TEST_CASE("a receiver that is lost holds nobody to its rate", "[multicast]") {
  Path path{.capacities = {10'000, 5e6}};
  path.run(2);
  path.overrun.lost(1);
  path.silent = 1;
  path.run(60);
  CHECK(path.rate() > 1e6);
}

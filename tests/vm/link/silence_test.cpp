#include <catch2/catch.hpp>

#include "vm/link/simulated_pair.hpp"

using namespace nasvm::test;

namespace {

/// As daemons have them.
Channel::Options patient() {
  Channel::Options options;
  options.keepalive_after = seconds(2);
  options.dead_after = seconds(6);
  return options;
}

/// Has one of the two been taken for dead within `limit`?
bool seems_dead(SimulatedPair& pair, nasvm::link::Duration limit) {
  return pair.run_until([&] { return pair.a.channel.dead(pair.now) || pair.b.channel.dead(pair.now); }, limit);
}

}  // namespace

TEST_CASE("loss alone does not make a silent peer seem dead", "[link]") {
  const double loss = GENERATE(0.05, 0.3);
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{9}));
  SimulatedPair pair(patient(), {.seed = seed, .loss = loss});
  CHECK_FALSE(seems_dead(pair, std::chrono::hours(12)));
}

TEST_CASE("loss alone does not make a peer seem dead to which data is sent now and then", "[link]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{5}));
  SimulatedPair pair(patient(), {.seed = seed, .loss = 0.3});
  for (int round = 0; round < 2000; ++round) {
    const auto more = random_bytes(3000, seed);
    pair.a.to_send.insert(pair.a.to_send.end(), more.begin(), more.end());
    REQUIRE_FALSE(seems_dead(pair, seconds(3)));
  }
  CHECK(pair.deliver_all(seconds(60)));
}

TEST_CASE("a peer that is gone is found dead within ten seconds through loss, too", "[link]") {
  const double loss = GENERATE(0.0, 0.05, 0.3);
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{5}));
  SimulatedPair pair(patient(), {.seed = seed, .loss = loss});
  pair.run_for(seconds(20) + milliseconds(170 * static_cast<int>(seed)));
  pair.b_to_a.options.loss = 1;
  const auto before = pair.a.channel.stats().probes_sent;
  pair.run_for(milliseconds(8210));
  CHECK(pair.a.channel.dead(pair.now));
  CHECK(pair.a.channel.stats().probes_sent - before < 50);
}

TEST_CASE("a peer that answers is asked once in a while", "[link]") {
  SimulatedPair pair(patient(), {});
  pair.run_for(seconds(200));
  CHECK(pair.a.channel.stats().probes_sent + pair.b.channel.stats().probes_sent <= 200);
}

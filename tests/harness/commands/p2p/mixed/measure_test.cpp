#include "harness/commands/p2p/mixed/measure.hpp"

#include <catch2/catch.hpp>

#include "support/thread_machine.hpp"

using namespace nasvm;
using test::run_ranks;

namespace {

std::vector<std::array<MixedMeter::Side, 2>> measured(const Effort& effort, const std::vector<std::uint64_t>& sizes) {
  std::vector<std::array<MixedMeter::Side, 2>> all;
  run_ranks(mixed_tasks, [&](Comm& comm) {
    if (comm.rank() != mixed_middle) return echo(comm, sizes.back());
    MixedMeter meter(comm, effort, sizes.back());
    for (const std::uint64_t bytes : sizes) all.push_back(meter.measure(bytes));
    meter.stop();
  });
  return all;
}

}  // namespace

TEST_CASE("mixed measure: both pairs make round trips of every size, the first as many as asked for") {
  const auto all = measured({.iterations = 50, .warmup = 3, .window = {}}, {0, 1, 100'000});
  REQUIRE(all.size() == 3);
  for (const auto& sides : all) {
    CHECK(sides[0].round_trips >= 50);
    CHECK(sides[1].round_trips >= 4);
    for (const MixedMeter::Side& side : sides) {
      CHECK(side.latency.min_us > 0);
      CHECK(side.latency.min_us <= side.latency.mean_us);
      CHECK(side.latency.mean_us <= side.latency.max_us);
    }
  }
}

TEST_CASE("mixed measure: finds its own number of round trips") {
  Effort effort;
  effort.sample_time_s = 0.001;
  const auto all = measured(effort, {8});
  CHECK(all.at(0)[0].round_trips >= 16);
}

#include "vm/farm/lead.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "vm/farm/simulated_crew.hpp"

using namespace nasvm;
using namespace nasvm::test;

namespace {

/// Units per second of a worker: EP's on a processor of today.
constexpr double fast = 6000;

void check_complete(SimulatedCrew& crew, std::int64_t units) {
  const farm::Yield yield = crew.lead(units);
  const auto count = static_cast<double>(units);
  CHECK(yield.sum == farm::Row{count, count * (count - 1) / 2});
}

std::vector<SimulatedWorker> equal_workers(int count) {
  return std::vector<SimulatedWorker>(static_cast<std::size_t>(count), SimulatedWorker{.speed = fast});
}

}  // namespace

TEST_CASE("farm: every unit counts once, however many units and workers there are") {
  for (const int workers : {1, 2, 3, 8, 33}) {
    for (const std::int64_t units : {1, 2, 7, 64, 1000}) {
      INFO(units << " units, " << workers << " workers");
      SimulatedCrew crew(equal_workers(workers), 0.0002);
      check_complete(crew, units);
    }
  }
}

TEST_CASE("farm: a leader alone computes everything itself") {
  SimulatedCrew crew(equal_workers(1), 0.0002);
  check_complete(crew, 1000);
  CHECK(crew.given == 0);
  CHECK(crew.efficiency(1000) == Approx(1));
}

TEST_CASE("farm: eight workers, one of them ten times slower, reach 0.95 of the sum of their speeds") {
  for (const int slow_one : {1, 7}) {
    for (const double latency_s : {0.0001, 0.001}) {
      auto workers = equal_workers(8);
      workers[static_cast<std::size_t>(slow_one)].speed = fast / 10;
      SimulatedCrew crew(workers, latency_s);
      check_complete(crew, 1 << 14);
      INFO("latency " << latency_s << " s, " << crew.given << " pieces");
      CHECK(crew.efficiency(1 << 14) > 0.95);
    }
  }
}

TEST_CASE("farm: workers of ten speeds reach 0.95 of their sum") {
  auto workers = equal_workers(10);
  for (std::size_t worker = 1; worker < 10; ++worker) workers[worker].speed = fast / static_cast<double>(worker);
  SimulatedCrew crew(workers, 0.0002);
  check_complete(crew, 1 << 14);
  CHECK(crew.efficiency(1 << 14) > 0.95);
}

TEST_CASE("farm: a leader ten times slower than its workers does not hold them up") {
  auto workers = equal_workers(8);
  workers[0].speed = fast / 10;
  SimulatedCrew crew(workers, 0.0002);
  check_complete(crew, 1 << 14);
  CHECK(crew.efficiency(1 << 14) > 0.95);
}

TEST_CASE("farm: a worker that becomes ten times slower on the way costs little more than its speed") {
  auto workers = equal_workers(4);
  workers[2].changes_s = 0.3;
  workers[2].speed_then = fast / 10;
  SimulatedCrew crew(workers, 0.0002);
  const std::int64_t units = 1 << 14;
  check_complete(crew, units);
  const double ideal_s = 0.3 + (static_cast<double>(units) - 0.3 * 4 * fast) / (3.1 * fast);
  CHECK(ideal_s / crew.now_s() > 0.95);
}

TEST_CASE("farm: a worker's death costs what it had in hand, also when nobody notices") {
  for (const double noticed_after_s : {0.0, 0.05, 1000.0}) {
    auto workers = equal_workers(4);
    workers[3].dies_s = 0.3;
    workers[3].noticed_after_s = noticed_after_s;
    SimulatedCrew crew(workers, 0.0002);
    const std::int64_t units = 1 << 14;
    check_complete(crew, units);
    const double ideal_s = 0.3 + (static_cast<double>(units) - 0.3 * 4 * fast) / (3 * fast);
    INFO("noticed after " << noticed_after_s << " s");
    CHECK(ideal_s / crew.now_s() > 0.85);
  }
}

TEST_CASE("farm: the leader alone is enough when all others die") {
  auto workers = equal_workers(5);
  for (std::size_t worker = 1; worker < 5; ++worker) workers[worker].dies_s = 0.05 * static_cast<double>(worker);
  SimulatedCrew crew(workers, 0.0002);
  check_complete(crew, 1 << 12);
}

TEST_CASE("farm: it keeps its result through deaths and changes of speed at any time") {
  std::mt19937 random(20);
  std::uniform_real_distribution<double> part;
  for (int trial = 0; trial < 500; ++trial) {
    auto workers = equal_workers(1 + static_cast<int>(random() % 8));
    for (std::size_t worker = 0; worker < workers.size(); ++worker) {
      workers[worker].speed = fast * (0.05 + part(random));
      if (worker == 0) continue;
      if (random() % 2 == 0) workers[worker].dies_s = 0.2 * part(random);
      workers[worker].noticed_after_s = random() % 2 == 0 ? 0.1 * part(random) : 10;
      if (random() % 2 == 0) workers[worker].changes_s = 0.2 * part(random);
      workers[worker].speed_then = fast * (0.05 + part(random));
    }
    SimulatedCrew crew(workers, 0.002 * part(random));
    INFO("trial " << trial);
    check_complete(crew, 1 + static_cast<std::int64_t>(random() % 3000));
  }
}

TEST_CASE("farm: messages are few where the work is long") {
  SimulatedCrew crew(equal_workers(8), 0.0002);
  const std::int64_t units = 1 << 18;  // 5.5 s
  check_complete(crew, units);
  CHECK(crew.given < 7 * 100);
  CHECK(static_cast<double>(crew.most_given_units) <= 0.1 * fast);
}

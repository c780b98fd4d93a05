#include "harness/commands/regress/sequential.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <limits>
#include <random>

#include "harness/commands/regress/block_conditions.hpp"

using namespace nasvm;

namespace {

struct Launch {
  double log_time;
  double core_to_core_ns = 0;  ///< 0: its conditions are not known

  Launch(double log, double ns = 0) : log_time(log), core_to_core_ns(ns) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] Sampled sampled() const {
    return core_to_core_ns > 0 ? Sampled{Conditions{core_to_core_ns, 12, 0, 0, 1}} : Sampled{};
  }
};

/// Launches, one after the other.
using Launches = std::function<Launch(std::mt19937_64& random)>;

/// Makes a series of launches of one case; series differ.
using Machine = std::function<Launches()>;

double uniform(std::mt19937_64& random) { return (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53; }

double normal(std::mt19937_64& random) {
  return std::sqrt(-2 * std::log(uniform(random))) * std::cos(6.283185307179586 * uniform(random));
}

/// Each launch off by some 4 %.
Launches quiet() {
  return [](std::mt19937_64& random) { return 0.04 * normal(random); };
}

/// Cauchy's distribution: no mean, now and then a launch takes many times as long.
Launches with_outliers() {
  return [](std::mt19937_64& random) { return 0.015 * std::tan(3.141592653589793 * (uniform(random) - 0.5)); };
}

/// A hypervisor that moves cores: times are half as long again for a while.
Launches with_modes() {
  return [far = false](std::mt19937_64& random) mutable {
    if (uniform(random) < 0.05) far = !far;
    return 0.03 * normal(random) + (far ? 0.4 : 0);
  };
}

/// The same, and the probes see it.
Launches with_seen_modes() {
  return [far = false](std::mt19937_64& random) mutable {
    if (uniform(random) < 0.05) far = !far;
    return Launch(0.03 * normal(random) + (far ? 0.4 : 0), far ? 250 : 55);
  };
}

/// Each launch is another one, and the probes see that.
Launches never_the_same() {
  return [](std::mt19937_64& random) {
    const bool far = uniform(random) < 0.5;
    return Launch(0.03 * normal(random) + (far ? 0.1 : 0), far ? 250 : 55);
  };
}

/// The machine gets slower and slower, launch by launch.
Launches with_drift() {
  return [now = 0.0](std::mt19937_64& random) mutable {
    now += 0.01;
    return now + 0.03 * normal(random);
  };
}

/// Load by others that comes and goes in the course of a few launches.
Launches with_waves() {
  return [position = 0](std::mt19937_64& random) mutable {
    return 0.1 * std::sin(0.7 * position++) + 0.03 * normal(random);
  };
}

/// Load by others: every other launch takes up to 35 % longer.
Launches with_load() {
  return [](std::mt19937_64& random) {
    return 0.02 * normal(random) + (uniform(random) < 0.5 ? 0.3 * uniform(random) : 0);
  };
}

struct Block {
  double log_ratio = 0;
  std::vector<Sampled> baseline{};
  std::vector<Sampled> candidate{};
};

/// A block of four launches, the new ones `factor` times as long.
Block block(const Launches& launch, double factor, std::mt19937_64& random) {
  Block result;
  const bool old_outside = (random() & 1) == 0;
  double best_old = std::numeric_limits<double>::infinity();
  double best_new = best_old;
  for (const bool outside : {true, false, false, true}) {
    const Launch one = launch(random);
    const bool is_old = outside == old_outside;
    double& best = is_old ? best_old : best_new;
    best = std::min(best, one.log_time);
    (is_old ? result.baseline : result.candidate).push_back(one.sampled());
  }
  result.log_ratio = best_new + std::log(factor) - best_old;
  return result;
}

/// One call of the program: the factor of each case.
std::vector<Trial> call(const Machine& machine, std::span<const double> factors, std::mt19937_64& random,
                        double tolerance = 0.05) {
  SequentialTest test(std::vector<double>(factors.size(), tolerance));
  std::vector<Launches> cases;
  for (std::size_t i = 0; i < factors.size(); ++i) cases.push_back(machine());
  std::vector<ChangedBlocks> changed(factors.size());
  while (!test.done()) {
    for (std::size_t i = 0; i < factors.size(); ++i) {
      while (test.trials()[i].is_open() && test.trials()[i].blocks.size() < test.blocks_wanted()) {
        const Block one = block(cases[i], factors[i], random);
        if (is_set_apart(one.baseline, one.candidate, test.blocks_wanted(), changed[i])) continue;
        test.add(i, one.log_ratio);
      }
    }
    test.look();
  }
  return test.trials();
}

bool any(const std::vector<Trial>& trials, Standing standing) {
  return std::ranges::any_of(trials, [standing](const Trial& trial) { return trial.standing == standing; });
}

/// How many of `calls` calls say so of any case.
int count(int calls, const Machine& machine, std::span<const double> factors, Standing standing) {
  std::mt19937_64 random(1);
  int found = 0;
  for (int i = 0; i < calls; ++i) found += any(call(machine, factors, random), standing) ? 1 : 0;
  return found;
}

const std::vector<std::pair<const char*, Machine>>& machines() {
  static const std::vector<std::pair<const char*, Machine>> all{{"quiet", quiet},
                                                                {"with outliers", with_outliers},
                                                                {"with modes", with_modes},
                                                                {"with drift", with_drift},
                                                                {"with waves", with_waves},
                                                                {"with load", with_load},
                                                                {"with seen modes", with_seen_modes},
                                                                {"never the same", never_the_same}};
  return all;
}

/// Blocks that leave it open whether a case is worse by 5 %.
double about_the_tolerance(std::size_t block) {
  return std::log(1.05) + 0.02 * std::sin(2.4 * static_cast<double>(block));
}

/// Blocks that all say the same.
void add_all(SequentialTest& test, std::size_t trial, std::size_t count, double factor) {
  // Not quite equal, so that no difference is 0.
  for (std::size_t i = 0; i < count; ++i) test.add(trial, std::log(factor) + 1e-9 * static_cast<double>(i + 1));
}

}  // namespace

TEST_CASE("sequential: of 1000 calls with equal builds at most 5 % raise an alarm, on every kind of machine") {
  const std::vector<double> equal(5, 1.0);
  for (const auto& [name, machine] : machines()) {
    CAPTURE(name);
    // 50 of 1000: the upper 95 % bound of the rate is 6.4 %.
    CHECK(count(1000, machine, equal, Standing::slower) <= 50);
    CHECK(count(1000, machine, equal, Standing::suspected) <= 50);
  }
}

TEST_CASE("sequential: the alarm rate holds also where every case is worse by just the tolerance") {
  const std::vector<double> at_the_edge(4, 1.05);
  CHECK(count(400, quiet, at_the_edge, Standing::slower) <= 20);
  CHECK(count(400, with_modes, at_the_edge, Standing::slower) <= 20);
  CHECK(count(400, with_seen_modes, at_the_edge, Standing::slower) <= 20);
}

TEST_CASE("sequential: a case that is 10 % slower among five is found in 95 % of calls, on every kind of machine") {
  const std::vector<double> one_slower{1, 1, 1.1, 1, 1};
  for (const auto& [name, machine] : machines()) {
    CAPTURE(name);
    CHECK(count(400, machine, one_slower, Standing::slower) >= 380);
  }
}

TEST_CASE("sequential: what is worse by the tolerance is seldom found fine") {
  const std::vector<double> at_the_edge{1.05};
  CHECK(count(400, quiet, at_the_edge, Standing::fine) <= 20);
  CHECK(count(400, with_outliers, at_the_edge, Standing::fine) <= 20);
}

TEST_CASE("sequential: equal builds on a quiet machine are found fine at the first looks") {
  std::mt19937_64 random(1);
  std::size_t most = 0;
  for (int i = 0; i < 100; ++i) {
    for (const Trial& trial : call(quiet, std::vector<double>(3, 1.0), random)) {
      if (trial.standing == Standing::fine) most = std::max(most, trial.blocks.size());
    }
  }
  CHECK(most <= looks()[3]);
}

TEST_CASE("sequential: what is much slower is suspected at the first look and confirmed by later blocks alone") {
  SequentialTest test(std::vector{0.05});
  add_all(test, 0, test.blocks_wanted(), 1.5);
  test.look();
  CHECK(test.trials()[0].standing == Standing::suspected);
  CHECK(test.trials()[0].suspected_at == looks()[0]);
  CHECK_FALSE(test.done());
  add_all(test, 0, test.blocks_wanted() - looks()[0], 1.5);
  test.look();
  CHECK(test.trials()[0].standing == Standing::slower);
  CHECK(test.done());
}

TEST_CASE("sequential: a suspicion that later blocks do not confirm is no alarm") {
  SequentialTest test(std::vector{0.05});
  add_all(test, 0, test.blocks_wanted(), 1.5);
  test.look();
  while (!test.done()) {
    add_all(test, 0, test.blocks_wanted() - test.trials()[0].blocks.size(), 0.99);
    test.look();
  }
  CHECK(test.trials()[0].standing == Standing::fine);
}

TEST_CASE("sequential: what is suspected at the last look gets blocks to confirm it, and nothing else does") {
  SequentialTest test(std::vector{0.05, 0.05});
  for (const std::size_t blocks : looks()) {
    CHECK(test.blocks_wanted() == blocks);
    for (std::size_t i = test.trials()[0].blocks.size(); i < blocks; ++i) {
      test.add(0, about_the_tolerance(i) + (blocks == looks().back() ? 0.05 : 0));
      test.add(1, about_the_tolerance(i));
    }
    test.look();
  }
  CHECK(test.trials()[0].standing == Standing::suspected);
  CHECK(test.trials()[1].standing == Standing::undecided);
  CHECK_FALSE(test.done());
  add_all(test, 0, test.blocks_wanted() - looks().back(), 1.02);
  test.look();
  CHECK(test.trials()[0].standing == Standing::slower);
  CHECK(test.done());
}

TEST_CASE("sequential: something faster is fine, and decided cases take no more blocks") {
  SequentialTest test(std::vector{0.05, 0.05});
  add_all(test, 0, test.blocks_wanted(), 0.5);
  for (std::size_t i = 0; i < test.blocks_wanted(); ++i) test.add(1, about_the_tolerance(i));
  test.look();
  CHECK(test.trials()[0].standing == Standing::fine);
  CHECK(test.trials()[1].standing == Standing::open);
  test.add(0, 3.0);
  CHECK(test.trials()[0].blocks.size() == looks()[0]);
}

TEST_CASE("sequential: a case without blocks stays open, one with few decides nothing") {
  SequentialTest test(std::vector{0.05, 0.05});
  add_all(test, 0, 4, 9.0);
  test.look();
  CHECK(test.trials()[0].standing == Standing::open);
  CHECK(test.trials()[1].standing == Standing::open);
}

TEST_CASE("sequential: each case has its own tolerance") {
  SequentialTest test(std::vector{0.05, 0.25});
  add_all(test, 0, looks()[1], 1.2);
  add_all(test, 1, looks()[1], 1.2);
  test.look();
  CHECK(test.trials()[0].standing == Standing::suspected);
  CHECK(test.trials()[1].standing == Standing::fine);
}

TEST_CASE("sequential: the interval has the risks of a look") {
  SequentialTest test(std::vector{0.05});
  add_all(test, 0, 8, 1.5);
  const Interval ratio = test.ratio(0);
  CHECK(ratio.estimate == Approx(1.5));
  CHECK(ratio.low == Approx(1.5));
  SequentialTest few(std::vector{0.05});
  add_all(few, 0, 4, 1.5);
  CHECK(few.ratio(0).low == 0);
  CHECK(std::isinf(few.ratio(0).high));
}

TEST_CASE("sequential: blocks that would be enough for equal builds, and mostly are") {
  std::mt19937_64 random(1);
  const std::array tolerances{0.05};
  for (const double deviation : {0.1, 0.15}) {
    std::size_t told = 0;
    std::size_t fine = 0;
    for (int call = 0; call < 1000; ++call) {
      SequentialTest test(tolerances);
      for (std::size_t i = 0; i < 24; ++i) test.add(0, deviation * normal(random));
      test.look();
      const auto needed = test.blocks_needed(0);
      if (!needed) continue;
      ++told;
      CHECK(*needed > 24);
      while (test.trials()[0].blocks.size() < *needed) test.add(0, deviation * normal(random));
      test.look();
      fine += test.trials()[0].standing == Standing::fine ? 1 : 0;
    }
    CAPTURE(deviation, told, fine);
    CHECK(told > 500);
    CHECK(3 * fine > 2 * told);
    CHECK(fine < told);
  }
}

TEST_CASE("sequential: how many blocks would be enough is not told of what no budget decides") {
  const std::array tolerances{0.05};
  const auto with = [&](std::initializer_list<double> pattern, std::size_t blocks) {
    SequentialTest test(tolerances);
    for (std::size_t i = 0; i < blocks; ++i) test.add(0, pattern.begin()[i % pattern.size()]);
    test.look();
    return test.blocks_needed(0);
  };
  // Too few tell nothing.
  CHECK_FALSE(with({-0.05, 0.05, -0.1, 0.1}, 7));
  // Little noise, and much.
  CHECK(with({-0.05, 0.05, -0.1, 0.1}, 20));
  CHECK_FALSE(with({-0.3, 0.3, -0.5, 0.5}, 20));
  // Not noisy, but too near to the tolerance.
  CHECK_FALSE(with({0.047, 0.05, 0.048}, 20));
  // Decided.
  CHECK_FALSE(with({0.0, 0.001}, 20));
}

TEST_CASE("sequential: how many blocks are the least follows from the risk of a look") {
  const std::vector<double> tolerances{0.05};
  CHECK(SequentialTest(tolerances).least_blocks() == looks().front());
  CHECK(SequentialTest(tolerances, {.pass = 0.001}).least_blocks() == 13);
  for (const std::size_t blocks : {std::size_t{7}, std::size_t{8}}) {
    SequentialTest test(tolerances);
    for (std::size_t i = 0; i < blocks; ++i) test.add(0, -1);
    CHECK(std::isfinite(test.ratio(0).high) == (blocks >= test.least_blocks()));
  }
}

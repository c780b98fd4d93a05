#include "harness/measuring/pace.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace nasvm;

namespace {

constexpr BatchLimits limits{.first = 1, .least = 4, .most = 100};

Effort for_seconds(double sample_time_s) {
  Effort effort;
  effort.sample_time_s = sample_time_s;
  return effort;
}

/// Batches of something that takes `each_s` each, without a clock.
struct Batches {
  double each_s;
  std::vector<std::int64_t> sizes{};

  std::int64_t pace_of(const Effort& effort, const BatchLimits& within = limits) {
    return pace(effort, within, [this](std::int64_t iterations) {
      sizes.push_back(iterations);
      return each_s * static_cast<double>(iterations);
    });
  }
};

}  // namespace

TEST_CASE("pace: batches double until an eighth of the time has passed, then as many as fit into it count") {
  Batches batches{.each_s = 0.125};
  CHECK(batches.pace_of(for_seconds(4)) == 32);
  CHECK(batches.sizes == std::vector<std::int64_t>{1, 2, 4});
}

TEST_CASE("pace: what is slow still gets the least number, what is fast the most, which no batch exceeds") {
  CHECK(Batches{.each_s = 10}.pace_of(for_seconds(1)) == 4);
  Batches fast{.each_s = 1e-9};
  CHECK(fast.pace_of(for_seconds(1)) == 100);
  CHECK(fast.sizes == std::vector<std::int64_t>{1, 2, 4, 8, 16, 32, 64, 100});
}

TEST_CASE("pace: the first batch is as long as wanted") {
  Batches batches{.each_s = 1};
  CHECK(batches.pace_of(for_seconds(1), {.first = 16, .least = 16, .most = 100}) == 16);
  CHECK(batches.sizes == std::vector<std::int64_t>{16});
}

TEST_CASE("pace: the user's numbers count, in batches that are not too long") {
  Batches batches{.each_s = 1};
  CHECK(batches.pace_of({.iterations = 7, .warmup = 250, .window = {}}) == 7);
  CHECK(batches.sizes == std::vector<std::int64_t>{100, 100, 50});
}

TEST_CASE("pace: without warming up, one iteration says how long the others take") {
  Batches batches{.each_s = 0.125};
  CHECK(batches.pace_of({.iterations = {}, .warmup = 0, .window = {}, .sample_time_s = 4}) == 32);
  CHECK(batches.sizes == std::vector<std::int64_t>{1});
  Batches neither{.each_s = 1};
  CHECK(neither.pace_of({.iterations = 5, .warmup = 0, .window = {}}) == 5);
  CHECK(neither.sizes.empty());
}

TEST_CASE("pace: a slow beginning makes no short sample, and the user's number is one batch") {
  const auto batches_of = [](const Effort& effort) {
    int batches = 0;
    fill_sample(effort, [&] {
      ++batches;
      return 1.0;
    });
    return batches;
  };
  CHECK(batches_of(for_seconds(3.5)) == 4);
  CHECK(batches_of(for_seconds(0.5)) == 1);
  CHECK(batches_of({.iterations = 7, .warmup = {}, .window = {}, .sample_time_s = 3.5}) == 1);
}

TEST_CASE("pace: all go by the number that they agree on") {
  std::vector<std::int64_t> sizes;
  const auto slow = [&](std::int64_t iterations) {
    sizes.push_back(iterations);
    return 10.0 * static_cast<double>(iterations);
  };
  const std::vector<std::int64_t> told{2, 4, 0, 50};
  std::size_t asked = 0;
  CHECK(pace(for_seconds(1), limits, slow, [&](std::int64_t) { return told[asked++]; }) == 50);
  CHECK(sizes == std::vector<std::int64_t>{1, 2, 4});
}

#include "harness/statistics.hpp"

#include <cmath>
#include <random>
#include <stdexcept>

#include <catch2/catch.hpp>

using namespace nasvm;

namespace {

std::vector<double> times(std::size_t count, double middle, double noise, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<double> sample;
  for (std::size_t i = 0; i < count; ++i) {
    const double uniform = static_cast<double>(random()) / 4294967296.0;
    sample.push_back(middle * (1 + noise * (uniform - 0.5)));
  }
  return sample;
}

}  // namespace

TEST_CASE("statistics: a summary has the known values of a small sample") {
  const std::vector<double> sample{4, 100, 1, 3, 2};
  const Summary summary = summarize(sample);
  CHECK(summary.count == 5);
  CHECK(summary.median == 3);
  CHECK(summary.min == 1);
  CHECK(summary.max == 100);
  CHECK(summary.mean == Approx(22));
  CHECK(summary.stddev == Approx(std::sqrt(7610.0 / 4)));
  CHECK(summary.mad == 1);
}

TEST_CASE("statistics: one measurement has no spread") {
  const Summary summary = summarize(std::vector<double>{2.5});
  CHECK(summary.median == 2.5);
  CHECK(summary.stddev == 0);
  CHECK(summary.mad == 0);
}

TEST_CASE("statistics: quantiles interpolate between neighbours") {
  const std::vector<double> sample{4, 1, 3, 2};
  CHECK(quantile(sample, 0) == 1);
  CHECK(quantile(sample, 0.25) == Approx(1.75));
  CHECK(quantile(sample, 0.5) == Approx(2.5));
  CHECK(quantile(sample, 0.99) == Approx(3.97));
  CHECK(quantile(sample, 1) == 4);
}

TEST_CASE("statistics: an empty sample is a programmer's mistake") {
  CHECK_THROWS_AS(median(std::vector<double>{}), std::invalid_argument);
  CHECK_THROWS_AS(summarize(std::vector<double>{}), std::invalid_argument);
  CHECK_THROWS_AS(ratio_by_ranks(std::vector<double>{}, std::vector<double>{1}, 0.05, 0.05), std::invalid_argument);
}

TEST_CASE("statistics: finds the measurement far outside, and no other") {
  CHECK(outliers(std::vector<double>{1.00, 1.01, 5.0, 0.99, 1.02}) == std::vector<std::size_t>{2});
  CHECK(outliers(std::vector<double>{1.00, 1.01, 1.03, 0.99, 1.02}).empty());
  CHECK(outliers(std::vector<double>{1, 1, 1, 1, 9}).empty());  // more than half are equal: no scale to judge by
  CHECK(outliers(std::vector<double>{1.00, 1.01, 5.0}).empty());
}

TEST_CASE("statistics: the ratio of medians and its interval") {
  const std::vector<double> fast = times(9, 1.0, 0.1, 1);
  std::vector<double> slow = fast;
  for (double& value : slow) value *= 2;
  const Interval ratio = ratio_of_medians(slow, fast);
  CHECK(ratio.estimate == Approx(2));
  CHECK(ratio.low < 2);
  CHECK(ratio.high > 2);
  CHECK(ratio.low > 1.8);
  CHECK(ratio.high < 2.2);

  const Interval again = ratio_of_medians(slow, fast);
  CHECK(again.low == ratio.low);
  CHECK(again.high == ratio.high);

  const Interval narrow = ratio_of_medians(slow, fast, 0.5);
  CHECK(narrow.high - narrow.low < ratio.high - ratio.low);
}

TEST_CASE("statistics: the 95 % interval of the ratio of medians holds the true ratio about as often as it says") {
  int hits = 0;
  constexpr unsigned trials = 200;
  for (unsigned trial = 0; trial < trials; ++trial) {
    const Interval ratio = ratio_of_medians(times(15, 3.0, 0.4, 2 * trial), times(15, 2.0, 0.4, 2 * trial + 1));
    hits += ratio.low <= 1.5 && 1.5 <= ratio.high ? 1 : 0;
  }
  CHECK(hits >= 180);
  CHECK(hits < 200);
}

TEST_CASE("statistics: the Mann-Whitney distribution has its tabulated values") {
  CHECK(mann_whitney_probability(3, 3, 0) == Approx(1.0 / 20));
  CHECK(mann_whitney_probability(3, 3, 1) == Approx(2.0 / 20));
  CHECK(mann_whitney_probability(3, 3, 2) == Approx(4.0 / 20));
  CHECK(mann_whitney_probability(3, 3, 4) == Approx(10.0 / 20));
  CHECK(mann_whitney_probability(3, 3, 9) == 1);
  CHECK(mann_whitney_probability(5, 5, 2) == Approx(4.0 / 252));
  CHECK(mann_whitney_probability(5, 5, 4) == Approx(12.0 / 252));
  CHECK(mann_whitney_probability(1, 4, 0) == Approx(1.0 / 5));
  CHECK(mann_whitney_probability(4, 1, 0) == Approx(1.0 / 5));
}

TEST_CASE("statistics: the normal approximation takes over where the exact distribution stops") {
  const double exact = mann_whitney_probability(100, 100, 4200);
  const double approximate = mann_whitney_probability(100, 101, 4242);
  CHECK(exact == Approx(0.0254).epsilon(0.01));
  CHECK(approximate == Approx(0.0254).epsilon(0.03));
}

TEST_CASE("statistics: a ratio by ranks is the median quotient, bounded by quotients") {
  const std::vector<double> a{2, 4, 6};
  const std::vector<double> b{1, 2, 3};
  // quotients in order: 2/3 1 4/3 2 2 2 3 4 6
  const Interval ratio = ratio_by_ranks(a, b, 0.05, 0.10);
  CHECK(ratio.estimate == Approx(2));
  CHECK(ratio.low == Approx(2.0 / 3));
  CHECK(ratio.high == Approx(4));
}

TEST_CASE("statistics: a ratio by ranks has no bounds where the measurements are too few") {
  const std::vector<double> a{2, 4, 6};
  const Interval ratio = ratio_by_ranks(a, a, 0.04, 0.04);
  CHECK(ratio.estimate == Approx(1));
  CHECK(ratio.low == 0);
  CHECK(std::isinf(ratio.high));
}

TEST_CASE("statistics: the signed-rank statistic counts averages above zero") {
  CHECK(signed_rank_statistic(std::vector<double>{1, 2, 3}) == 6);
  CHECK(signed_rank_statistic(std::vector<double>{-1, -2, -3}) == 0);
  // ranks of sizes: 3 -> +3, 1 -> -1, 2 -> +2
  CHECK(signed_rank_statistic(std::vector<double>{3, -1, 2}) == 5);
  CHECK(signed_rank_statistic(std::vector<double>{-3, 1, 2}) == 3);
  CHECK(signed_rank_statistic(std::vector<double>{0, 0}) == 0);
}

TEST_CASE("statistics: the signed-rank distribution has its tabulated values") {
  CHECK(signed_rank_probability(3, 6) == Approx(1.0 / 8));
  CHECK(signed_rank_probability(3, 3) == Approx(5.0 / 8));
  CHECK(signed_rank_probability(3, 0) == 1);
  CHECK(signed_rank_probability(3, 7) == 0);
  CHECK(signed_rank_probability(8, 31) == Approx(10.0 / 256));  // 0.039
  CHECK(signed_rank_probability(10, 45) == Approx(0.042).epsilon(0.01));
}

TEST_CASE("statistics: the normal approximation of signed ranks takes over where the exact distribution stops") {
  const double exact = signed_rank_probability(40, 560);
  const double approximate = signed_rank_probability(41, 588);
  CHECK(exact == Approx(0.0225).epsilon(0.05));
  CHECK(approximate == Approx(0.0225).epsilon(0.1));
}

TEST_CASE("statistics: a middle by signed ranks is the median average, bounded by averages") {
  const std::vector<double> differences{1, 2, 6};
  // averages in order: 1 1.5 2 3.5 4 6
  const Interval middle = middle_by_signed_ranks(differences, 0.125, 0.25);
  CHECK(middle.estimate == Approx(2.75));
  CHECK(middle.low == Approx(1));
  CHECK(middle.high == Approx(4));
  CHECK(std::isinf(middle_by_signed_ranks(differences, 0.1, 0.25).low));
}

TEST_CASE("statistics: bounds by signed ranks say what the test says") {
  const std::vector<double> differences{0.3, -0.1, 0.5, 0.2, 0.25, 0.4, -0.05, 0.35, 0.15};
  for (const double risk : {0.05, 0.01, 0.003}) {
    for (const double bound : {-0.1, 0.0, 0.05, 0.1, 0.2}) {
      std::vector<double> above(differences);
      for (double& value : above) value -= bound;
      const bool rejected = signed_rank_probability(above.size(), signed_rank_statistic(above)) <= risk;
      CHECK(rejected == (middle_by_signed_ranks(differences, risk, risk).low > bound));
    }
  }
}

TEST_CASE("statistics: Holm rejects step by step, and stops at the first that stands") {
  CHECK(holm(std::vector<double>{0.01, 0.04, 0.03}, 0.05) == std::vector<bool>{true, false, false});
  CHECK(holm(std::vector<double>{0.03, 0.01, 0.02}, 0.05) == std::vector<bool>{true, true, true});
  CHECK(holm(std::vector<double>{0.02, 0.001, 0.9}, 0.05) == std::vector<bool>{true, true, false});
  CHECK(holm(std::vector<double>{}, 0.05).empty());
}

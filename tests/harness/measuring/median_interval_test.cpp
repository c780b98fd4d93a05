#include "harness/measuring/median_interval.hpp"

#include <tuple>
#include <vector>

#include <catch2/catch.hpp>

using namespace nasvm;

TEST_CASE("median interval: it is that of the tables of its order statistics") {
  const auto ranks = [](int count) {
    std::vector<double> values;
    for (int i = count; i > 0; --i) values.push_back(i);
    const Interval interval = median_interval(values);
    return std::tuple(interval.low, interval.estimate, interval.high);
  };
  CHECK(ranks(1) == std::tuple(1.0, 1.0, 1.0));
  CHECK(ranks(5) == std::tuple(1.0, 3.0, 5.0));  // too few for 95 %
  CHECK(ranks(6) == std::tuple(1.0, 3.5, 6.0));
  CHECK(ranks(9) == std::tuple(2.0, 5.0, 8.0));
  CHECK(ranks(20) == std::tuple(6.0, 10.5, 15.0));
  CHECK(ranks(100) == std::tuple(40.0, 50.5, 61.0));
  CHECK(std::get<0>(ranks(10'000)) == Approx(4902).margin(2));
}

#include "kernels/ep/balance.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <numeric>
#include <stdexcept>

using namespace nasvm;
using Parts = std::vector<std::int64_t>;

namespace {

Parts parts(std::int64_t items, const std::vector<double>& weights) { return ep::proportional_parts(items, weights); }

}  // namespace

TEST_CASE("ep balance: equal speeds get equal parts, and ties go to the lower ranks") {
  CHECK(parts(9, {2, 2, 2}) == Parts{3, 3, 3});
  CHECK(parts(8, {1, 1, 1}) == Parts{3, 3, 2});
}

TEST_CASE("ep balance: parts are in proportion to the speeds, largest remainders first") {
  CHECK(parts(256, {1, 3}) == Parts{64, 192});
  CHECK(parts(10, {1, 2, 4}) == Parts{1, 3, 6});  // 1.43, 2.86, 5.71
  CHECK(parts(3, {1e-9, 1}) == Parts{0, 3});
}

TEST_CASE("ep balance: parts always add up to all batches") {
  std::vector<double> weights;
  for (int tasks = 1; tasks <= 40; ++tasks) {
    weights.push_back(1.0 + 0.37 * ((tasks * 7) % 11));
    for (const std::int64_t items : {std::int64_t{0}, std::int64_t{1}, std::int64_t{255}, std::int64_t{1} << 28}) {
      const Parts result = parts(items, weights);
      CHECK(std::accumulate(result.begin(), result.end(), std::int64_t{0}) == items);
      const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
      for (std::size_t i = 0; i < weights.size(); ++i) {
        const double exact = static_cast<double>(items) * weights[i] / total;
        CHECK(static_cast<double>(result[i]) == Approx(exact).epsilon(0).margin(1.001));
      }
    }
  }
}

TEST_CASE("ep balance: ranges lie one after the other") {
  const Parts sizes{3, 0, 5};
  CHECK(ep::range_of(sizes, 0).begin == 0);
  CHECK(ep::range_of(sizes, 1).size() == 0);
  CHECK(ep::range_of(sizes, 2).begin == 3);
  CHECK(ep::range_of(sizes, 2).end == 8);
}

TEST_CASE("ep balance: a speed that is no positive number is a mistake") {
  CHECK_THROWS_AS(parts(4, {}), std::invalid_argument);
  CHECK_THROWS_AS(parts(4, {1, 0}), std::invalid_argument);
  CHECK_THROWS_AS(parts(4, {1, std::numeric_limits<double>::infinity()}), std::invalid_argument);
}

TEST_CASE("ep balance: the pilot computation finds a speed") { CHECK(ep::measure_speed(ep::tally_tuned, 1) > 0); }

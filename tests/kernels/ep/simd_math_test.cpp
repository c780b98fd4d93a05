#include "kernels/ep/simd_math.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "kernels/common/random.hpp"
#include "support/worse.hpp"

using namespace nasvm;
using namespace nasvm::ep;

namespace {

double log_in_lane_zero(double t) { return minus_two_log(Reals(t))[0]; }
double inverse_sqrt_in_lane_zero(double a) { return inverse_sqrt(Reals(a))[0]; }

/// Numbers in (0, 1), dense near both ends.
std::vector<double> samples() {
  std::vector<double> all;
  for (int exponent = 0; exponent < 90; ++exponent) {
    for (int step = 0; step < 200; ++step) {
      const double t = std::ldexp(0.5 + step / 400.0, -exponent);
      all.push_back(t);
      if (t > 1e-16) all.push_back(1 - t);
    }
  }
  std::erase_if(all, [](double t) { return t <= 0 || t >= 1; });
  return all;
}

}  // namespace

TEST_CASE("ep simd: the logarithm is that of the library to a few units in the last place") {
  double worst = 0;
  for (const double t : samples()) {
    const double expected = -2 * std::log(t);
    worst = test::worse(worst, std::fabs(log_in_lane_zero(t) / expected - 1));
  }
  CHECK(worst < 1.5e-15);
}

TEST_CASE("ep simd: a pair on the unit circle has no logarithm and no deviate") {
  CHECK(log_in_lane_zero(1.0) == 0);
  CHECK(0.0 * inverse_sqrt_in_lane_zero(0.0) == 0);
}

TEST_CASE("ep simd: the inverse square root is that of the library to a few units in the last place") {
  double worst = 0;
  for (const double t : samples()) {
    for (const double a : {t, 100 * t, 1 / t}) {
      worst = test::worse(worst, std::fabs(inverse_sqrt_in_lane_zero(a) * std::sqrt(a) - 1));
    }
  }
  CHECK(worst < 1e-15);
}

TEST_CASE("ep simd: a state becomes 2r - 1 without rounding") {
  NpbRandom random(271828183);
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t state = random.next_state();
    CHECK(centred_uniform(Words(state << state_shift))[0] == 2 * (static_cast<double>(state) * 0x1p-46) - 1);
  }
}

#include "kernels/ep/tally.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "kernels/ep/compensated_sum.hpp"
#include "kernels/ep/tally_x86.hpp"
#include "support/skip.hpp"
#include "support/worse.hpp"

using namespace nasvm;
using namespace nasvm::ep;

namespace {

/// For the same pairs, in not much more than ten batches.
void check_same(const Tally& a, const Tally& b) {
  CHECK(a.counts == b.counts);
  CHECK(a.sx == Approx(b.sx).epsilon(0).margin(1e-9));
  CHECK(a.sy == Approx(b.sy).epsilon(0).margin(1e-9));
}

void check_against_the_plain_loop(TallyLoop loop) {
  for (const std::int64_t first : {std::int64_t{0}, std::int64_t{1}, std::int64_t{255}, std::int64_t{1} << 27}) {
    const Tally plain = tally_reference({first, first + 2});
    const Tally vectorised = loop({first, first + 2});
    CHECK(vectorised.counts == plain.counts);
    CHECK(vectorised.sx == Approx(plain.sx).epsilon(0).margin(2e-10));
    CHECK(vectorised.sy == Approx(plain.sy).epsilon(0).margin(2e-10));
  }
}

/// Whether a loop for some instructions can be tested here; says so if not.
bool can_test(bool available, const char* what) {
  if (!available) test::skip(std::string("this processor has no ") + what);
  return available;
}
bool can_test_avx2() { return can_test(avx2_available(), "AVX2"); }
bool can_test_avx512() { return can_test(avx512_available(), "AVX-512"); }

/// All that can run here.
std::vector<TallyLoop> loops_to_run() {
  std::vector<TallyLoop> loops{tally_tuned, tally_simd, tally_reference};
  if (avx2_available()) loops.push_back(tally_avx2);
  if (avx512_available()) loops.push_back(tally_avx512);
  if (ifma_available()) loops.push_back(tally_ifma);
  return loops;
}

using DeviateFactors = void (*)(std::span<double> t);

void check_factors(DeviateFactors deviate_factors) {
  std::vector<double> t;
  for (int exponent = 0; exponent < 90; ++exponent) {
    for (int step = 0; step < 200; ++step) t.push_back(std::ldexp(0.5 + step / 400.0, -exponent));
  }
  for (int exponent = 2; exponent < 50; ++exponent) t.push_back(1 - std::ldexp(1.0, -exponent));
  std::vector<double> factors = t;
  deviate_factors(factors);
  double worst = 0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    worst = test::worse(worst, std::fabs(factors[i] / std::sqrt(-2 * std::log(t[i]) / t[i]) - 1));
  }
  CHECK(worst < 4e-15);
}

void check_unit_circle(DeviateFactors deviate_factors) {
  std::vector<double> factor{1};
  deviate_factors(factor);
  CHECK(factor[0] >= 0);
  CHECK(factor[0] < 1e-8);
}

}  // namespace

TEST_CASE("ep tally: the portable vectorised loop finds the deviates of the plain one, batch by batch") {
  check_against_the_plain_loop(tally_simd);
}

TEST_CASE("ep tally: so does the loop for processors with AVX-512") {
  if (can_test_avx512()) check_against_the_plain_loop(tally_avx512);
}

TEST_CASE("ep tally: so does the loop for processors with IFMA") {
  if (can_test(ifma_available(), "AVX512-IFMA")) check_against_the_plain_loop(tally_ifma);
}

TEST_CASE("ep tally: so does the loop that is chosen") { check_against_the_plain_loop(tally_tuned); }

TEST_CASE("ep tally: so does the loop for processors with AVX2") {
  if (can_test_avx2()) check_against_the_plain_loop(tally_avx2);
}

TEST_CASE("ep tally: the factors with AVX-512 are those of the library to a few units in the last place") {
  if (can_test_avx512()) check_factors(deviate_factors_avx512);
}

TEST_CASE("ep tally: the factors with AVX2 are those of the library to a few units in the last place") {
  if (can_test_avx2()) check_factors(deviate_factors_avx2);
}

TEST_CASE("ep tally: a pair on the unit circle has as good as no deviate with AVX-512") {
  if (can_test_avx512()) check_unit_circle(deviate_factors_avx512);
}

TEST_CASE("ep tally: a pair on the unit circle has as good as no deviate with AVX2") {
  if (can_test_avx2()) check_unit_circle(deviate_factors_avx2);
}

TEST_CASE("ep tally: different batches have different deviates") {
  CHECK(tally_tuned({0, 1}).counts != tally_tuned({1, 2}).counts);
}

TEST_CASE("ep tally: no batches, no deviates") {
  for (const TallyLoop loop : loops_to_run()) {
    const Tally nothing = loop({5, 5});
    CHECK(nothing.sx == 0);
    CHECK(nothing.sy == 0);
    CHECK(nothing.counts == Counts{});
  }
}

TEST_CASE("ep tally: a range is the sum of its parts, and so it is on threads") {
  for (const TallyLoop loop : loops_to_run()) {
    const Tally whole = loop({3, 14});
    Tally parts = loop({3, 9});
    parts += loop({9, 14});
    check_same(parts, whole);
    for (const int threads : {2, 3, 30}) check_same(tally(loop, {3, 14}, threads), whole);
  }
}

TEST_CASE("ep tally: a compensated sum keeps what plain addition loses") {
  CompensatedSum sum;
  double plain = 0;
  for (const double value : {1.0, 1e100, 1.0, -1e100}) {
    sum.add(value);
    plain += value;
  }
  CHECK(plain == 0);
  CHECK(sum.value() == 2);
}

#include "kernels/ep/tally.hpp"

#include <catch2/catch.hpp>

#include "kernels/ep/compensated_sum.hpp"

using namespace nasvm;
using namespace nasvm::ep;

namespace {

void check_same(const Tally& a, const Tally& b) {
  CHECK(a.counts == b.counts);
  CHECK(a.sx == Approx(b.sx).epsilon(0).margin(1e-8));
  CHECK(a.sy == Approx(b.sy).epsilon(0).margin(1e-8));
}

}  // namespace

TEST_CASE("ep tally: the vectorised loop finds the deviates of the plain one, batch by batch") {
  for (const std::int64_t first : {std::int64_t{0}, std::int64_t{1}, std::int64_t{255}, std::int64_t{1} << 27}) {
    check_same(tally_tuned({first, first + 2}), tally_reference({first, first + 2}));
  }
}

TEST_CASE("ep tally: different batches have different deviates") {
  CHECK(tally_tuned({0, 1}).counts != tally_tuned({1, 2}).counts);
}

TEST_CASE("ep tally: no batches, no deviates") {
  for (const TallyLoop loop : {tally_tuned, tally_reference}) {
    const Tally nothing = loop({5, 5});
    CHECK(nothing.sx == 0);
    CHECK(nothing.sy == 0);
    CHECK(nothing.counts == Counts{});
  }
}

TEST_CASE("ep tally: a range is the sum of its parts, and so it is on threads") {
  const Tally whole = tally_tuned({3, 20});
  Tally parts = tally_tuned({3, 9});
  parts += tally_tuned({9, 20});
  check_same(parts, whole);
  for (const int threads : {2, 3, 30}) check_same(tally(tally_tuned, {3, 20}, threads), whole);
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

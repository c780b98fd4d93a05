#include "harness/commands/roofline/bound.hpp"

#include <catch2/catch.hpp>

#include "../../fake_executor.hpp"

using namespace nasvm;

namespace {

WorkRecord work(double operations, double bytes, double working_set) {
  return {"mg", 'A', 1, "tuned", operations, bytes, working_set};
}

const std::vector<LimitRecord> limits = test::round_limits({});

}  // namespace

TEST_CASE("bound: operations or bytes, whichever takes longer") {
  const Bound compute = bound_of(work(100e9, 10e9, 1e9), 1, limits);
  CHECK(compute.by_compute());
  CHECK(compute.what() == "compute");
  CHECK(compute.seconds() == Approx(1.0));
  CHECK(compute.transfer_s == Approx(0.2));
  const Bound transfer = bound_of(work(10e9, 100e9, 1e9), 1, limits);
  CHECK(transfer.what() == "memory");
  CHECK(transfer.seconds() == Approx(2.0));
}

TEST_CASE("bound: bytes come from the nearest level that holds the arrays") {
  CHECK(bound_of(work(0, 1, 48 << 10), 1, limits).level == "L1");
  CHECK(bound_of(work(0, 1, (48 << 10) + 1), 1, limits).level == "L2");
  CHECK(bound_of(work(0, 1, 1 << 20), 1, limits).level == "L2");
  CHECK(bound_of(work(0, 1, (1 << 20) + 1), 1, limits).level == "memory");
  // Two cores hold twice as much.
  CHECK(bound_of(work(0, 1, 90 << 10), 2, limits).level == "L1");
}

TEST_CASE("bound: limits are those of the cores in use, else of the next fewer") {
  CHECK(bound_of(work(200e9, 0, 0), 1, limits).seconds() == Approx(2.0));
  CHECK(bound_of(work(200e9, 0, 0), 2, limits).seconds() == Approx(1.0));
  CHECK(bound_of(work(200e9, 0, 0), 8, limits).seconds() == Approx(1.0));
}

TEST_CASE("bound: without limits there is none") { CHECK_THROWS_AS(bound_of(work(1, 1, 1), 1, {}), UsageError); }

#include "harness/session/step_times.hpp"

#include <catch2/catch.hpp>

using namespace nasvm;

namespace {

std::optional<double> estimate_s(const StepTimes& times, const std::vector<std::string>& steps) {
  return times.estimate_s(steps);
}

}  // namespace

TEST_CASE("step times: nothing is known before the first step") {
  CHECK_FALSE(estimate_s(StepTimes{}, {"mg class S, 4 tasks, direct"}).has_value());
}

TEST_CASE("step times: a step takes what the same took, else the same work elsewhere, else any") {
  StepTimes times;
  times.add("mg class S, 4 tasks, direct", 2);
  times.add("mg class S, 4 tasks, direct", 4);
  times.add("mg class S, 4 tasks, daemon", 9);
  times.add("ft class A, 4 tasks, direct", 85);
  CHECK(*estimate_s(times, {"mg class S, 4 tasks, direct"}) == Approx(3));
  CHECK(*estimate_s(times, {"mg class S, 4 tasks, shm"}) == Approx(5));
  CHECK(*estimate_s(times, {"is class A, 4 tasks, shm"}) == Approx(25));
  CHECK(*estimate_s(times, {"mg class S, 4 tasks, direct", "mg class S, 4 tasks, daemon"}) == Approx(12));
  CHECK(*estimate_s(times, {}) == 0);
}

TEST_CASE("step times: warm-ups and repeats take what the others take") {
  StepTimes times;
  times.add("mg class S, 4 tasks, direct (warm-up)", 2);
  CHECK(*estimate_s(times, {"mg class S, 4 tasks, direct", "mg class S, 4 tasks, direct (again)"}) == Approx(4));
}

TEST_CASE("step times: durations as people write them") {
  CHECK(duration_text(0.9) == "0:00");
  CHECK(duration_text(61) == "1:01");
  CHECK(duration_text(3723) == "1:02:03");
}

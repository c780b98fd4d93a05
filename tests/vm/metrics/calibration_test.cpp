#include "vm/metrics/calibration.hpp"

#include <catch2/catch.hpp>

using namespace nasvm;
using namespace std::chrono_literals;

namespace {

constexpr std::int64_t ticks_per_ns = 3;

/// Two clocks of one time, which goes on by 100 ns with each reading, and by 3 ms more before one of them.
struct Clocks {
  int jump = -1;  ///< before which reading
  int readings = 0;
  std::chrono::steady_clock::time_point time{1h};

  void go_on() { time += 100ns + (readings++ == jump ? 3ms : 0ms); }
  double tick_s() {
    return calibrated_tick_s([this] { return go_on(), time; },
                             [this] { return go_on(), ticks_per_ns * (time.time_since_epoch() / 1ns); });
  }
};

}  // namespace

TEST_CASE("calibration: a pause between the readings of both clocks changes no tick", "[clock]") {
  constexpr double right_s = 1e-9 / ticks_per_ns;
  Clocks smooth;
  CHECK(smooth.tick_s() == Approx(right_s).epsilon(1e-3));
  for (int i = 0; i < 6; ++i) {
    Clocks early{.jump = i};
    CHECK(early.tick_s() == Approx(right_s).epsilon(1e-3));
    Clocks late{.jump = smooth.readings - 1 - i};
    CHECK(late.tick_s() == Approx(right_s).epsilon(1e-3));
  }
}

TEST_CASE("calibration: clocks that are read slowly are read ten times", "[clock]") {
  int readings = 0;
  std::chrono::steady_clock::time_point time{1h};
  const auto now = [&] { return time += 2us; };
  const auto ticks = [&] { return ++readings, ticks_per_ns * (time.time_since_epoch() / 1ns); };
  CHECK(read_together(now, ticks).time == std::chrono::steady_clock::time_point(1h) + 3us);
  CHECK(readings == 10);
}

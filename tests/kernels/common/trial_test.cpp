#include "kernels/common/trial.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <thread>

using namespace nasvm;

namespace {

using Clock = std::chrono::steady_clock;

void compute_for(std::chrono::milliseconds time) {
  timespec begin{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  const auto computed = [&] {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec - begin.tv_sec) + std::chrono::nanoseconds(now.tv_nsec - begin.tv_nsec);
  };
  while (computed() < time) {
  }
}

}  // namespace

TEST_CASE("a trial by the thread's own time does not count what others had of its core") {
  Trial kept_waiting(TrialClock::of_thread);
  Trial slower(TrialClock::of_thread);
  kept_waiting.run([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    compute_for(std::chrono::milliseconds(2));
  });
  slower.run([] { compute_for(std::chrono::milliseconds(30)); });
  CHECK(kept_waiting.shortest_s() < slower.shortest_s());
}

TEST_CASE("a trial by what has passed counts waiting, and its shortest run stands") {
  Trial trial;
  trial.run([] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); });
  CHECK(trial.shortest_s() >= 0.002);
  const auto begin = Clock::now();
  trial.run([] {});
  CHECK(trial.shortest_s() <= std::chrono::duration<double>(Clock::now() - begin).count());
}

TEST_CASE("a trial that was not run is slower than any") { CHECK(Trial().shortest_s() > 1e9); }

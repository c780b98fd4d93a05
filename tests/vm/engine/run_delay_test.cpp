// RunDelay: what the kernel says of a thread that has to share its core.
#include "vm/engine/run_delay.hpp"

#include <sched.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <thread>

#include "support/deadline.hpp"
#include "support/skip.hpp"

using namespace nasvm;
using namespace std::chrono_literals;

TEST_CASE("a thread that shares its core is delayed, and its delay never shrinks", "[patience]") {
  if (!std::filesystem::exists("/proc/thread-self/schedstat"))
    return test::skip("the kernel does not tell run delays");
  // Both on one core: whatever the one runs, the other is delayed.
  std::chrono::nanoseconds delay{0};
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(::sched_getcpu(), &one);
    CHECK(::sched_setaffinity(0, sizeof one, &one) == 0);
    std::atomic<bool> done = false;
    std::thread rival([&] {
      while (!done) continue;
    });
    const RunDelay own;
    test::Deadline deadline;
    while (delay < 1ms && !deadline.passed()) {
      const auto now = own.total();
      if (now < delay) break;
      delay = now;
    }
    done = true;
    rival.join();
  }).join();
  CHECK(delay >= 1ms);
}

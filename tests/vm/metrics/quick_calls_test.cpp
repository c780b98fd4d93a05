#include "vm/metrics/quick_calls.hpp"

#include <catch2/catch.hpp>

using namespace nasvm;
using namespace std::chrono_literals;

namespace {

/// Begins so many calls; how many of them are to be timed.
int timed_of(QuickCalls& calls, int count, Ticks each) {
  int timed = 0;
  for (int i = 0; i < count; ++i) {
    if (calls.may_go_untimed()) continue;
    ++timed;
    calls.took(each);
  }
  return timed;
}

}  // namespace

TEST_CASE("of quick calls each sixteenth is timed and stands for those after it", "[quick calls]") {
  QuickCalls calls;
  const Ticks quick = to_ticks(30ns);
  CHECK(timed_of(calls, 1, quick) == 1);
  CHECK(timed_of(calls, 15, quick) == 0);
  CHECK(timed_of(calls, 1600, quick) == 100);
  CHECK(calls.usual() == quick);
}

TEST_CASE("each call that takes longer is timed, and does not count as usual", "[quick calls]") {
  QuickCalls calls;
  const Ticks slow = to_ticks(1us);
  CHECK(timed_of(calls, 100, slow) == 100);
  CHECK(calls.usual() == 0);
  CHECK(timed_of(calls, 160, to_ticks(40ns)) == 10);
  const Ticks usual = calls.usual();
  CHECK(timed_of(calls, 100, slow) == 100);
  CHECK(calls.usual() == usual);
}

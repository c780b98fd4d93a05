#include "vm/multicast/window/pacer.hpp"

#include <catch2/catch.hpp>

using namespace nasvm::multicast;
using namespace std::chrono_literals;

TEST_CASE("without a rate nothing waits", "[multicast]") {
  Pacer pacer(0);
  pacer.sent(1'000'000, TimePoint{1s});
  CHECK(pacer.next() <= TimePoint{1s});
}

TEST_CASE("packets leave at the rate that was set, however late the pacer is called", "[multicast]") {
  const Duration lateness = GENERATE(0us, 100us, 400us);
  Pacer pacer(8e6);  // a byte in a microsecond
  TimePoint now{1s};
  std::size_t sent = 0;
  while (now < TimePoint{2s}) {
    while (pacer.next() <= now) {
      pacer.sent(1000, now);
      sent += 1000;
    }
    now = pacer.next() + lateness;
  }
  CHECK(sent > 998'000);
  CHECK(sent <= 1'002'000);
}

TEST_CASE("after a pause a little leaves at once, not all that could have left in it", "[multicast]") {
  Pacer pacer(8e6);
  pacer.sent(1000, TimePoint{1s});
  std::size_t sent = 0;
  for (; pacer.next() <= TimePoint{5s}; sent += 100) pacer.sent(100, TimePoint{5s});
  CHECK(sent <= 600);
}

#include "vm/probe/copy_rates.hpp"

#include <catch2/catch.hpp>

#include "vm/machine_topology.hpp"

using namespace nasvm;
using namespace std::chrono_literals;

TEST_CASE("copy rates: text and back", "[probe]") {
  const CopyRates rates{{65536, 7.25, 9, 12.5, 16}, {1 << 20, 0, 8, 0, 0}};
  CHECK(to_text(rates) == "65536/7.25/9/12.5/16,1048576/0/8/0/0");
  CHECK(copy_rates_of(to_text(rates)) == rates);
  CHECK(to_text({}).empty());
}

TEST_CASE("copy rates: a text that is none is as good as none", "[probe]") {
  for (const char* text :
       {"", "x", "1/2/3/4", "1/2/3/4/5/6", "1/2/3/-4/5", "1/2/3/4/5x", "//,,", "1e99/1/1/1/1", "nan/1/1/1/1"}) {
    CAPTURE(text);
    CHECK(copy_rates_of(text).empty());
  }
}

TEST_CASE("copy rates: a probe without time knows nothing, and leaves this thread where it may run", "[probe]") {
  const auto cores = usable_core_numbers();
  for (const CopyRate& rate : measure_copy_rates(0ms)) {
    CHECK(rate.bytes > 0);
    CHECK(rate.small_ring + rate.large_ring + rate.fetched + rate.streamed == 0);
  }
  CHECK(usable_core_numbers() == cores);
}

TEST_CASE("copy rates: a probe with time measures every way, lengths ascending", "[probe]") {
  const CopyRates rates = measure_copy_rates(20'000ms);
  if (usable_cores() < 2) {
    CHECK(rates.empty());
    return;
  }
  REQUIRE(rates.size() > 1);
  for (std::size_t i = 0; i < rates.size(); ++i) {
    CHECK(rates[i].small_ring > 0);
    CHECK(rates[i].large_ring > 0);
    CHECK(rates[i].streamed > 0);
    if (i > 0) CHECK(rates[i].bytes > rates[i - 1].bytes);
  }
}

#include "harness/commands/reproduce/efficiency.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace nasvm;

TEST_CASE("efficiency: a shared medium has its rate once, a switch for each host that takes part") {
  const TestbedRecord ethernet{"ethernet", 16, 10, Medium::shared, false};
  const TestbedRecord gigaswitch{"gigaswitch", 9, 100, Medium::switched, false};
  CHECK(capacity_bytes_s(ethernet, 16) == 1.25e6);
  CHECK(capacity_bytes_s(ethernet, 4) == 1.25e6);
  CHECK(capacity_bytes_s(gigaswitch, 8) == 8 * 12.5e6);
}

TEST_CASE("efficiency: the paper's own examples") {
  const auto percent = [](const char* testbed, const char* kernel) {
    const PaperRow* row = find_paper_row(testbed, kernel);
    REQUIRE(row != nullptr);
    const double capacity = capacity_bytes_s({testbed, 16, find_testbed(testbed)->rate_mbit_s, Medium::shared}, 16);
    return std::round(100 * communication_efficiency(row->volume_bytes(), row->fsend.comm_s, capacity));
  };
  CHECK(percent("ethernet", "mg") == 95);  // "95% of the theoretical maximum"
  CHECK(percent("ethernet", "ft") == 92);  // its "91%", which it says of IS (docs/kernels/ft.md)
  CHECK(percent("fddi", "ft") == 60);      // "over 60% aggregate utilization", from 1568 MB
}

TEST_CASE("efficiency: without communication time there is none") {
  CHECK(std::isnan(communication_efficiency(0, 0, 1e6)));
}

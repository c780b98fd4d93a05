#include "vm/multicast/erasure/repair_plan.hpp"

#include <catch2/catch.hpp>

using nasvm::multicast::erasure::RepairPlan;

namespace {

/// All repairs that are to leave do, as transmissions from `transmission` on. Returns how many.
int send_all(RepairPlan& plan, std::uint32_t transmission) {
  int sent = 0;
  while (const auto block = plan.next()) plan.leave(*block, transmission + static_cast<std::uint32_t>(sent++));
  return sent;
}

}  // namespace

TEST_CASE("as many repairs leave as the worst receiver lacks, however many ask", "[multicast]") {
  RepairPlan plan;
  plan.begin(2, 20);
  plan.left(0);
  CHECK_FALSE(plan.next());
  CHECK(plan.lacks(0, 2, 9));
  CHECK_FALSE(plan.lacks(0, 1, 9));
  CHECK(plan.lacks(0, 3, 9));
  CHECK(send_all(plan, 10) == 3);
  CHECK_FALSE(plan.lacks(0, 3, 9));  // has not seen them yet
  CHECK(plan.lacks(0, 1, 12));       // has seen all, and lost one
  CHECK(send_all(plan, 20) == 1);
  CHECK(plan.lacks(0, 3, 11));  // lost two of three; the others are on their way
  CHECK(send_all(plan, 30) == 1);
  CHECK(plan.repairs(0) == 5);
}

TEST_CASE("repairs of the first block leave first, and none of those that are complete", "[multicast]") {
  RepairPlan plan;
  plan.begin(3, 20);
  plan.lacks(2, 1, 0);
  plan.lacks(0, 4, 0);
  CHECK(plan.next() == 0U);
  plan.complete(1);
  CHECK(plan.next() == 2U);
  CHECK_FALSE(plan.lacks(0, 9, 0));
  plan.complete(3);
  CHECK_FALSE(plan.next());
}

TEST_CASE("what was needed leaves unasked with later blocks, until nothing is lost any more", "[multicast]") {
  RepairPlan plan;
  plan.begin(100, 20);
  std::uint32_t block = 0;
  for (; block < 40; ++block) {
    plan.left(block);
    plan.lacks(block, 10, 0);
    send_all(plan, 1);
    plan.complete(block + 1);
  }
  CHECK(plan.unasked() > 3);
  CHECK(plan.unasked() < 10);
  for (; block < 100; ++block) {
    plan.left(block);
    send_all(plan, 1);
    plan.complete(block + 1);
  }
  CHECK(plan.unasked() == 0);
}

TEST_CASE("a block for which repairs left in vain for long does not send later ones as many", "[multicast]") {
  RepairPlan plan;
  plan.begin(10, 20);
  for (std::uint32_t block = 0; block < 10; ++block) {
    plan.left(block);
    plan.lacks(block, 5000, 0);
    send_all(plan, 1);
    plan.complete(block + 1);
  }
  CHECK(plan.unasked() > 5);
  CHECK(plan.unasked() <= 20);
}

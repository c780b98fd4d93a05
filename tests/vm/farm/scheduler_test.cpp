#include "vm/farm/scheduler.hpp"

#include <catch2/catch.hpp>

using namespace nasvm::farm;

namespace {

constexpr Scheduler::Bounds bounds{.least_s = 1, .most_s = 10};

Row row(double units) { return {units}; }

}  // namespace

TEST_CASE("farm scheduler: no units are done at once") {
  CHECK(Scheduler(0, 3).done());
  CHECK_FALSE(Scheduler(1, 3).done());
}

TEST_CASE("farm scheduler: a worker has two pieces in hand, of one unit while its speed is not known") {
  Scheduler scheduler(100, 2);
  CHECK(scheduler.next(1, 0, bounds)->units == Units{0, 1});
  CHECK(scheduler.next(1, 0, bounds)->units == Units{1, 1});
  CHECK_FALSE(scheduler.next(1, 0, bounds));
  CHECK(scheduler.next(0, 0, bounds)->units == Units{2, 1});
}

TEST_CASE("farm scheduler: pieces follow the measured speed, half of the share of what is left, within bounds") {
  Scheduler scheduler(1000, 2);
  const auto slow = scheduler.next(0, 0, bounds);
  const auto fast = scheduler.next(1, 0, bounds);
  scheduler.finish(1, fast->id, 0.25, row(1), 0.25);  // 4 units/s
  CHECK(scheduler.speed(1) == Approx(4));
  CHECK(scheduler.next(1, 0.25, bounds)->units.count == 8);  // no more than eight times what it has done
  scheduler.finish(0, slow->id, 1, row(1), 1);
  CHECK(scheduler.next(0, 1, bounds)->units.count == 8);  // 10 s would be 10 units
  CHECK(scheduler.mean_speed_of_others(0) == Approx(4));

  Scheduler nearly_done(12, 2);
  const auto first = nearly_done.next(0, 0, bounds);
  nearly_done.finish(0, first->id, 0.5, row(1), 0.5);         // 2 units/s, as much as the other is taken to do
  CHECK(nearly_done.next(0, 0.5, bounds)->units.count == 2);  // 11 left: 1.4 s
  CHECK(nearly_done.next(0, 0.5, bounds)->units.count == 2);  // 1.1 s
}

TEST_CASE("farm scheduler: nobody waits for ever for those who have never finished anything") {
  Scheduler scheduler(2, 2);
  (void)scheduler.next(1, 0, bounds);
  (void)scheduler.next(1, 0, bounds);
  for (const double now_s : {0.1, bounds.most_s, 29.0}) CHECK_FALSE(scheduler.next(0, now_s, bounds));
  const auto again = scheduler.next(0, 31, bounds);
  REQUIRE(again);
  CHECK(again->units.count == 1);
  CHECK(scheduler.units_again() == 1);
}

TEST_CASE("farm scheduler: what a lost worker had in hand goes to others") {
  Scheduler scheduler(2, 3);
  const auto first = scheduler.next(1, 0, bounds);
  const auto second = scheduler.next(1, 0, bounds);
  CHECK_FALSE(scheduler.next(2, 0, bounds));
  scheduler.lose(1);
  CHECK_FALSE(scheduler.next(1, 0, bounds));
  const auto again = scheduler.next(2, 0, bounds);
  CHECK(again->units == first->units);
  CHECK(scheduler.next(2, 0, bounds)->units == second->units);
  scheduler.finish(1, first->id, 1, row(1), 1);  // on its way when it died: it is not believed any more
  scheduler.finish(2, again->id, 1, row(1), 1);
  CHECK_FALSE(scheduler.done());
  scheduler.finish(2, again->id + 1, 1, row(1), 2);
  CHECK(scheduler.done());
  CHECK(scheduler.sum() == row(2));
  CHECK(scheduler.units_again() == 0);
}

namespace {

/// Worker 1 has the last piece, of eight units, and is late; worker 0 is idle and known to be fast.
struct LateOne {
  LateOne() {
    const auto own = scheduler.next(0, 0, bounds);
    const auto others = scheduler.next(1, 0, bounds);
    scheduler.finish(1, others->id, 1, row(1), 1);
    late = *scheduler.next(1, 1, {.least_s = 100, .most_s = 100});
    scheduler.finish(0, own->id, 0.25, row(1), 1);
  }
  Scheduler scheduler{10, 2};
  Piece late;
};

}  // namespace

TEST_CASE("farm scheduler: an idle worker computes once more what is expected late, when it can be sooner") {
  LateOne late;
  REQUIRE(late.late.units == Units{2, 8});
  const auto again = late.scheduler.next(0, 1, bounds);  // 8 s to come; four units take one
  REQUIRE(again);
  CHECK(again->units == Units{2, 4});
  CHECK(late.scheduler.units_again() == 4);

  SECTION("its parts count when all of them are there") {
    late.scheduler.finish(0, again->id, 1, row(4), 2);
    const auto rest = late.scheduler.next(0, 2, bounds);
    CHECK(rest->units == Units{6, 4});
    late.scheduler.finish(0, rest->id, 1, row(4), 3);
    CHECK(late.scheduler.done());
    late.scheduler.finish(1, late.late.id, 9, row(8), 10);
    CHECK(late.scheduler.sum() == row(10));
  }
  SECTION("unless the whole comes first") {
    late.scheduler.finish(0, again->id, 1, row(4), 2);
    late.scheduler.finish(1, late.late.id, 2, row(8), 3);
    CHECK(late.scheduler.done());
    CHECK(late.scheduler.sum() == row(10));
  }
  SECTION("and goes on when the late one dies") {
    late.scheduler.lose(1);
    const auto rest = late.scheduler.next(0, 1, bounds);
    CHECK(rest->units == Units{6, 4});
    late.scheduler.finish(0, again->id, 1, row(4), 2);
    late.scheduler.finish(0, rest->id, 1, row(4), 3);
    CHECK(late.scheduler.sum() == row(10));
  }
}

TEST_CASE("farm scheduler: nobody computes once more what its worker will have done sooner") {
  LateOne late;
  CHECK_FALSE(late.scheduler.next(0, 8.5, bounds));  // due at 9
  CHECK_FALSE(late.scheduler.next(0, 9.5, bounds));  // perhaps it needs as long again as it is late
  CHECK(late.scheduler.next(0, 11.5, bounds));
}

TEST_CASE("farm scheduler: nobody computes once more what it has in hand itself") {
  LateOne late;
  REQUIRE(late.scheduler.next(0, 1, bounds));
  late.scheduler.lose(0);  // its part of the late piece is nobody's now
  CHECK_FALSE(late.scheduler.next(1, 1, bounds));
  late.scheduler.finish(1, late.late.id, 8, row(8), 9);
  CHECK(late.scheduler.done());
  CHECK(late.scheduler.sum() == row(10));
}

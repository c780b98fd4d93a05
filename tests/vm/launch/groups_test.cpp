#include "vm/launch/groups.hpp"

#include <catch2/catch.hpp>

#include "vm/status.hpp"

using namespace nasvm;
using Catch::Contains;
using Tids = std::vector<Tid>;

namespace {

constexpr Tid a = Tid::task(1, 1), b = Tid::task(2, 1), c = Tid::task(2, 2);

Groups group_of_three() {
  Groups groups;
  groups.join("workers", a);
  groups.join("workers", b);
  groups.join("workers", c);
  return groups;
}

}  // namespace

TEST_CASE("a member gets the least number that is free", "[groups]") {
  Groups groups;
  CHECK(groups.join("workers", a) == 0);
  CHECK(groups.join("workers", b) == 1);
  CHECK(groups.join("others", b) == 0);
  groups.leave("workers", a);
  CHECK(groups.join("workers", c) == 0);
  CHECK(groups.members("workers") == Tids{c, b});
}

TEST_CASE("a group that nobody is in has no members", "[groups]") {
  Groups groups;
  CHECK(groups.members("workers").empty());
  groups.join("workers", a);
  groups.leave("workers", a);
  CHECK(groups.members("workers").empty());
}

TEST_CASE("what cannot be done in a group is refused", "[groups]") {
  Groups groups;
  groups.join("workers", a);
  CHECK_THROWS_WITH(groups.join("workers", a), Contains("in group \"workers\" already"));
  CHECK_THROWS_WITH(groups.join("", a), Contains("needs a name"));
  CHECK_THROWS_WITH(groups.leave("workers", b), Contains("not in group \"workers\""));
  CHECK_THROWS_WITH(groups.arrive("workers", b, 1), Contains("not in group \"workers\""));
  CHECK_THROWS_WITH(groups.arrive("workers", a, 0), Contains("0 members"));
  CHECK_THROWS_AS(groups.leave("nobody", a), UsageError);
}

TEST_CASE("a barrier lets all go when the last has come, and begins again", "[groups]") {
  Groups groups = group_of_three();
  for (int round = 0; round < 2; ++round) {
    CHECK(groups.arrive("workers", c, 3).empty());
    CHECK(groups.arrive("workers", a, 3).empty());
    CHECK(groups.arrive("workers", b, 3) == Tids{c, a, b});
  }
  CHECK(groups.arrive("workers", a, 1) == Tids{a});
}

TEST_CASE("members of one barrier wait for as many", "[groups]") {
  Groups groups = group_of_three();
  (void)groups.arrive("workers", a, 3);
  CHECK_THROWS_WITH(groups.arrive("workers", b, 2), Contains("waits for 2 members, but others for 3"));
}

TEST_CASE("a barrier breaks when a member ends whom it needs", "[groups]") {
  Groups groups = group_of_three();
  (void)groups.arrive("workers", a, 3);
  const auto broken = groups.remove(b);
  REQUIRE(broken.size() == 1);
  CHECK(broken[0].group == "workers");
  CHECK(broken[0].waiting == Tids{a});
  CHECK(groups.members("workers") == Tids{a, c});
}

TEST_CASE("a barrier breaks when a member leaves whom it needs", "[groups]") {
  Groups groups = group_of_three();
  (void)groups.arrive("workers", a, 3);
  const auto broken = groups.leave("workers", b);
  REQUIRE(broken.size() == 1);
  CHECK(broken[0].waiting == Tids{a});
}

TEST_CASE("a barrier goes on when a member ends whom it does not need", "[groups]") {
  Groups groups = group_of_three();
  (void)groups.arrive("workers", a, 2);
  CHECK(groups.remove(b).empty());
  CHECK(groups.arrive("workers", c, 2) == Tids{a, c});
}

TEST_CASE("who ends while waiting is waited for no more", "[groups]") {
  Groups groups = group_of_three();
  (void)groups.arrive("workers", a, 2);
  CHECK(groups.remove(a).empty());
  CHECK(groups.arrive("workers", b, 2).empty());
  CHECK(groups.arrive("workers", c, 2) == Tids{b, c});
}

#include "vm/multicast/fanout/copies.hpp"

#include <catch2/catch.hpp>

using namespace nasvm;
using namespace nasvm::multicast;

namespace {

constexpr Tid group = Tid::group(1, 1);
const std::vector<Tid> members{Tid::task(1, 2), Tid::task(2, 1), Tid::task(2, 5), Tid::task(3, 1)};

}  // namespace

TEST_CASE("where a group is opened, one copy goes to each local member and to each other host", "[multicast]") {
  const auto plan = copies_of(group, members, 1, Opened::here);
  CHECK(plan.copies ==
        std::vector<Copy>{{Tid::task(1, 2), Tid::task(1, 2)}, {Tid::daemon(2), group}, {Tid::daemon(3), group}});
  CHECK(plan.remote ==
        std::map<int, std::vector<Tid>>{{2, {Tid::task(2, 1), Tid::task(2, 5)}}, {3, {Tid::task(3, 1)}}});
}

TEST_CASE("a daemon that is told of a group serves its own members alone", "[multicast]") {
  const auto plan = copies_of(group, members, 2, Opened::elsewhere);
  CHECK(plan.copies == std::vector<Copy>{{Tid::task(2, 1), Tid::task(2, 1)}, {Tid::task(2, 5), Tid::task(2, 5)}});
  CHECK(plan.remote.empty());
}

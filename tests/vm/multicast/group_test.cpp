#include "vm/multicast/group.hpp"

#include <catch2/catch.hpp>

using namespace nasvm;
using multicast::distinct_receivers;

TEST_CASE("each receiver of a list counts once, and neither the sender nor who is not there does", "[multicast]") {
  using Ranks = std::vector<Rank>;
  CHECK(distinct_receivers(Ranks{3, 1, 3, 0, any_source, 1, 2}, 0) == Ranks{3, 1, 2});
  CHECK(distinct_receivers(Ranks{5, 5}, 5).empty());
  CHECK(distinct_receivers(Ranks{}, 0).empty());
}

#include "kernels/common/partition.hpp"

#include <catch2/catch.hpp>

using nasvm::Range;
using nasvm::share;

TEST_CASE("partition: shares follow each other, cover all items and differ by at most one") {
  for (const std::int64_t items : {0, 1, 5, 16, 17, 1000}) {
    for (int owners = 1; owners <= 20; ++owners) {
      std::int64_t end = 0;
      for (int owner = 0; owner < owners; ++owner) {
        const Range range = share(items, owners, owner);
        CHECK(range.begin == end);
        CHECK(range.size() >= items / owners);
        CHECK(range.size() <= (items + owners - 1) / owners);
        end = range.end;
      }
      CHECK(end == items);
    }
  }
}

TEST_CASE("partition: the first owners get the items that are left over") {
  CHECK(share(7, 3, 0).size() == 3);
  CHECK(share(7, 3, 1).size() == 2);
  CHECK(share(7, 3, 2).size() == 2);
}

TEST_CASE("partition: items beyond 32 bits are shared exactly") {
  constexpr std::int64_t items = std::int64_t{1} << 44;
  CHECK(share(items, 7, 6).end == items);
  CHECK(share(items, 7, 3).begin == share(items, 7, 2).end);
}

TEST_CASE("partition: shares of a range are those of its items, where it begins") {
  const Range items{10, 17};
  for (int owner = 0; owner < 3; ++owner) {
    CHECK(share(items, 3, owner).begin == 10 + share(7, 3, owner).begin);
    CHECK(share(items, 3, owner).end == 10 + share(7, 3, owner).end);
  }
  CHECK(nasvm::largest_share(7, 3) == 3);
  CHECK(nasvm::largest_share(0, 3) == 0);
}

TEST_CASE("partition: a range contains its begin and not its end, and widens at both") {
  const Range range{-2, 3};
  CHECK(range.contains(-2));
  CHECK_FALSE(range.contains(3));
  CHECK_FALSE(range.contains(-3));
  CHECK(range.widened(1).begin == -3);
  CHECK(range.widened(-1).end == 2);
  CHECK_FALSE(Range{4, 4}.contains(4));
}

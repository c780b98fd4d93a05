#include <catch2/catch.hpp>

#include "mpi_api.hpp"
#include "vm/abi/mpi/failure.hpp"
#include "vm/abi/mpi/group.hpp"
#include "vm/abi/mpi/predefined.hpp"

using namespace nasvm::mpi;

namespace {

using Members = std::vector<nasvm::Rank>;

/// The members of a group that has just been made, which goes.
Members taken(Group* group) {
  Members members = group->members;
  api::group_free(group);
  CHECK(group == nullptr);
  return members;
}

template <typename Call>
Members made(const Call& call) {
  Group* group = nullptr;
  call(group);
  return taken(group);
}

}  // namespace

TEST_CASE("groups are put together in the order of the first one", "[mpi]") {
  Group first({4, 2, 7}), second({7, 1, 4});
  CHECK(made([&](Group*& to) { api::group_union(&first, &second, to); }) == Members{4, 2, 7, 1});
  CHECK(made([&](Group*& to) { api::group_intersection(&first, &second, to); }) == Members{4, 7});
  CHECK(made([&](Group*& to) { api::group_difference(&first, &second, to); }) == Members{2});
}

TEST_CASE("a group of nobody is the empty group", "[mpi]") {
  Group first({1}), second({2});
  Group* none = nullptr;
  api::group_intersection(&first, &second, none);
  CHECK(none == &empty_group());
}

TEST_CASE("ranges of ranks go up and down", "[mpi]") {
  Group all({10, 11, 12, 13, 14, 15});
  const int ranges[][3] = {{5, 1, -2}, {0, 0, 1}};
  CHECK(made([&](Group*& to) { api::group_range_incl(&all, 2, ranges, to); }) == Members{15, 13, 11, 10});
  CHECK(made([&](Group*& to) { api::group_range_excl(&all, 2, ranges, to); }) == Members{12, 14});
  const int endless[][3] = {{0, 3, 0}};
  Group* made_group = nullptr;
  CHECK_THROWS_AS(api::group_range_incl(&all, 1, endless, made_group), Failure);
}

TEST_CASE("a rank cannot be taken twice, nor one that is not there", "[mpi]") {
  Group all({10, 11, 12});
  Group* to = nullptr;
  const int twice[] = {1, 1};
  CHECK_THROWS_AS(api::group_incl(&all, 2, twice, to), Failure);
  const int outside[] = {3};
  CHECK_THROWS_AS(api::group_incl(&all, 1, outside, to), Failure);
  CHECK_THROWS_AS(api::group_excl(&all, 1, outside, to), Failure);
}

TEST_CASE("ranks are translated, those of nobody and of those who are not there too", "[mpi]") {
  Group first({4, 2, 7}), second({7, 1, 4});
  const int ranks[] = {0, 1, 2, proc_null};
  int translated[4] = {};
  api::group_translate_ranks(&first, 4, ranks, &second, translated);
  CHECK(std::vector(translated, translated + 4) == std::vector<int>{2, undefined, 0, proc_null});
}

TEST_CASE("groups are identical, similar or unequal", "[mpi]") {
  const auto compared = [](Members one, Members other) {
    Group first(std::move(one)), second(std::move(other));
    int result = -1;
    api::group_compare(&first, &second, &result);
    return result;
  };
  CHECK(compared({1, 2}, {1, 2}) == identical);
  CHECK(compared({1, 2}, {2, 1}) == similar);
  CHECK(compared({1, 2}, {1, 3}) == unequal);
}

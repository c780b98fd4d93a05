#include <catch2/catch.hpp>
#include <numeric>

#include "mpi_api.hpp"
#include "vm/abi/mpi/datatype.hpp"

using namespace nasvm::mpi;

namespace {

constexpr int type_int = 39;  // MPI_INT in predefined.table

/// The elements that the type takes of an array 0, 1, 2, ...
std::vector<int> taken(const Datatype& type, int elements) {
  std::vector<int> array(static_cast<std::size_t>(elements));
  std::iota(array.begin(), array.end(), 0);
  std::vector<int> values(type.bytes / sizeof(int));
  pack(type, array.data(), 1, reinterpret_cast<std::byte*>(values.data()));
  return values;
}

std::vector<int> subarray(std::vector<int> sizes, std::vector<int> subsizes, std::vector<int> starts, int order) {
  Datatype* type = nullptr;
  api::type_create_subarray(static_cast<int>(sizes.size()), sizes.data(), subsizes.data(), starts.data(), order,
                            &predefined_type(type_int), type);
  const int elements = std::accumulate(sizes.begin(), sizes.end(), 1, std::multiplies{});
  CHECK(type->extent() == elements * static_cast<int>(sizeof(int)));
  std::vector<int> values = taken(*type, elements);
  api::type_free(type);
  return values;
}

struct Spread {
  std::vector<int> sizes, distributions, arguments, tasks;
};
std::vector<int> darray(const Spread& spread, int rank, int order) {
  const int size = std::accumulate(spread.tasks.begin(), spread.tasks.end(), 1, std::multiplies{});
  Datatype* type = nullptr;
  api::type_create_darray(size, rank, static_cast<int>(spread.sizes.size()), spread.sizes.data(),
                          spread.distributions.data(), spread.arguments.data(), spread.tasks.data(), order,
                          &predefined_type(type_int), type);
  std::vector<int> values =
      taken(*type, std::accumulate(spread.sizes.begin(), spread.sizes.end(), 1, std::multiplies{}));
  api::type_free(type);
  return values;
}

}  // namespace

TEST_CASE("a part of an array is taken in the order of its memory", "[mpi]") {
  CHECK(subarray({4, 5}, {2, 3}, {1, 2}, order_c) == std::vector{7, 8, 9, 12, 13, 14});
  CHECK(subarray({4, 5}, {2, 3}, {1, 2}, order_fortran) == std::vector{9, 10, 13, 14, 17, 18});
  CHECK(subarray({2, 3, 2}, {1, 2, 1}, {1, 1, 0}, order_c) == std::vector{8, 10});
}

TEST_CASE("a part that does not lie in its array is an error", "[mpi]") {
  CHECK_THROWS_AS(subarray({4}, {3}, {2}, order_c), Failure);
  CHECK_THROWS_AS(subarray({4}, {0}, {0}, order_c), Failure);
  CHECK_THROWS_AS(subarray({4}, {1}, {0}, 17), Failure);
}

TEST_CASE("an array of MPI_DATATYPE_NULL is an error", "[mpi]") {
  const int size = 4, part = 2, start = 0, distribution = distribute_block;
  const int argument = default_distribution_argument, tasks = 2;
  Datatype* const none = &predefined_type(0);
  Datatype* type = nullptr;
  CHECK_THROWS_AS(api::type_create_subarray(1, &size, &part, &start, order_c, none, type), Failure);
  CHECK_THROWS_AS(api::type_create_darray(tasks, 0, 1, &size, &distribution, &argument, &tasks, order_c, none, type),
                  Failure);
  CHECK(type == nullptr);
}

TEST_CASE("an array that is spread over tasks belongs to one of them, element by element", "[mpi]") {
  const int distribution = GENERATE(distribute_block, distribute_cyclic);
  const int order = GENERATE(order_c, order_fortran);
  const Spread spread{{7, 5}, {distribution, distribute_cyclic}, {default_distribution_argument, 2}, {3, 2}};
  std::vector<int> all;
  for (int rank = 0; rank < 6; ++rank) {
    const std::vector<int> own = darray(spread, rank, order);
    all.insert(all.end(), own.begin(), own.end());
  }
  std::ranges::sort(all);
  std::vector<int> expected(35);
  std::iota(expected.begin(), expected.end(), 0);
  CHECK(all == expected);
}

TEST_CASE("blocks of cycles go round the tasks", "[mpi]") {
  const Spread spread{{10}, {distribute_cyclic}, {2}, {2}};
  CHECK(darray(spread, 0, order_c) == std::vector{0, 1, 4, 5, 8, 9});
  CHECK(darray(spread, 1, order_c) == std::vector{2, 3, 6, 7});
}

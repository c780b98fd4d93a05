#include "vm/abi/mpi/operation.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <complex>

#include "mpi_api.hpp"
#include "vm/abi/mpi/failure.hpp"

using namespace nasvm::mpi;

namespace {

template <typename T>
std::vector<T> combined(int operation, int type, std::vector<T> in, std::vector<T> inout, int count) {
  api::reduce_local(in.data(), inout.data(), count, &predefined_type(type), &predefined_operation(operation));
  return inout;
}

struct DoubleInt {
  double value;
  int index;
  bool operator==(const DoubleInt&) const = default;
};

}  // namespace

TEST_CASE("predefined operations do what they are called", "[mpi]") {
  constexpr int type_int = 39;
  CHECK(combined<int>(op_sum, type_int, {1, 2}, {10, 20}, 2) == std::vector{11, 22});
  CHECK(combined<int>(op_prod, type_int, {3}, {5}, 1) == std::vector{15});
  CHECK(combined<int>(op_max, type_int, {3, 9}, {5, 4}, 2) == std::vector{5, 9});
  CHECK(combined<int>(op_min, type_int, {3, 9}, {5, 4}, 2) == std::vector{3, 4});
  CHECK(combined<int>(op_land, type_int, {7, 0}, {2, 2}, 2) == std::vector{1, 0});
  CHECK(combined<int>(op_lxor, type_int, {7, 0}, {2, 2}, 2) == std::vector{0, 1});
  CHECK(combined<int>(op_bxor, type_int, {6}, {3}, 1) == std::vector{5});
  constexpr int type_complex = 70;
  using Complex = std::complex<double>;
  CHECK(combined<Complex>(op_prod, type_complex, {{0, 1}}, {{0, 1}}, 1) == std::vector<Complex>{{-1, 0}});
}

TEST_CASE("of equal extremes the lower index wins", "[mpi]") {
  constexpr int type_double_int = 49;
  CHECK(combined<DoubleInt>(op_maxloc, type_double_int, {{2, 7}}, {{2, 3}}, 1) == std::vector{DoubleInt{2, 3}});
  CHECK(combined<DoubleInt>(op_minloc, type_double_int, {{1, 7}}, {{2, 3}}, 1) == std::vector{DoubleInt{1, 7}});
}

TEST_CASE("MPI_OP_NULL is no operation", "[mpi]") {
  int commutes = 0;
  api::op_commutative(&predefined_operation(op_sum), &commutes);
  CHECK(commutes == 1);
  CHECK_THROWS_AS(api::op_commutative(&predefined_operation(op_null), &commutes), Failure);
}

TEST_CASE("what is wanted at MPI_BOTTOM is put to the addresses of the type", "[mpi]") {
  constexpr int type_int = 39;
  static std::array<int, 3> values;
  values = {1, 2, 3};
  std::array<std::ptrdiff_t, 2> places{};
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = reinterpret_cast<std::ptrdiff_t>(&values[2 * i]);
  const int lengths[] = {1, 1};
  Datatype* type = nullptr;
  api::type_create_hindexed(2, lengths, places.data(), &predefined_type(type_int), type);
  Reducible data(predefined_operation(op_sum), *type, 1, nullptr, nullptr);
  std::ranges::fill(data.bytes(), std::byte{0});
  data.finish();
  CHECK(values == std::array{0, 2, 0});
  values = {1, 2, 3};
  Reducible of_another(predefined_operation(op_sum), *type, 1, nullptr, nullptr, Result::elsewhere);
  std::ranges::fill(of_another.bytes(), std::byte{0});
  of_another.finish();
  CHECK(values == std::array{1, 2, 3});
  api::type_free(type);
}

TEST_CASE("an operation that is not defined for a datatype is an error", "[mpi]") {
  constexpr int type_double = 46;
  double in = 1, inout = 2;
  const auto combine = [&](int operation) {
    api::reduce_local(&in, &inout, 1, &predefined_type(type_double), &predefined_operation(operation));
  };
  CHECK_THROWS_AS(combine(op_band), Failure);
  CHECK_THROWS_AS(combine(op_maxloc), Failure);
  CHECK_THROWS_AS(combine(op_null), Failure);
}

#include "vm/abi/mpi/datatype.hpp"

#include <malloc.h>

#include <array>
#include <catch2/catch.hpp>
#include <limits>
#include <numeric>

#include "mpi_api.hpp"
#include "vm/abi/mpi/failure.hpp"

using namespace nasvm::mpi;

namespace {

constexpr int type_int = 39;  // MPI_INT, MPI_DOUBLE, MPI_CHAR in predefined.table
constexpr int type_double = 46;
constexpr int type_char = 34;

std::vector<int> numbers(int count) {
  std::vector<int> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// What a send of `count` elements at `memory` would carry.
std::vector<int> sent(const Datatype& type, const std::vector<int>& memory, int count) {
  const Outgoing out(memory.data(), count, type);
  std::vector<int> values(out.bytes().size() / sizeof(int));
  std::copy(out.bytes().begin(), out.bytes().end(), std::as_writable_bytes(std::span(values)).begin());
  return values;
}

}  // namespace

TEST_CASE("a vector's data are its blocks, and the next one begins where its last block ends", "[mpi]") {
  Datatype* type = nullptr;
  api::type_vector(3, 2, 4, &predefined_type(type_int), type);
  CHECK(type->bytes == 24);
  CHECK(type->extent() == 40);
  CHECK(sent(*type, numbers(24), 2) == std::vector{0, 1, 4, 5, 8, 9, 10, 11, 14, 15, 18, 19});
  release(type);
}

TEST_CASE("a resized column of a matrix steps to the next column", "[mpi]") {
  Datatype* column = nullptr;
  Datatype* stepping = nullptr;
  api::type_vector(3, 1, 3, &predefined_type(type_int), column);
  api::type_create_resized(column, 0, sizeof(int), stepping);
  CHECK(sent(*stepping, numbers(9), 3) == std::vector{0, 3, 6, 1, 4, 7, 2, 5, 8});
  release(column);  // the other one goes on without it
  CHECK(sent(*stepping, numbers(9), 1) == std::vector{0, 3, 6});
  release(stepping);
}

TEST_CASE("the extent of a type of displacements in bytes is a multiple of its alignment, unless it was given",
          "[mpi]") {
  Datatype* const element = &predefined_type(type_int);
  const int lengths[] = {2, 1};
  const std::ptrdiff_t places[] = {-8, 3};
  const auto extent_of = [](Datatype* type) {
    const std::ptrdiff_t extent = type->extent();
    release(type);
    return extent;
  };
  Datatype* type = nullptr;
  api::type_create_hindexed(2, lengths, places, element, type);
  CHECK(type->true_extent() == 15);
  Datatype* resized = nullptr;
  api::type_create_resized(type, -8, 15, resized);
  CHECK(extent_of(type) == 16);
  Datatype* of_resized = nullptr;
  api::type_create_hindexed(1, lengths, places, resized, of_resized);
  CHECK(extent_of(of_resized) == 30);
  CHECK(extent_of(resized) == 15);
  api::type_create_hindexed_block(2, 1, places, element, type);
  CHECK(extent_of(type) == 16);
  api::type_create_hvector(2, 1, 5, element, type);
  CHECK(extent_of(type) == 12);
  api::type_create_hvector(2, 1, 5, &predefined_type(type_char), type);
  CHECK(extent_of(type) == 6);
}

TEST_CASE("markers say where a type begins and ends, whether they stand before the data or behind", "[mpi]") {
  constexpr int upper_marker = 3, lower_marker = 4;
  Datatype* const lower = &predefined_type(lower_marker);
  Datatype* const upper = &predefined_type(upper_marker);
  REQUIRE(lower->element == Element::lower_bound);
  REQUIRE(upper->element == Element::upper_bound);
  Datatype* const data = &predefined_type(type_double);
  const int lengths[] = {1, 1, 1};
  struct Case {
    std::array<Datatype*, 3> parts;
    std::array<std::ptrdiff_t, 3> places;
  };
  const Case one = GENERATE_COPY(Case{{lower, data, upper}, {0, 8, 24}}, Case{{data, lower, upper}, {8, 0, 24}},
                                 Case{{upper, lower, data}, {24, 0, 8}}, Case{{lower, upper, data}, {0, 24, 8}});
  Datatype* type = nullptr;
  api::type_create_struct(3, lengths, one.places.data(), one.parts.data(), type);
  CHECK(type->lower == 0);
  CHECK(type->upper == 24);
  CHECK(type->bytes == 8);
  // Markers of parts are markers, too: the lowest and the highest count.
  Datatype* outer = nullptr;
  const std::ptrdiff_t apart[] = {0, 32};
  Datatype* const both[] = {type, type};
  api::type_create_struct(2, lengths, apart, both, outer);
  CHECK(outer->lower == 0);
  CHECK(outer->upper == 56);
  release(outer);
  release(type);
}

TEST_CASE("what has no data moves no bounds, unless it has markers", "[mpi]") {
  Datatype* nothing = nullptr;
  Datatype* room = nullptr;
  Datatype* type = nullptr;
  api::type_contiguous(0, &predefined_type(type_int), nothing);
  api::type_create_resized(nothing, 0, 24, room);
  CHECK(room->extent() == 24);
  const int lengths[] = {1, 1, 2};
  const std::ptrdiff_t places[] = {100, 8, 0};
  Datatype* const parts[] = {nothing, &predefined_type(type_int), nothing};
  api::type_create_struct(3, lengths, places, parts, type);
  CHECK(type->lower == 8);
  CHECK(type->upper == 12);
  release(type);
  Datatype* const with_room[] = {nothing, &predefined_type(type_int), room};
  api::type_create_struct(3, lengths, places, with_room, type);
  CHECK(type->lower == 0);
  CHECK(type->upper == 48);
  release(type);
  release(room);
  release(nothing);
}

TEST_CASE("no type is none, but where there is nothing", "[mpi]") {
  CHECK_THROWS_AS(check_data(1, &predefined_type(0)), Failure);
  CHECK_NOTHROW(check_data(0, &predefined_type(0)));
  CHECK_NOTHROW(check_data(1, &predefined_type(type_int)));
}

TEST_CASE("a structure is padded as a compiler pads it", "[mpi]") {
  const int lengths[] = {1, 1, 1};
  const std::ptrdiff_t places[] = {0, 8, 16};
  Datatype* const parts[] = {&predefined_type(type_char), &predefined_type(type_double), &predefined_type(type_int)};
  Datatype* type = nullptr;
  api::type_create_struct(3, lengths, places, parts, type);
  CHECK(type->bytes == 13);
  CHECK(type->extent() == 24);
  CHECK(type->true_extent() == 20);
  CHECK_FALSE(type->is_dense(1));
  CHECK(element_count(*type, 26) == 6);
  CHECK(element_count(*type, 14) == 4);
  for (const std::ptrdiff_t count : {0, 1, 2, 3, 4, 5, 6, 9}) {
    CHECK(element_count(*type, bytes_of_elements(*type, count)) == count);
  }
  CHECK(bytes_of_elements(*type, 4) == 14);
  CHECK_THROWS_AS(bytes_of_elements(*type, -1), Failure);
  CHECK_THROWS_AS(bytes_of_elements(*type, std::numeric_limits<std::ptrdiff_t>::max()), Failure);
  Datatype::Number external = 0;
  CHECK_THROWS_AS(api::pack_external_size("external32", std::numeric_limits<std::ptrdiff_t>::max(), type, &external),
                  Failure);
  CHECK(whole_count(*type, 14) == undefined);
  release(type);
}

TEST_CASE("what lies together is sent in place, however it was described", "[mpi]") {
  Datatype* pairs = nullptr;
  Datatype* all = nullptr;
  api::type_contiguous(2, &predefined_type(type_int), pairs);
  api::type_vector(5, 1, 1, pairs, all);
  CHECK(all->runs.size() == 1);
  const std::vector<int> memory = numbers(20);
  const Outgoing out(memory.data(), 2, *all);
  CHECK(static_cast<const void*>(out.bytes().data()) == memory.data());
  CHECK(out.bytes().size() == 80);
  release(pairs);
  release(all);
}

TEST_CASE("part of a message fills the elements that it reaches", "[mpi]") {
  Datatype* type = nullptr;
  api::type_vector(2, 1, 2, &predefined_type(type_int), type);
  std::vector<int> memory(6, -1);
  Incoming in(memory.data(), 2, *type);
  const std::vector<int> came{7, 8, 9};
  std::copy_n(std::as_bytes(std::span(came)).begin(), 12, in.bytes().begin());
  in.finish(12);
  CHECK(memory == std::vector{7, -1, 8, 9, -1, -1});
  release(type);
}

TEST_CASE("a subarray has its elements in the order of the array, in C and in Fortran", "[mpi]") {
  const int sizes[] = {3, 4};
  const int parts[] = {2, 2};
  const int starts[] = {1, 1};
  Datatype* type = nullptr;
  api::type_create_subarray(2, sizes, parts, starts, order_c, &predefined_type(type_int), type);
  CHECK(sent(*type, numbers(12), 1) == std::vector{5, 6, 9, 10});
  CHECK(type->extent() == 48);
  release(type);
  api::type_create_subarray(2, sizes, parts, starts, order_fortran, &predefined_type(type_int), type);
  CHECK(sent(*type, numbers(12), 1) == std::vector{4, 5, 7, 8});
  release(type);
}

TEST_CASE("a cyclic array gives each task every so many-th block", "[mpi]") {
  const int size[] = {10};
  const int distribution[] = {distribute_cyclic};
  const int block[] = {2};
  const int tasks[] = {2};
  const std::vector<std::vector<int>> expected{{0, 1, 4, 5, 8, 9}, {2, 3, 6, 7}};
  for (int rank = 0; rank < 2; ++rank) {
    Datatype* type = nullptr;
    api::type_create_darray(2, rank, 1, size, distribution, block, tasks, order_c, &predefined_type(type_int), type);
    CHECK(sent(*type, numbers(10), 1) == expected[static_cast<std::size_t>(rank)]);
    CHECK(type->extent() == 40);
    release(type);
  }
}

TEST_CASE("of a datatype that cannot be made nothing is left", "[mpi]") {
  // Sixteen of them have more bytes than there are addresses, though they begin one byte after the other.
  constexpr std::ptrdiff_t large = std::ptrdiff_t{1} << 58;
  Datatype* row = nullptr;
  Datatype* overlapping = nullptr;
  api::type_contiguous(large, &predefined_type(type_int), row);
  api::type_create_resized(row, 0, 1, overlapping);
  const int sizes[] = {16, 1};
  const int starts[] = {0, 0};
  Datatype* type = nullptr;
  int failed = 0;
  const auto fail_to_make = [&] {
    try {
      api::type_create_subarray(2, sizes, sizes, starts, order_c, overlapping, type);
    } catch (const Failure&) {
      ++failed;
    }
    try {
      api::type_contiguous(16, overlapping, type);
    } catch (const Failure&) {
      ++failed;
    }
  };
  fail_to_make();
  const std::size_t before = ::mallinfo2().uordblks;
  for (int i = 0; i < 1000; ++i) fail_to_make();
  CHECK(::mallinfo2().uordblks < before + 50'000);
  CHECK(failed == 2002);
  CHECK(type == nullptr);
  release(overlapping);
  release(row);
}

TEST_CASE("wrong arguments of datatypes are errors of their class", "[mpi]") {
  const auto code_of = [](const auto& call) {
    try {
      call();
    } catch (const Failure& failure) {
      return failure.code;
    }
    return static_cast<int>(success);
  };
  Datatype* type = nullptr;
  CHECK(code_of([&] { api::type_contiguous(-1, &predefined_type(type_int), type); }) == err_count);
  CHECK(code_of([&] { api::type_contiguous(1, nullptr, type); }) == err_type);
  CHECK(code_of([&] { api::type_contiguous(1, &predefined_type(0), type); }) == err_type);
  Datatype* predefined = &predefined_type(type_int);
  CHECK(code_of([&] { api::type_free(predefined); }) == err_type);
}

#include <array>
#include <catch2/catch.hpp>
#include <complex>
#include <cstring>

#include "mpi_api.hpp"
#include "vm/abi/mpi/datatype.hpp"

using namespace nasvm::mpi;

namespace {

constexpr int type_short = 37;  // MPI_SHORT, MPI_INT, MPI_DOUBLE in predefined.table
constexpr int type_int = 39;
constexpr int type_long = 41;
constexpr int type_unsigned_long = 42;
constexpr int type_double = 46;
constexpr int type_long_double = 47;
constexpr int type_long_int = 51;
constexpr int type_double_complex = 70;

/// An integer and a double with a gap between them.
struct Pair {
  int number;
  double value;
};

Datatype* pair_type() {
  const int lengths[] = {1, 1};
  const std::ptrdiff_t places[] = {0, offsetof(Pair, value)};
  Datatype* const parts[] = {&predefined_type(type_int), &predefined_type(type_double)};
  Datatype* type = nullptr;
  api::type_create_struct(2, lengths, places, parts, type);
  api::type_commit(type);
  return type;
}

}  // namespace

TEST_CASE("what is packed in the external representation is big-endian, and comes back", "[mpi]") {
  Datatype* type = pair_type();
  const Pair given[] = {{1, 0.5}, {-2, 1e300}};
  std::ptrdiff_t room = 0;
  api::pack_external_size("external32", 2, type, &room);
  CHECK(room == 24);

  std::vector<unsigned char> packed(static_cast<std::size_t>(room));
  std::ptrdiff_t position = 0;
  api::pack_external("external32", given, 2, type, packed.data(), room, &position);
  CHECK(position == room);
  CHECK(std::vector(packed.begin(), packed.begin() + 4) == std::vector<unsigned char>{0, 0, 0, 1});
  CHECK(packed[4] == 0x3f);  // sign and exponent of 0.5 come first

  Pair back[2] = {};
  position = 0;
  api::unpack_external("external32", packed.data(), room, &position, back, 2, type);
  CHECK(back[1].number == -2);
  CHECK(back[1].value == 1e300);
  api::type_free(type);
}

namespace {

/// Packs two values, checks what bytes they are, and that they come back.
template <typename T>
void check_external(int number, const std::array<T, 2>& given, const std::vector<unsigned char>& expected) {
  Datatype* type = &predefined_type(number);
  std::vector<unsigned char> packed(expected.size());
  std::ptrdiff_t room = 0;
  api::pack_external_size("external32", 2, type, &room);
  REQUIRE(room == static_cast<std::ptrdiff_t>(expected.size()));
  std::ptrdiff_t position = 0;
  api::pack_external("external32", given.data(), 2, type, packed.data(), room, &position);
  CHECK(position == room);
  CHECK(packed == expected);
  std::array<T, 2> back{};
  position = 0;
  api::unpack_external("external32", packed.data(), room, &position, back.data(), 2, type);
  CHECK(position == room);
  CHECK(back == given);
}

}  // namespace

TEST_CASE("the external representation has sizes of its own", "[mpi]") {
  check_external<long>(type_long, {1, -2}, {0, 0, 0, 1, 0xff, 0xff, 0xff, 0xfe});
  check_external<unsigned long>(type_unsigned_long, {1, 0xfffffffe}, {0, 0, 0, 1, 0xff, 0xff, 0xff, 0xfe});
  std::vector<unsigned char> long_doubles(32);
  long_doubles[0] = 0x3f, long_doubles[1] = 0xff;
  long_doubles[16] = 0xc0, long_doubles[17] = 0, long_doubles[18] = 0x80;
  check_external<long double>(type_long_double, {1, -3}, long_doubles);
}

TEST_CASE("parts of pairs, and of complex numbers within others, are represented one by one", "[mpi]") {
  struct LongInt {
    long value;
    int place;
    bool operator==(const LongInt&) const = default;
  };
  check_external<LongInt>(type_long_int, {{{1, 2}, {-1, 3}}},
                          {0, 0, 0, 1, 0, 0, 0, 2, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 3});

  struct Mixed {
    std::complex<double> number;
    long whole;
  } const given{{1, 2}, 3};
  const int lengths[] = {1, 1};
  const std::ptrdiff_t places[] = {0, offsetof(Mixed, whole)};
  Datatype* const parts[] = {&predefined_type(type_double_complex), &predefined_type(type_long)};
  Datatype* type = nullptr;
  api::type_create_struct(2, lengths, places, parts, type);
  api::type_commit(type);
  std::vector<unsigned char> packed(20);
  std::ptrdiff_t position = 0;
  api::pack_external("external32", &given, 1, type, packed.data(), 20, &position);
  CHECK(packed == std::vector<unsigned char>{0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3});
  api::type_free(type);
}

TEST_CASE("no other representation than external32 is known", "[mpi]") {
  std::ptrdiff_t room = 0;
  CHECK_THROWS_AS(api::pack_external_size("native", 1, &predefined_type(type_int), &room), Failure);
}

TEST_CASE("packing beyond the end of the memory is an error, and changes no position", "[mpi]") {
  const std::int16_t given[] = {1, 2, 3};
  std::ptrdiff_t position = 2;
  unsigned char memory[6];
  CHECK_THROWS_AS(
      api::pack_external("external32", given, 3, &predefined_type(type_short), memory, sizeof memory, &position),
      Failure);
  CHECK(position == 2);
  std::int16_t back[3];
  CHECK_THROWS_AS(
      api::unpack_external("external32", memory, sizeof memory, &position, back, 3, &predefined_type(type_short)),
      Failure);
  CHECK(position == 2);
}

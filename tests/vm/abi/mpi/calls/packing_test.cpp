#include <catch2/catch.hpp>
#include <cstring>

#include "mpi_api.hpp"
#include "vm/abi/mpi/datatype.hpp"

using namespace nasvm::mpi;

namespace {

constexpr int type_short = 37;  // MPI_SHORT, MPI_INT, MPI_DOUBLE in predefined.table
constexpr int type_int = 39;
constexpr int type_double = 46;

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

/// \file
/// Lists of counts in the widths that programs have them in.

#include "vm/abi/mpi/numbers.hpp"

#include <catch2/catch.hpp>

using namespace nasvm::mpi;

TEST_CASE("numbers: ints and larger integers read the same", "[mpi]") {
  const int ints[] = {3, -1};
  const long long counts[] = {3'000'000'000, -1};
  const std::ptrdiff_t places[] = {-3'000'000'000, 7};
  CHECK(Numbers(ints)[0] == 3);
  CHECK(Numbers(ints)[1] == -1);
  CHECK(Numbers(counts)[0] == 3'000'000'000);
  CHECK(Numbers(counts)[std::size_t{1}] == -1);
  CHECK(Numbers(places)[0] == -3'000'000'000);
  CHECK(Numbers(nullptr).empty());
  CHECK_FALSE(Numbers(ints).empty());
}

#include "kernels/common/large_memory.hpp"

#include <catch2/catch.hpp>
#include <cstdint>

#include "vm/status.hpp"

using nasvm::LargeBuffer;

TEST_CASE("large memory: lies on a cache line, and large memory on a huge page") {
  CHECK(reinterpret_cast<std::uintptr_t>(LargeBuffer<char>(1).data()) % 64 == 0);
  const LargeBuffer<double> large(std::size_t{1} << 20);
  CHECK(reinterpret_cast<std::uintptr_t>(large.data()) % (std::size_t{2} << 20) == 0);
}

TEST_CASE("large memory: a buffer keeps its memory while it is large enough, and gives it back when asked") {
  LargeBuffer<int> buffer(100);
  const int* const first = buffer.data();
  buffer[7] = 42;
  buffer.reset(10);
  CHECK(buffer.size() == 10);
  CHECK(buffer.data() == first);
  CHECK(buffer[7] == 42);
  buffer.release();
  CHECK(buffer.size() == 0);
  CHECK(buffer.data() == nullptr);
}

TEST_CASE("large memory: more than there is is an error that says what would help") {
  CHECK_THROWS_AS(LargeBuffer<char>(std::size_t{1} << 60), nasvm::RunError);
  CHECK_THROWS_WITH(LargeBuffer<char>(std::size_t{1} << 60), Catch::Contains("smaller class"));
}

#include "kernels/common/large_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <fstream>
#include <vector>

#include "support/sanitizer.hpp"
#include "support/skip.hpp"
#include "vm/status.hpp"

using nasvm::LargeBuffer;

TEST_CASE("large memory: lies on a cache line, and large memory on a huge page") {
  CHECK(reinterpret_cast<std::uintptr_t>(LargeBuffer<char>(1).data()) % 64 == 0);
  const LargeBuffer<char> large(3 * nasvm::huge_page_bytes());
  CHECK(reinterpret_cast<std::uintptr_t>(large.data()) % nasvm::huge_page_bytes() == 0);
}

TEST_CASE("large memory: of what is never touched on usual pages nothing is resident") {
  constexpr std::size_t part = std::size_t{1} << 20;
  constexpr std::size_t parts = 64;
  LargeBuffer<char, nasvm::Pages::usual> memory(parts * part);
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  REQUIRE(reinterpret_cast<std::uintptr_t>(memory.data()) % page == 0);
  for (std::size_t i = 0; i < parts; ++i) memory[i * part] = 1;
  std::vector<unsigned char> resident(parts * part / page);
  REQUIRE(::mincore(memory.data(), parts * part, resident.data()) == 0);
  CHECK(std::count_if(resident.begin(), resident.end(), [](unsigned char one) { return (one & 1) != 0; }) == parts);
}

TEST_CASE("large memory: usual pages may be more than the computer has memory") {
  if (nasvm::test::sanitized) return nasvm::test::skip("a sanitizer has less address space");
  int overcommit = 0;
  std::ifstream("/proc/sys/vm/overcommit_memory") >> overcommit;
  if (overcommit == 2) return nasvm::test::skip("this system sets all memory aside");
  LargeBuffer<char, nasvm::Pages::usual> memory(std::size_t{1} << 42);
  memory[memory.size() - 1] = 7;
  CHECK(memory[memory.size() - 1] == 7);
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
  using Usual = LargeBuffer<char, nasvm::Pages::usual>;
  CHECK_THROWS_AS(Usual(std::size_t{1} << 60), nasvm::RunError);
  CHECK_THROWS_WITH(LargeBuffer<char>(std::size_t{1} << 60), Catch::Contains("smaller class"));
}

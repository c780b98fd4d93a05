#include "vm/multicast/erasure/layout.hpp"

#include <catch2/catch.hpp>

using nasvm::multicast::Range;
using nasvm::multicast::erasure::Layout;

TEST_CASE("the blocks of a message cover it once, and are about equally long", "[multicast]") {
  const std::uint64_t bytes = GENERATE(0U, 1U, 99U, 100U, 101U, 1000U, 1001U, 12'345U, 100'000U);
  const int most = GENERATE(1, 3, 10, 240);
  const std::uint32_t first = GENERATE(0U, 77U, 0xffff'fff0U);
  const Layout layout(first, bytes, 100, most);
  CAPTURE(bytes, most);
  std::uint32_t next = first;
  std::uint64_t covered = 0;
  for (std::uint32_t block = 0; block < layout.blocks(); ++block) {
    const Range range = layout.range(block);
    CHECK(range.first == next);
    CHECK(range.count <= static_cast<std::uint32_t>(most));
    CHECK(2 * range.count >= (layout.blocks() > 1 ? static_cast<std::uint32_t>(most) : 1));
    for (; next != range.end(); ++next) {
      REQUIRE(layout.block_of(next) == block);
      REQUIRE(layout.contains(next));
    }
    covered += layout.bytes(block);
  }
  CHECK(next == layout.end());
  CHECK_FALSE(layout.contains(next));
  CHECK(covered == bytes);
}

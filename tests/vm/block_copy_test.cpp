#include "vm/block_copy.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "support/packet_recorder.hpp"

using namespace nasvm;

TEST_CASE("blocks are copied by vectors where the target lies a few bytes behind the source in its page",
          "[block_copy]") {
  const auto* page = reinterpret_cast<const std::byte*>(std::uintptr_t{1} << 20);
  auto* const far = const_cast<std::byte*>(page) + (std::uintptr_t{1} << 16);
  CHECK_FALSE(is_aliased(far, page));
  CHECK(is_aliased(far + 1, page));
  CHECK(is_aliased(far + 16, page));
  CHECK(is_aliased(far + 63, page));
  CHECK_FALSE(is_aliased(far + 64, page));
  CHECK_FALSE(is_aliased(far, page + 16));
  CHECK(is_aliased(far, page + 4080));
}

TEST_CASE("blocks are copied whole, and nothing beside them, wherever they lie", "[block_copy]") {
  constexpr std::size_t page = 4096;
  const auto source = test::pattern(4 * page);
  for (const std::size_t ahead : {0, 1, 7, 16, 32, 63, 64, 4080}) {
    for (const std::size_t bytes : {0, 1, 63, 64, 65, 2047, 2048, 2049, 2111, 5000, 8191}) {
      CAPTURE(ahead, bytes);
      std::vector<std::byte> target(5 * page, std::byte{0xee});
      const std::size_t from = 100;
      const std::size_t apart =
          (reinterpret_cast<std::uintptr_t>(source.data()) - reinterpret_cast<std::uintptr_t>(target.data())) % page;
      const std::size_t to = (apart + from + ahead) % page;
      std::vector<std::byte> expected = target;
      std::copy_n(source.begin() + from, bytes, expected.begin() + static_cast<std::ptrdiff_t>(to));
      REQUIRE(is_aliased(target.data() + to, source.data() + from) == (ahead != 0 && ahead < 64));
      copy_bytes(target.data() + to, source.data() + from, bytes);
      REQUIRE(target == expected);
      std::ranges::fill(target, std::byte{0xee});
      copy_by_vectors(target.data() + to, source.data() + from, bytes);
      REQUIRE(target == expected);
    }
  }
}

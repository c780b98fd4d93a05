#include "vm/streaming_copy.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <vector>

#include "support/packet_recorder.hpp"

using namespace nasvm;

TEST_CASE("copying past the cache: every place and length, and nothing beside it", "[streaming_copy]") {
  const auto source = test::pattern(600);
  for (std::size_t to = 0; to < 70; ++to) {
    for (const std::size_t bytes : {0, 1, 15, 63, 64, 65, 127, 128, 200, 512}) {
      const std::size_t from = (to * 7 + bytes) % 80;
      std::vector<std::byte> target(700, std::byte{0xee});
      copy_past_cache(target.data() + to, source.data() + from, bytes);
      std::vector<std::byte> expected(700, std::byte{0xee});
      std::copy_n(source.data() + from, bytes, expected.data() + to);
      CAPTURE(to, bytes);
      REQUIRE(target == expected);
    }
  }
}

TEST_CASE("copying lines past the cache: whole ones to the border of one, from any place", "[streaming_copy]") {
  const auto source = test::pattern(600);
  alignas(64) std::array<std::byte, 640> target{};
  for (const std::size_t bytes : {0, 64, 128, 512}) {
    for (const std::size_t from : {0, 4, 63}) {
      target.fill(std::byte{0xee});
      copy_lines_past_cache(target.data() + 64, source.data() + from, bytes);
      order_stores_past_cache();
      std::vector<std::byte> expected(640, std::byte{0xee});
      std::copy_n(source.data() + from, bytes, expected.data() + 64);
      CHECK(std::ranges::equal(target, expected));
    }
  }
}

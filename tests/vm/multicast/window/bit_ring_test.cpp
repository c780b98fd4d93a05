#include "vm/multicast/window/bit_ring.hpp"

#include <catch2/catch.hpp>

using namespace nasvm::multicast;

TEST_CASE("a ring of bits finds the first that is set or clear, across its end and that of numbers", "[multicast]") {
  const std::uint32_t from = GENERATE(0U, 1U, 60U, 4'294'967'200U);
  BitRing ring(100);
  CHECK(ring.capacity() == 128);
  const std::uint32_t to = from + 100;
  CHECK(ring.first_set(from, to) == to);
  CHECK(ring.first_clear(from, to) == from);
  ring.set(from + 70);
  ring.set(from + 99);
  CHECK(ring.test(from + 70));
  CHECK(ring.first_set(from, to) == from + 70);
  CHECK(ring.first_set(from, from + 70) == from + 70);  // none: its end
  CHECK(ring.first_set(from + 71, to) == from + 99);
  CHECK(ring.first_clear(from + 70, to) == from + 71);
  ring.clear(from + 70);
  CHECK(ring.first_set(from, to) == from + 99);
  for (std::uint32_t i = 0; i < 100; ++i) ring.set(from + i);
  CHECK(ring.first_clear(from, to) == to);
  ring.clear(from, from + 90);
  CHECK(ring.first_set(from, to) == from + 90);
  CHECK(ring.first_clear(from + 90, to) == to);
}

#include "vm/collective/blocks.hpp"

#include <catch2/catch.hpp>

using namespace nasvm;
using nasvm::collective::Blocks;

TEST_CASE("blocks: lie one after the other", "[collective]") {
  const std::vector<std::size_t> bytes{3, 0, 5};
  const Blocks blocks(bytes);
  std::vector<std::byte> data(8);
  CHECK(blocks.count() == 3);
  CHECK(blocks.total() == 8);
  CHECK(blocks.of(std::span(data), 2).data() == data.data() + 3);
  CHECK(blocks.of(std::span(data), 2).size() == 5);
  CHECK(blocks.of(std::span(data), -1).size() == 5);
  CHECK(blocks.of(std::span(data), 4).empty());
}

TEST_CASE("blocks: runs go on with the first after the last", "[collective]") {
  const std::vector<std::size_t> bytes{1, 2, 4, 8};
  const Blocks blocks(bytes);
  CHECK(blocks.run_bytes(1, 0) == 0);
  CHECK(blocks.run_bytes(1, 2) == 6);
  CHECK(blocks.run_bytes(3, 2) == 9);
  CHECK(blocks.run_bytes(2, 4) == 15);
  CHECK(blocks.run_bytes(5, 1) == 2);
}

TEST_CASE("blocks: an even cut differs by one unit at most and covers everything", "[collective]") {
  for (const std::size_t units : {0U, 1U, 5U, 16U, 1000U}) {
    for (const int ranks : {1, 2, 3, 7, 16}) {
      INFO("units " << units << ", ranks " << ranks);
      const Blocks blocks = Blocks::even(8 * units, ranks, 8);
      CHECK(blocks.count() == ranks);
      CHECK(blocks.total() == 8 * units);
      for (int block = 0; block < ranks; ++block) {
        CHECK(blocks.bytes(block) % 8 == 0);
        CHECK(blocks.bytes(block) <= blocks.bytes(0));
        CHECK(blocks.bytes(block) + 8 >= blocks.bytes(0));
      }
    }
  }
}

#include "vm/multicast/erasure/reed_solomon.hpp"

#include <bit>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>

#include "support/packet_recorder.hpp"

using namespace nasvm::multicast::erasure;
using nasvm::test::pattern;

namespace {

using Bytes = std::vector<std::byte>;

/// A block of pieces, the last of which may be shorter, and some of its repairs.
struct Block {
  Block(int count, int repair_count, std::size_t bytes, std::size_t last_bytes) {
    for (int i = 0; i < count; ++i) {
      pieces.push_back(pattern(i + 1 == count ? last_bytes : bytes, static_cast<unsigned>(i) + 1));
    }
    repairs.assign(static_cast<std::size_t>(repair_count), Bytes(pieces.front().size()));
    code.encode(views(), 0, targets());
  }
  std::vector<Piece> views() const { return {pieces.begin(), pieces.end()}; }
  std::vector<std::span<std::byte>> targets() { return {repairs.begin(), repairs.end()}; }

  /// Are the missing pieces restored from those repairs? The pieces' own bytes are out of reach.
  bool restores(const std::vector<int>& missing, const std::vector<int>& chosen) {
    std::vector<Piece> present = views();
    std::vector<Bytes> buffers;
    std::vector<Missing> wanted;
    for (const int index : missing) {
      present[static_cast<std::size_t>(index)] = {};
      buffers.emplace_back(pieces[static_cast<std::size_t>(index)].size(), std::byte{0xee});
    }
    for (std::size_t i = 0; i < missing.size(); ++i) wanted.push_back({missing[i], buffers[i]});
    std::vector<Repair> come;
    for (const int number : chosen) come.push_back({number, repairs[static_cast<std::size_t>(number)]});
    code.decode(present, come, wanted);
    for (std::size_t i = 0; i < missing.size(); ++i) {
      if (buffers[i] != pieces[static_cast<std::size_t>(missing[i])]) return false;
    }
    return true;
  }

  ReedSolomon code;
  std::vector<Bytes> pieces;
  std::vector<Bytes> repairs;
};

/// The numbers of the bits that are set.
std::vector<int> members(unsigned set) {
  std::vector<int> numbers;
  for (int i = 0; i < 32; ++i) {
    if ((set >> i & 1U) != 0) numbers.push_back(i);
  }
  return numbers;
}

std::vector<int> draw(int count, int from, std::mt19937& random) {
  std::vector<int> all(static_cast<std::size_t>(from));
  std::iota(all.begin(), all.end(), 0);
  std::shuffle(all.begin(), all.end(), random);
  all.resize(static_cast<std::size_t>(count));
  return all;
}

}  // namespace

TEST_CASE("any m repairs stand in for any m missing pieces", "[multicast]") {
  const int count = GENERATE(1, 2, 3, 5);
  constexpr int repairs = 5;
  Block block(count, repairs, 40, 33);
  int patterns = 0;
  for (unsigned missing = 0; missing < 1U << count; ++missing) {
    for (unsigned chosen = 0; chosen < 1U << repairs; ++chosen) {
      if (std::popcount(missing) != std::popcount(chosen)) continue;
      REQUIRE(block.restores(members(missing), members(chosen)));
      ++patterns;
    }
  }
  CHECK(patterns > count);
}

TEST_CASE("pieces of large blocks are restored", "[multicast]") {
  const auto [count, repairs] = GENERATE(std::pair(32, 32), std::pair(64, 20), std::pair(200, 56), std::pair(255, 1));
  const std::size_t bytes = GENERATE(1U, 31U, 64U, 1001U, 1472U);
  std::mt19937 random(static_cast<unsigned>(bytes));
  Block block(count, repairs, bytes, (bytes + 1) / 2);
  for (int i = 0; i < 10; ++i) {
    const int lost = std::uniform_int_distribution(1, std::min(count, repairs))(random);
    CAPTURE(count, bytes, lost);
    REQUIRE(block.restores(draw(lost, count, random), draw(lost, repairs, random)));
  }
}

TEST_CASE("a repair is the same whether it is made alone or with others", "[multicast]") {
  Block block(10, 6, 100, 60);
  for (int number = 0; number < 6; ++number) {
    Bytes alone(100);
    const std::vector<std::span<std::byte>> target{alone};
    block.code.encode(block.views(), number, target);
    CHECK(alone == block.repairs[static_cast<std::size_t>(number)]);
  }
}

TEST_CASE("a wrong repair shows: the code does not restore by chance", "[multicast]") {
  Block block(4, 2, 50, 50);
  block.repairs[0][7] ^= std::byte{1};
  CHECK_FALSE(block.restores({2}, {0}));
  CHECK(block.restores({2}, {1}));
}

TEST_CASE("a block of one short piece has repairs as short", "[multicast]") {
  Block block(1, 2, 0, 5);
  CHECK(block.repairs.front().size() == 5);
  CHECK(block.restores({0}, {1}));
}

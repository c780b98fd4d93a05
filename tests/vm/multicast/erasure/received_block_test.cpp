#include "vm/multicast/erasure/received_block.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "support/packet_recorder.hpp"

using namespace nasvm::multicast::erasure;
using nasvm::test::pattern;

namespace {

using Bytes = std::vector<std::byte>;

struct Sent {
  Sent(std::size_t bytes, std::size_t piece_bytes, int repair_count, unsigned seed = 1)
      : whole(pattern(bytes, seed)) {
    for (std::size_t start = 0; start < bytes; start += piece_bytes) {
      pieces.push_back(Piece(whole).subspan(start, std::min(piece_bytes, bytes - start)));
    }
    repairs.assign(static_cast<std::size_t>(repair_count), Bytes(pieces.front().size()));
    const std::vector<std::span<std::byte>> targets(repairs.begin(), repairs.end());
    code.encode(pieces, 0, targets);
  }
  bool is_in(const ReceivedBlock& block) const {
    for (int index = 0; index < block.pieces(); ++index) {
      if (!block.has(index) || !std::ranges::equal(block.piece(index), pieces[static_cast<std::size_t>(index)])) {
        return false;
      }
    }
    return true;
  }

  ReedSolomon code;
  Bytes whole;
  std::vector<Piece> pieces;
  std::vector<Bytes> repairs;
};

}  // namespace

TEST_CASE("a block is whole when as many pieces and repairs have come as it has pieces, in any order",
          "[multicast]") {
  std::mt19937 random(3);
  ReceivedBlock block;
  for (int round = 0; round < 50; ++round) {
    const auto pieces = std::uniform_int_distribution(1, 20)(random);
    const auto bytes = static_cast<std::size_t>(pieces * 100 - std::uniform_int_distribution(0, 99)(random));
    Sent sent(bytes, 100, 10, static_cast<unsigned>(round));
    block.reset(bytes, 100);
    REQUIRE(block.pieces() == pieces);
    std::vector<int> order(static_cast<std::size_t>(pieces) + 10);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    std::shuffle(order.begin(), order.end(), random);
    for (int come = 0; come < pieces; ++come) {
      CHECK(block.lacking() == pieces - come);
      const int row = order[static_cast<std::size_t>(come)];
      const auto index = static_cast<std::size_t>(row);
      if (row < pieces) {
        REQUIRE(block.add_piece(row, sent.pieces[index], sent.code));
      } else {
        const int number = row - pieces;
        REQUIRE(block.add_repair(number, sent.repairs[static_cast<std::size_t>(number)], sent.code));
      }
    }
    CHECK(block.lacking() == 0);
    REQUIRE(sent.is_in(block));
  }
}

TEST_CASE("what a block has no use for changes nothing", "[multicast]") {
  Sent sent(250, 100, 3);
  ReceivedBlock block;
  block.reset(250, 100);
  CHECK(block.add_piece(0, sent.pieces[0], sent.code));
  CHECK_FALSE(block.add_piece(0, sent.pieces[0], sent.code));
  CHECK_FALSE(block.add_piece(1, sent.pieces[2], sent.code));
  CHECK_FALSE(block.add_piece(-1, sent.pieces[1], sent.code));
  CHECK_FALSE(block.add_piece(3, sent.pieces[1], sent.code));
  CHECK_FALSE(block.add_repair(0, sent.pieces[2], sent.code));
  CHECK_FALSE(block.add_repair(-1, sent.repairs[0], sent.code));
  CHECK_FALSE(block.add_repair(253, sent.repairs[0], sent.code));
  CHECK(block.add_repair(2, sent.repairs[2], sent.code));
  CHECK_FALSE(block.add_repair(2, sent.repairs[2], sent.code));
  CHECK(block.lacking() == 1);
  CHECK(block.add_repair(0, sent.repairs[0], sent.code));
  CHECK_FALSE(block.add_repair(1, sent.repairs[1], sent.code));
  CHECK(sent.is_in(block));
}

TEST_CASE("a block without bytes is one empty piece", "[multicast]") {
  ReedSolomon code;
  ReceivedBlock block;
  block.reset(0, 100);
  CHECK(block.pieces() == 1);
  CHECK(block.lacking() == 1);
  CHECK(block.add_piece(0, {}, code));
  CHECK(block.lacking() == 0);
  CHECK(block.piece(0).empty());
}

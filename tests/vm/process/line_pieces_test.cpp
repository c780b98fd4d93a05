/// \file
/// Output in lines and pieces of lines, by a clock that the tests set.

#include "vm/process/line_pieces.hpp"

#include <utility>
#include <vector>

#include <catch2/catch.hpp>

using namespace nasvm::process;
using namespace std::chrono_literals;

namespace {

using Piece = std::pair<std::string, bool>;

struct Cut {
  explicit Cut(bool is_looked_at)
      : pieces([this](std::string_view text, bool is_ended) { all.emplace_back(text, is_ended); }, is_looked_at) {}

  std::vector<Piece> all;
  LinePieces pieces;
  LinePieces::TimePoint now{1h};
};

}  // namespace

TEST_CASE("line pieces: lines come whole, whatever their bytes are", "[exec]") {
  Cut cut(true);
  cut.pieces.take("on", cut.now);
  cut.pieces.take(std::string_view("e\n\n\0tw", 6), cut.now);
  CHECK(cut.all == std::vector<Piece>{{"one", true}, {"", true}});
  cut.pieces.take("o\n", cut.now);
  CHECK(cut.all.back() == Piece{std::string("\0two", 4), true});
  CHECK(cut.pieces.due() == LinePieces::TimePoint::max());
  cut.pieces.hand_over();
  CHECK(cut.all.size() == 3);
}

TEST_CASE("line pieces: a prompt is handed over when it has waited, and its line goes on", "[exec]") {
  Cut cut(true);
  cut.pieces.take("Enter n: ", cut.now);
  REQUIRE(cut.pieces.due() == cut.now + LinePieces::patience);
  cut.pieces.look(cut.now + LinePieces::patience - 1ns);
  CHECK(cut.all.empty());
  cut.pieces.look(cut.now + LinePieces::patience);
  CHECK(cut.all == std::vector<Piece>{{"Enter n: ", false}});
  CHECK(cut.pieces.due() == LinePieces::TimePoint::max());
  cut.pieces.take("5\n", cut.now + 1s);
  CHECK(cut.all.back() == Piece{"5", true});
}

TEST_CASE("line pieces: where nobody looks a line stays whole until the end", "[exec]") {
  Cut cut(false);
  cut.pieces.take("half", cut.now);
  CHECK(cut.pieces.due() == LinePieces::TimePoint::max());
  cut.pieces.look(cut.now + 1h);
  CHECK(cut.all.empty());
  cut.pieces.hand_over();
  CHECK(cut.all == std::vector<Piece>{{"half", false}});
}

TEST_CASE("line pieces: a line without an end is not kept for ever", "[exec]") {
  Cut cut(false);
  const std::string much(longest_piece, 'x');
  cut.pieces.take(much, cut.now);
  cut.pieces.take("y\n", cut.now);
  CHECK(cut.all == std::vector<Piece>{{much, false}, {"y", true}});
}

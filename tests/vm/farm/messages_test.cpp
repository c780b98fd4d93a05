#include "vm/farm/messages.hpp"

#include <catch2/catch.hpp>

#include "vm/farm/costs.hpp"
#include "vm/status.hpp"

using namespace nasvm;

TEST_CASE("farm messages: come out as they went in, and are as long as the costs say") {
  PackBuffer piece = farm::pack_piece({7, {100, 20}});
  CHECK(piece.bytes().size() == farm::piece_bytes);
  const farm::Piece same = farm::unpack_piece(piece);
  CHECK(same.id == 7);
  CHECK(same.units == farm::Units{100, 20});

  PackBuffer result = farm::pack_result({7, 0.5, {1, 2, 3}});
  CHECK(result.bytes().size() == farm::result_bytes(3));
  const farm::Crew::Result back = farm::unpack_result(result);
  CHECK(back.piece == 7);
  CHECK(back.spent_s == 0.5);
  CHECK(back.row == farm::Row{1, 2, 3});

  PackBuffer stop = farm::pack_stop(1.5);
  CHECK(farm::unpack_stop(stop) == 1.5);
}

TEST_CASE("farm messages: another message is an error") {
  PackBuffer stop = farm::pack_stop(1.5);
  CHECK_THROWS_AS(farm::unpack_piece(stop), RunError);
}

TEST_CASE("farm costs: a leader alone sends nothing") {
  CHECK(farm::bound(100, 1, 14).messages == 0);
  CHECK(farm::bound(100, 1, 14).bytes == 0);
  CHECK(farm::bound(10, 3, 1).messages == 40);
}

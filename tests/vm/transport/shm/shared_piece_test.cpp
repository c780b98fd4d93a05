#include "vm/transport/shm/shared_piece.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "support/packet_recorder.hpp"

using namespace nasvm;
using namespace nasvm::shm;

TEST_CASE("memory in common: what one puts there the other sees, until it is hidden nobody else", "[shm]") {
  const std::size_t stream_from = GENERATE(std::size_t{0}, ~std::size_t{0});
  Segment segment(2, 16'384, -1, LongMessages::fetched);
  const PeerSegment peer(segment.descriptor(), 1);
  constexpr std::size_t bytes = 100'000;
  const auto own = create_shared_piece(bytes, stream_from);
  REQUIRE(own != nullptr);
  REQUIRE(own->bytes().size() == bytes);
  const auto theirs = map_shared_piece(peer, own->number(), bytes, stream_from);
  REQUIRE(theirs != nullptr);
  CHECK(theirs->bytes().data() != own->bytes().data());
  CHECK(std::ranges::all_of(theirs->bytes(), [](std::byte value) { return value == std::byte{0}; }));
  const auto message = test::pattern(50'001);
  own->put(own->bytes().subspan(17, message.size()), message);
  CHECK(std::ranges::equal(theirs->bytes().subspan(17, message.size()), message));
  theirs->put(theirs->bytes().subspan(0, 0), {});

  CHECK(map_shared_piece(peer, own->number(), bytes + 100'000, stream_from) == nullptr);  // it is not so long
  const auto number = own->number();
  own->hide();
  CHECK(map_shared_piece(peer, number, bytes, stream_from) == nullptr);
  CHECK(own->bytes()[17] == message[0]);
}

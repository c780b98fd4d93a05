#include "vm/transport/shm/shared_piece.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

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

TEST_CASE("memory in common: populated, all of it is there, and what was there before", "[shm]") {
  Segment segment(2, 16'384, -1, LongMessages::fetched);
  const PeerSegment peer(segment.descriptor(), 1);
  static constexpr std::size_t huge = std::size_t{2} << 20;
  const std::size_t bytes = GENERATE(std::size_t{1}, std::size_t{100'000}, huge, 2 * huge + 100'000);
  const auto own = create_shared_piece(bytes, ~std::size_t{0});
  REQUIRE(own != nullptr);
  const auto theirs = map_shared_piece(peer, own->number(), bytes, ~std::size_t{0});
  REQUIRE(theirs != nullptr);
  own->bytes().front() = std::byte{7};
  REQUIRE(own->populate());
  // All of it is there already.
  std::vector<unsigned char> resident((bytes + 4095) / 4096);
  REQUIRE(::mincore(own->bytes().data(), bytes, resident.data()) == 0);
  CHECK(std::ranges::all_of(resident, [](unsigned char page) { return (page & 1) != 0; }));
  theirs->bytes().back() = std::byte{9};
  REQUIRE(theirs->populate());
  CHECK(theirs->bytes().front() == (bytes == 1 ? std::byte{9} : std::byte{7}));
  CHECK(own->bytes().back() == std::byte{9});
  CHECK(std::ranges::count(own->bytes(), std::byte{0}) == static_cast<std::ptrdiff_t>(bytes - (bytes == 1 ? 1 : 2)));
}

#include "vm/multicast/window/feedback.hpp"

#include <catch2/catch.hpp>

using namespace nasvm::multicast;
using namespace std::chrono_literals;

TEST_CASE("an acknowledgement is read as it was written", "[multicast]") {
  const auto bytes = encode(ack_of({7, 0xfffffff0, 12, 70000us}));
  const Feedback read = feedback_of(*decode(bytes));
  CHECK(read.before == 7);
  CHECK(read.seen == 0xfffffff0);
  CHECK(read.arrived == 12);
  CHECK(read.held == 70000us);
}

TEST_CASE("a NAK lists what is missing, as much as fits", "[multicast]") {
  std::vector<Range> ranges;
  for (std::uint32_t i = 0; i < max_nak_ranges + 5; ++i) ranges.push_back({10 * i, i + 1});
  NakPayload room;
  const auto bytes = encode(nak_of({5, 6, 7}, ranges, room));
  const Packet packet = *decode(bytes);
  CHECK(packet.kind == Packet::Kind::nak);
  CHECK(packet.sequence == 5);
  std::array<Range, max_nak_ranges> read;
  REQUIRE(missing_of(packet, read) == max_nak_ranges);
  CHECK(std::equal(read.begin(), read.end(), ranges.begin()));
}

TEST_CASE("a NAK of half a range, or of too many, does no harm", "[multicast]") {
  std::vector<std::byte> payload((max_nak_ranges + 3) * 8);
  Packet packet;
  packet.kind = Packet::Kind::nak;
  packet.payload = payload;
  std::array<Range, max_nak_ranges> read;
  CHECK(missing_of(packet, read) == max_nak_ranges);
  packet.payload = std::span(payload).first(12);
  CHECK(missing_of(packet, read) == 0);
  packet.payload = {};
  CHECK(missing_of(packet, read) == 0);
}

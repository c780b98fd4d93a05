#include "vm/multicast/packet.hpp"

#include <catch2/catch.hpp>

#include "support/packet_recorder.hpp"
#include "vm/multicast/pieces.hpp"

using namespace nasvm;
using namespace nasvm::multicast;
using nasvm::test::pattern;

TEST_CASE("a multicast packet is read as it was written", "[multicast]") {
  const auto payload = pattern(10);
  const Packet packet{Packet::Kind::data, 3, 0x01020304, 0x05060708, 9, 0x1122334455, 0x1122334466, payload};
  const auto bytes = encode(packet);
  CHECK(bytes.size() == header_bytes + 10);
  CHECK(bytes[2] == std::byte{0x04});  // little-endian
  const auto read = decode(bytes);
  REQUIRE(read);
  CHECK(read->kind == Packet::Kind::data);
  CHECK(read->flags == 3);
  CHECK(read->message == packet.message);
  CHECK(read->sequence == packet.sequence);
  CHECK(read->count == 9);
  CHECK(read->offset == packet.offset);
  CHECK(read->message_bytes == packet.message_bytes);
  CHECK(std::ranges::equal(read->payload, payload));
}

TEST_CASE("what is no multicast packet is refused", "[multicast]") {
  auto bytes = encode({});
  CHECK(decode(bytes));
  CHECK_FALSE(decode(std::span(bytes).first(header_bytes - 1)));
  for (const int kind : {0, 6, 255}) {
    bytes[0] = static_cast<std::byte>(kind);
    CHECK_FALSE(decode(bytes));
  }
}

TEST_CASE("data outside their message are refused", "[multicast]") {
  const auto payload = pattern(10);
  Packet packet{.offset = 90, .message_bytes = 100, .payload = payload};
  CHECK(decode(encode(packet)));
  packet.offset = 91;
  CHECK_FALSE(decode(encode(packet)));
  packet.offset = message_limit - 5;
  CHECK_FALSE(decode(encode(packet)));
}

TEST_CASE("a message is cut into pieces that cover it once", "[multicast]") {
  const std::size_t bytes = GENERATE(0U, 1U, 99U, 100U, 101U, 1000U);
  const auto message = pattern(bytes);
  const Pieces pieces(message, 4, 70, 100);
  std::size_t next = 0;
  for (std::uint32_t sequence = pieces.first(); sequence != pieces.end(); ++sequence) {
    const Packet packet = pieces.packet(sequence);
    CHECK(packet.sequence == sequence);
    CHECK(packet.message == 4);
    CHECK(packet.message_bytes == bytes);
    CHECK(packet.offset == next);
    CHECK(packet.payload.data() == message.data() + next);
    next += packet.payload.size();
  }
  CHECK(next == bytes);
  CHECK(pieces.count() == std::max<std::size_t>(1, (bytes + 99) / 100));
}

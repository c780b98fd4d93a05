#include "vm/broadcast/message_inbox.hpp"

#include <catch2/catch.hpp>

#include "support/packet_recorder.hpp"
#include "vm/multicast/pieces.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using namespace nasvm::test;
using multicast::MessageInbox;
using multicast::Pieces;

namespace {

constexpr std::size_t packet_bytes = 10;

void bring(MessageInbox& inbox, std::span<const std::byte> message, std::uint32_t number) {
  const Pieces pieces(message, number, 0, packet_bytes);
  for (std::uint32_t i = pieces.count(); i-- > 0;) REQUIRE(inbox.take(pieces.packet(i)));
  inbox.complete(number);
}

}  // namespace

TEST_CASE("a group's message goes into the buffer that waits for it", "[broadcast]") {
  MessageInbox inbox(100);
  for (const std::uint32_t number : {0U, 1U, 2U}) {
    const auto message = pattern(35, number);
    std::vector<std::byte> buffer(message.size());
    inbox.expect(buffer);
    CHECK(inbox.arrived() == 0);
    CHECK_FALSE(inbox.complete());
    bring(inbox, message, number);
    CHECK(inbox.complete());
    CHECK(inbox.arrived() != 0);
    CHECK(buffer == message);
    inbox.next();
  }
}

TEST_CASE("a group's messages go on when their numbers begin again", "[broadcast]") {
  constexpr std::uint32_t last = 0xffffffff;
  MessageInbox inbox(100, last);
  for (const std::uint32_t number : {last, 0U, 1U}) {
    const auto message = pattern(35, number);
    std::vector<std::byte> buffer(message.size());
    inbox.expect(buffer);
    CHECK_FALSE(inbox.complete());
    CHECK(inbox.take(Pieces(message, number - 1, 0, packet_bytes).packet(0)));  // of the one before: nothing new
    CHECK(inbox.arrived() == 0);
    bring(inbox, message, number);
    CHECK(inbox.complete());
    CHECK(buffer == message);
    inbox.next();
    CHECK_FALSE(inbox.complete());
  }
}

TEST_CASE("a group's message that is early is kept, up to a length", "[broadcast]") {
  MessageInbox inbox(35);
  const auto message = pattern(35);
  bring(inbox, message, 0);
  std::vector<std::byte> buffer(message.size());
  inbox.expect(buffer);
  CHECK(inbox.complete());
  CHECK(buffer == message);
  inbox.next();

  const auto longer = pattern(36);
  const Pieces pieces(longer, 1, 4, packet_bytes);
  CHECK_FALSE(inbox.take(pieces.packet(4)));
  buffer.resize(longer.size());
  inbox.expect(buffer);
  CHECK(inbox.take(pieces.packet(4)));
}

TEST_CASE("half of a group's message may be early", "[broadcast]") {
  MessageInbox inbox(100);
  const auto message = pattern(20);
  const Pieces pieces(message, 0, 0, packet_bytes);
  CHECK(inbox.take(pieces.packet(1)));
  std::vector<std::byte> buffer(message.size());
  inbox.expect(buffer);
  CHECK_FALSE(inbox.complete());
  CHECK(inbox.take(pieces.packet(0)));
  inbox.complete(0);
  CHECK(inbox.complete());
  CHECK(buffer == message);
}

TEST_CASE("a group's empty message is one, too", "[broadcast]") {
  MessageInbox inbox(100);
  inbox.expect({});
  CHECK_FALSE(inbox.complete());
  bring(inbox, {}, 0);
  CHECK(inbox.complete());
}

TEST_CASE("a group's message of another length than its buffer is an error", "[broadcast]") {
  const auto message = pattern(20);
  std::vector<std::byte> buffer(21);
  MessageInbox early(100);
  bring(early, message, 0);
  CHECK_THROWS_AS(early.expect(buffer), RunError);

  MessageInbox late(100);
  late.expect(buffer);
  bring(late, message, 0);
  CHECK_THROWS_WITH(late.complete(), "a broadcast of 20 bytes was received with a buffer of 21");
}

TEST_CASE("a group's message changes nothing once it is complete", "[broadcast]") {
  MessageInbox inbox(100);
  const auto message = pattern(20);
  std::vector<std::byte> buffer(message.size());
  inbox.expect(buffer);
  bring(inbox, message, 0);
  inbox.next();
  CHECK(inbox.take(Pieces(message, 0, 0, packet_bytes).packet(0)));
  CHECK(inbox.arrived() == 0);
}

TEST_CASE("a group's message that has failed is written nowhere, and cannot be received later", "[broadcast]") {
  MessageInbox inbox(100);
  const auto message = pattern(35);
  std::vector<std::byte> wrong(20);
  inbox.expect(wrong);
  const Pieces pieces(message, 0, 0, packet_bytes);
  CHECK(inbox.take(pieces.packet(0)));
  CHECK_THROWS_AS(inbox.complete(), RunError);
  inbox.give_up();
  for (std::uint32_t i = 1; i < pieces.count(); ++i) (void)inbox.take(pieces.packet(i));
  CHECK(wrong == std::vector<std::byte>(20));
  std::vector<std::byte> right(35);
  CHECK_THROWS_AS(inbox.expect(right), RunError);
}

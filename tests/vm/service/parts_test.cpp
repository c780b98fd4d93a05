// The logic below a service: heads, accounts, the order of what waits, seals.

#include <catch2/catch.hpp>
#include <vector>

#include "vm/service/account.hpp"
#include "vm/service/handler.hpp"
#include "vm/service/head.hpp"
#include "vm/service/inbox.hpp"
#include "vm/service/seal.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using namespace nasvm::service;

TEST_CASE("a head comes out as it went in", "[service]") {
  const Head head{.kind = Kind::request,
                  .sealed = true,
                  .asks = false,
                  .replies = true,
                  .endpoint = 0xfedcba98,
                  .handler = 3,
                  .number = 4,
                  .answers = 5,
                  .credit = 6,
                  .bytes = 0x123456789abcULL};
  std::array<std::byte, Head::bytes_on_wire> wire;
  head.put(wire);
  const Head read = Head::get(wire);
  CHECK((read.sealed && !read.asks && read.replies));
  CHECK((read.endpoint == head.endpoint && read.handler == 3 && read.number == 4 && read.answers == 5));
  CHECK((read.credit == 6 && read.bytes == head.bytes));
  CHECK((head.lasting().credit == 0 && !head.lasting().replies && head.lasting().number == 4));
}

TEST_CASE("what is no head is refused", "[service]") {
  std::array<std::byte, Head::bytes_on_wire> wire;
  Head{.bytes = 10}.put(wire);
  CHECK_THROWS_AS(Head::get(wire), RunError);  // its data is missing
  Head{.bytes = 0}.put(wire);
  CHECK_NOTHROW(Head::get(wire));
  CHECK_THROWS_AS(Head::get(std::span(wire).first(31)), RunError);
  wire[0] = std::byte{99};
  CHECK_THROWS_AS(Head::get(wire), RunError);
}

TEST_CASE("numbers and names of handlers do not meet", "[service]") {
  CHECK(HandlerName(5).number() == 5);
  CHECK(HandlerName("read").number() != HandlerName("write").number());
  CHECK(HandlerName("read").number() >= 1U << 31);
}

TEST_CASE("an account asks for room once, when half is in use, until it is answered", "[service]") {
  Account asker;
  constexpr Account::Units window = 10;
  int asked = 0;
  for (int i = 0; i < 10; ++i) {
    REQUIRE(asker.has_room_for(1, window));
    asker.made(1);
    asked += asker.should_ask(window) ? 1 : 0;
  }
  CHECK(asked == 1);
  CHECK_FALSE(asker.has_room_for(1, window));
  asker.given_back(3, false);
  CHECK(asker.has_room_for(3, window));
  CHECK_FALSE(asker.should_ask(window));
  asker.given_back(1, true);
  CHECK(asker.should_ask(window));
  asker.given_back(100, true);
  CHECK(asker.all_carried_out());
  CHECK(asker.has_room_for(1000, window));  // one may always be under way
}

TEST_CASE("an account replies when all that has come is done, and gives back what is owed", "[service]") {
  Account server;
  CHECK_FALSE(server.reply_due());
  server.came();
  server.came();
  server.was_asked();
  CHECK_FALSE(server.reply_due());
  server.carried_out(2);
  CHECK_FALSE(server.take_reply());
  server.carried_out(3);
  CHECK(server.reply_due());
  CHECK(server.take_reply());
  CHECK_FALSE(server.take_reply());
  CHECK(server.take_owed() == 5);
  CHECK(server.take_owed() == 0);
}

namespace {

std::unique_ptr<Arrived> arrived(Rank source, std::uint32_t endpoint, std::uint32_t number, bool ready = true) {
  auto made = std::make_unique<Arrived>();
  made->source = source;
  made->head = {.endpoint = endpoint, .number = number};
  made->ready = ready;
  return made;
}

std::string taken(
    Inbox& inbox, const Inbox::MayRun& may_run = [](std::uint32_t) { return true; }) {
  std::string numbers;
  while (const auto request = inbox.take(may_run)) numbers += std::to_string(request->head.number) + " ";
  return numbers;
}

}  // namespace

TEST_CASE("what waits for its data holds up its queue, and no other", "[service]") {
  Inbox inbox;
  Arrived& slow = inbox.add(arrived(1, 5, 1, false));
  inbox.add(arrived(1, 5, 2));
  inbox.add(arrived(1, 6, 3));
  inbox.add(arrived(2, 5, 4));
  CHECK(inbox.holds_up(1, 5));
  CHECK(taken(inbox) == "3 4 ");
  CHECK_FALSE(inbox.holds_up(2, 5));
  SECTION("it comes") {
    slow.receive.complete = true;
    inbox.look_at_data();
    CHECK(taken(inbox) == "1 2 ");
  }
  SECTION("it never does") {
    slow.receive.abandoned = true;
    inbox.look_at_data();
    CHECK(taken(inbox) == "2 ");
  }
  CHECK(inbox.empty());
}

TEST_CASE("what comes before its endpoint goes on when there is one", "[service]") {
  Inbox inbox;
  inbox.add(arrived(1, 5, 1));
  inbox.add(arrived(1, 5, 2));
  CHECK(taken(inbox, [](std::uint32_t) { return false; }).empty());
  CHECK_FALSE(inbox.has_ready());
  inbox.release(6);
  CHECK_FALSE(inbox.has_ready());
  inbox.release(5);
  CHECK(taken(inbox) == "1 2 ");
}

TEST_CASE("what was sealed opens with the same secret and head alone, and unchanged", "[service]") {
  const Secret secret = make_secret();
  const Seal seal(secret);
  const std::vector<std::byte> data(100, std::byte{7}), head(32, std::byte{1}), other_head(32, std::byte{2});
  auto closed = seal.close(data, head);
  CHECK(closed.size() == data.size() + Seal::overhead_bytes);
  CHECK(seal.open(closed, head) == data);
  CHECK(closed != seal.close(data, head));  // never the same twice
  CHECK_THROWS_AS(seal.open(closed, other_head), RunError);
  CHECK_THROWS_AS(Seal(make_secret()).open(closed, head), RunError);
  CHECK_THROWS_AS(seal.open(std::span(closed).first(39), head), RunError);
  closed.back() ^= std::byte{1};
  CHECK_THROWS_AS(seal.open(closed, head), RunError);
}

// Engine over transports that copy at once, and that let receivers fetch.
#include <catch2/catch.hpp>
#include <vector>

#include "support/engine_machine.hpp"
#include "support/packet_recorder.hpp"
#include "vm/engine/engine.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using namespace nasvm::test;
using Machine = EngineMachine;
using Departure = MemoryNetwork::Departure;

TEST_CASE("messages that are taken at once arrive like all others", "[engine]") {
  const std::size_t bytes = GENERATE(0U, 1U, 64U, 999U, 1000U, 1001U, 5000U);
  const bool posted_first = GENERATE(true, false);
  CAPTURE(bytes, posted_first);
  Machine machine(2, small_limits, {.max_payload = 500, .takes_now = true});
  Machine::Handle receive;
  if (posted_first) receive = machine.receive(1, any_source, any_tag, 5000);
  const auto send = machine.send(0, 1, 7, pattern(bytes));
  CHECK((machine.comm.taken_now == 1) == (bytes <= 500));
  if (bytes <= 500) CHECK(send->complete);
  machine.deliver_all();
  if (!posted_first) receive = machine.receive(1, 0, 7, 5000);
  machine.deliver_all();
  CHECK(send->complete);
  CHECK(got(receive, 0, 7, pattern(bytes)));
  CHECK((receive->arrived != 0) == (bytes > 500));  // when the first was there, of what comes in pieces
  CHECK(machine[1].unexpected_bytes() == 0);
}

TEST_CASE("messages that are taken at once use credit and give it back", "[engine]") {
  Machine machine(2, small_limits, {.takes_now = true});
  std::vector<Machine::Handle> sends;
  for (int i = 0; i < 100; ++i) sends.push_back(machine.send(0, 1, i, pattern(200)));
  machine.deliver_all();
  CHECK(machine[1].unexpected_bytes() <= small_limits.credit_bytes);
  CHECK_FALSE(sends.back()->complete);
  for (int i = 0; i < 100; ++i) {
    const auto receive = machine.receive(1, 0, i, 200);
    machine.deliver_all();
    REQUIRE(got(receive, 0, i, pattern(200)));
  }
  CHECK(sends.back()->complete);
  const auto taken = machine.comm.taken_now;
  const auto again = machine.send(0, 1, 1, pattern(200));
  CHECK(machine.comm.taken_now == taken + 1);
}

TEST_CASE("a message whose receiver cannot be woken has been sent, and the credit with it, once", "[engine]") {
  Machine machine(2, small_limits, {.takes_now = true});
  const auto owed_for = machine.send(0, 1, 7, pattern(900));
  const auto taken_in = machine.receive(1, 0, 7, 900);
  machine.deliver_all();
  REQUIRE(taken_in->complete);
  machine.comm.on_taken_now = [] { throw RunError("no descriptor is left"); };
  CHECK_THROWS_WITH(machine.send(1, 0, 8, pattern(10, 1)), "no descriptor is left");
  machine.comm.on_taken_now = nullptr;
  const auto next = machine.send(1, 0, 8, pattern(10, 2));
  machine.deliver_all();
  CHECK(got(machine.receive(0, 1, 8, 10), 1, 8, pattern(10, 1)));
  CHECK(got(machine.receive(0, 1, 8, 10), 1, 8, pattern(10, 2)));
  // So many go at once that a window has room for, and no more.
  std::vector<Machine::Handle> sends;
  for (int i = 0; i < 10; ++i) sends.push_back(machine.send(0, 1, 9, pattern(900)));
  machine.deliver_all();
  CHECK(machine[1].unexpected_bytes() == small_limits.credit_bytes / (900 + sizeof(Envelope)) * 900);
}

TEST_CASE("a message taken at once that is longer than its receive is an error", "[engine]") {
  Machine machine(2, small_limits, {.takes_now = true});
  const auto receive = machine.receive(1, 0, 7, 10);
  const auto send = machine.send(0, 1, 7, pattern(11));
  CHECK_THROWS_AS(machine.deliver_all(), RunError);
}

TEST_CASE("a long message is fetched by its receiver, posted before or after", "[engine]") {
  const std::size_t bytes = GENERATE(300U, 5000U);
  const bool posted_first = GENERATE(true, false);
  const Departure departure = GENERATE(Departure::at_once, Departure::on_delivery);
  Machine machine(2, small_limits, {.departure = departure, .pull_from = 300});
  Machine::Handle receive;
  if (posted_first) receive = machine.receive(1, 0, 7, 5000);
  const auto send = machine.send(0, 1, 7, pattern(bytes));
  machine.deliver_all();
  CHECK(send->complete == posted_first);
  if (!posted_first) receive = machine.receive(1, 0, 7, 5000);
  CHECK(got(receive, 0, 7, pattern(bytes)));
  machine.deliver_all();
  CHECK(send->complete);
  CHECK(machine.comm.pulls == 1);
  CHECK(machine.comm.payload_bytes == 0);
}

TEST_CASE("a message that is too short, or for another way, is not fetched", "[engine]") {
  Machine machine(2, small_limits, {.pull_from = 300});
  const auto receive = machine.receive(1, 0, 7, 299);
  const auto send = machine.send(0, 1, 7, pattern(299));
  const auto direct_receive = machine.receive(1, 0, 8, 5000, unpacked_context);
  const auto direct_send = machine.send(0, 1, 8, pattern(5000), unpacked_context);
  machine.deliver_all();
  CHECK(got(receive, 0, 7, pattern(299)));
  CHECK(got(direct_receive, 0, 8, pattern(5000)));
  CHECK(machine.comm.pulls == 0);
}

TEST_CASE("a message that cannot be fetched after all is sent", "[engine]") {
  Machine machine(2, small_limits, {.pull_from = 300, .pull_works = false});
  const auto send = machine.send(0, 1, 7, pattern(2000));
  const auto receive = machine.receive(1, 0, 7, 2000);
  machine.deliver_all();
  CHECK(got(receive, 0, 7, pattern(2000)));
  CHECK(send->complete);
  CHECK(machine.comm.payload_bytes == 2000);
}

TEST_CASE("a receiver that has announced messages itself says so when it fetches", "[engine]") {
  using Exchange = MemoryPath::Exchange;
  const bool pull_works = GENERATE(true, false);
  Machine machine(3, small_limits, {.pull_from = 300, .pull_works = pull_works});
  const auto exchange = [&](Rank one, Rank other) {
    const auto receive = machine.receive(one, other, 7, 2000);
    const auto send = machine.send(other, one, 7, pattern(2000));
    machine.deliver_all();
    REQUIRE(got(receive, other, 7, pattern(2000)));
    return machine.comm.exchanges.back();
  };
  CHECK(exchange(0, 1) == Exchange::one_way);
  const auto announced = machine.send(0, 2, 8, pattern(2000));
  const auto again = machine.send(0, 1, 8, pattern(2000));
  CHECK(exchange(0, 1) == Exchange::both_ways);
  CHECK(exchange(1, 2) == Exchange::one_way);
  const auto first = machine.receive(2, 0, 8, 2000);
  machine.deliver_all();
  CHECK(exchange(0, 1) == Exchange::both_ways);
  const auto second = machine.receive(1, 0, 8, 2000);
  machine.deliver_all();
  CHECK(announced->complete);
  CHECK(again->complete);
  CHECK(exchange(0, 1) == Exchange::one_way);
}

TEST_CASE("an answer to a send that nobody has announced is dropped", "[engine]") {
  Machine machine(2, small_limits);
  Envelope envelope;
  envelope.source = Machine::tid_of(0).value;
  envelope.kind = PacketKind::pulled;
  for (const std::uint32_t id : {0U, 1U, 99U}) {
    envelope.sender_id = id;
    CHECK(machine[1].begin_packet(envelope).data == nullptr);
  }
}

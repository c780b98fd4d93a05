// Operations whose owners go before they are complete.
#include <algorithm>
#include <catch2/catch.hpp>
#include <span>
#include <string>
#include <vector>

#include "support/engine_machine.hpp"
#include "support/packet_recorder.hpp"
#include "vm/engine/engine.hpp"

using namespace nasvm;
using namespace nasvm::test;
using Machine = EngineMachine;
using Departure = MemoryNetwork::Departure;

namespace {

constexpr std::byte untouched{0x5a};

/// Its owner takes the memory back.
void take_back(Engine& engine, Machine::Handle& operation) {
  engine.withdraw(*operation);
  std::ranges::fill(operation->buffer, untouched);
}

bool is_untouched(const Machine::Handle& operation) {
  return std::ranges::all_of(operation->buffer, [](std::byte byte) { return byte == untouched; });
}

/// A receive of rank 1 for a message of rank 0, a part of which has arrived.
Machine::Handle arriving(Machine& machine, Rank source, std::size_t bytes, bool posted_first) {
  Machine::Handle receive;
  if (posted_first) receive = machine.receive(1, source, 7, bytes);
  for (int i = 0; i < 3; ++i) {
    REQUIRE(machine.comm.deliver_one(0, 1));
    if (receive == nullptr) receive = machine.receive(1, source, 7, bytes);
    (void)machine.comm.deliver_one(1, 0);
  }
  REQUIRE_FALSE(receive->complete);
  REQUIRE_FALSE(machine[1].cancel(*receive));
  return receive;
}

}  // namespace

TEST_CASE("a send that is withdrawn goes on without its owner", "[engine]") {
  const std::size_t bytes = GENERATE(900U, 5000U);
  const bool has_begun = GENERATE(true, false);
  const std::size_t pull_from = GENERATE(as<std::size_t>(), MemoryPath::never, 300);
  CAPTURE(bytes, has_begun, pull_from);
  Machine machine(2, small_limits, {.max_payload = 100, .departure = Departure::on_delivery, .pull_from = pull_from});
  auto send = machine.send(0, 1, 7, pattern(bytes));
  if (has_begun) REQUIRE(machine.comm.deliver_one(0, 1));
  REQUIRE_FALSE(send->complete);
  take_back(machine[0], send);
  send.reset();
  const auto receive = machine.receive(1, 0, 7, bytes);
  machine.deliver_all();
  CHECK(got(receive, 0, 7, pattern(bytes)));
  CHECK(machine.comm.pulls == 0);
  const auto next_receive = machine.receive(1, 0, 7, bytes);
  const auto next = machine.send(0, 1, 7, pattern(bytes, 2));
  machine.deliver_all();
  CHECK(next->complete);
  CHECK(got(next_receive, 0, 7, pattern(bytes, 2)));
  CHECK(machine.comm.pulls == (pull_from == 300 ? 1 : 0));
}

TEST_CASE("a send that is withdrawn ends when its receiver does", "[engine]") {
  Machine machine(2, small_limits);
  auto send = machine.send(0, 1, 7, pattern(5000));
  machine.deliver_all();
  take_back(machine[0], send);
  send.reset();
  machine[0].forget(Machine::tid_of(1), false);
  CHECK(machine[0].completed_sends() == 1);
}

TEST_CASE("a receive that is withdrawn is written to no more, and its message is lost", "[engine]") {
  const std::size_t bytes = GENERATE(900U, 5000U);
  const bool posted_first = GENERATE(true, false);
  CAPTURE(bytes, posted_first);
  Machine machine(2, small_limits, {.max_payload = 100});
  const auto send = machine.send(0, 1, 7, pattern(bytes));
  Machine::Handle receive = arriving(machine, 0, bytes, posted_first);
  take_back(machine[1], receive);
  machine.deliver_all();
  CHECK(is_untouched(receive));
  CHECK_FALSE(receive->complete);
  receive.reset();
  CHECK(send->complete);
  CHECK(machine[1].unexpected_bytes() == 0);
  // Its room has been given back: more than that can follow.
  for (unsigned i = 0; i < 10; ++i) {
    const auto next_receive = machine.receive(1, 0, 7, 900);
    const auto next = machine.send(0, 1, 7, pattern(900, i));
    machine.deliver_all();
    REQUIRE(got(next_receive, 0, 7, pattern(900, i)));
    REQUIRE(next->complete);
  }
}

TEST_CASE("a receive that is withdrawn is not posted again when its sender ends", "[engine]") {
  const bool posted_first = GENERATE(true, false);
  Machine machine(3, small_limits, {.max_payload = 100});
  const auto send = machine.send(0, 1, 7, pattern(900));
  Machine::Handle receive = arriving(machine, any_source, 900, posted_first);
  take_back(machine[1], receive);
  machine[1].forget(Machine::tid_of(0), false);
  const auto other = machine.send(2, 1, 7, pattern(500));
  while (machine.comm.deliver_one(2, 1)) {
  }
  CHECK(is_untouched(receive));
  Status found;
  CHECK(machine[1].find(2, 7, comm_context, found));
}

TEST_CASE("a posted receive that is withdrawn leaves its message to others", "[engine]") {
  Machine machine(2, small_limits);
  Machine::Handle receive = machine.receive(1, 0, 7, 500);
  take_back(machine[1], receive);
  const auto send = machine.send(0, 1, 7, pattern(500));
  machine.deliver_all();
  CHECK(is_untouched(receive));
  CHECK(got(machine.receive(1, 0, 7, 500), 0, 7, pattern(500)));
}

TEST_CASE("a synchronous send to oneself that is withdrawn leaves its message", "[engine]") {
  Machine machine(1, small_limits);
  auto send = Machine::operation(Operation::Kind::send, 0, 7, pattern(50), comm_context);
  send->synchronous = true;
  machine[0].start(*send);
  take_back(machine[0], send);
  send.reset();
  CHECK(got(machine.receive(0, 0, 7, 50), 0, 7, pattern(50)));
}

TEST_CASE("a message for which a receive is too short is lost, and nothing else is", "[engine]") {
  const std::size_t bytes = GENERATE(900U, 5000U);
  const bool has_come_whole = GENERATE(true, false);
  Machine machine(2, small_limits, {.max_payload = 100});
  const auto send = machine.send(0, 1, 7, pattern(bytes));
  REQUIRE(machine.comm.deliver_one(0, 1));
  if (has_come_whole) machine.deliver_all();
  CHECK_THROWS_WITH(machine.receive(1, 0, 7, 10), Catch::Matchers::Contains("does not fit its receive buffer"));
  machine.deliver_all();
  CHECK(send->complete);
  for (std::uint32_t i = 0; i < 20; ++i) {  // the credit for it has come back
    const auto next = machine.send(0, 1, 7, pattern(900, i));
    const auto receive = machine.receive(1, 0, 7, 900);
    machine.deliver_all();
    REQUIRE(next->complete);
    REQUIRE(got(receive, 0, 7, pattern(900, i)));
  }
  CHECK(machine[1].unexpected_bytes() == 0);
}

TEST_CASE("a posted receive that is too short ends, and its message, and nothing else does", "[engine]") {
  const std::size_t bytes = GENERATE(50U, 900U, 5000U);
  const bool takes_now = GENERATE(true, false);
  const Rank from = GENERATE(0, any_source);
  CAPTURE(bytes, takes_now, from);
  Machine machine(2, small_limits, {.max_payload = 100, .takes_now = takes_now});
  const std::string complaint = "a message of " + std::to_string(bytes) +
                                " bytes from rank 0 (tag 7) does not fit its receive buffer of 10 bytes";
  for (int i = 0; i < 50; ++i) {
    const auto receive = machine.receive(1, from, 7, 10);
    const auto other = machine.receive(1, from, 8, 10);
    const auto send = machine.send(0, 1, 7, pattern(bytes));
    REQUIRE_THROWS_WITH(machine.deliver_all(), complaint);
    machine.deliver_all();
    REQUIRE(send->complete);
    REQUIRE_FALSE(receive->complete);
    Operation* const both[] = {other.get(), receive.get()};
    REQUIRE_THROWS_WITH(machine[1].wait_any(std::span(both).last(1)), complaint);
    REQUIRE_THROWS_WITH(machine[1].wait_any(both), complaint);
    REQUIRE(machine[1].cancel(*receive));
    REQUIRE(machine[1].cancel(*other));
  }
  // The credit for them has come back: more goes at once.
  const auto next = machine.send(0, 1, 7, pattern(900));
  CHECK(next->complete);
  machine.deliver_all();
  CHECK(got(machine.receive(1, 0, 7, 900), 0, 7, pattern(900)));
  CHECK(machine[1].unexpected_bytes() == 0);
}

TEST_CASE("a receive that starts again when its sender has ended, and is too short then, ends alone", "[engine]") {
  Machine machine(3, small_limits, {.max_payload = 100, .departure = Departure::on_delivery});
  const auto first_lost = machine.send(0, 1, 7, pattern(900));
  const auto second_lost = machine.send(0, 1, 8, pattern(900));
  const auto first = machine.receive(1, any_source, 7, 900);
  const auto second = machine.receive(1, any_source, 8, 900);
  for (int i = 0; i < 4; ++i) REQUIRE(machine.comm.deliver_one(0, 1));  // two pieces of each
  const auto longer = machine.send(2, 1, 7, pattern(950));
  const auto shorter = machine.send(2, 1, 8, pattern(800));
  while (machine.comm.deliver_one(2, 1)) {
  }
  CHECK_NOTHROW(machine[1].forget(Machine::tid_of(0), false));
  Operation* const waited[] = {first.get()};
  CHECK_THROWS_WITH(machine[1].wait_any(waited),
                    "a message of 950 bytes from rank 2 (tag 7) does not fit its receive "
                    "buffer of 900 bytes");
  CHECK(got(second, 2, 8, pattern(800)));
  CHECK(machine[1].unexpected_bytes() == 0);
}

TEST_CASE("a multicast that is withdrawn goes on without its owner", "[engine]") {
  const std::size_t bytes = GENERATE(200U, 5000U);
  Machine machine(3, small_limits, {.max_payload = 100, .departure = Departure::on_delivery});
  auto send = Machine::operation(Operation::Kind::send, any_source, 7, pattern(bytes), packed_context);
  const std::vector<Rank> to{1, 2};
  machine.routed.open_group(Tid::group(1, 0), {1, 2});
  machine[0].start_multicast(*send, to, Tid::group(1, 0), [] {});
  REQUIRE_FALSE(send->complete);
  take_back(machine[0], send);
  send.reset();
  const auto first = machine.receive(1, 0, 7, bytes, packed_context);
  const auto second = machine.receive(2, 0, 7, bytes, packed_context);
  machine.deliver_all();
  CHECK(got(first, 0, 7, pattern(bytes)));
  CHECK(got(second, 0, 7, pattern(bytes)));
}

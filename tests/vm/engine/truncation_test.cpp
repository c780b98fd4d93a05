// Receives that may truncate, and synchronous sends: for libraries above Comm.
#include <catch2/catch.hpp>

#include "support/engine_machine.hpp"
#include "support/packet_recorder.hpp"
#include "vm/engine/engine.hpp"

using namespace nasvm;
using namespace nasvm::test;
using Machine = EngineMachine;
using Departure = MemoryNetwork::Departure;

namespace {

constexpr std::size_t room = 40;
/// Behind the receive's memory, to see that nothing is written there.
constexpr std::byte untouched{0x5a};

Machine::Handle start_truncating(Machine& machine, Rank at, Rank from) {
  auto receive = Machine::operation(Operation::Kind::receive, from, 7, std::vector<std::byte>(room + 8, untouched),
                                    comm_context);
  receive->bytes = room;
  receive->may_truncate = true;
  machine[at].start(*receive);
  return receive;
}

void check_truncated(const Machine::Handle& receive, Rank source, const std::vector<std::byte>& message) {
  REQUIRE(receive->complete);
  CHECK(receive->status.source == source);
  CHECK(receive->status.bytes == message.size());
  CHECK(std::equal(receive->buffer.begin(), receive->buffer.begin() + room, message.begin()));
  CHECK(
      std::all_of(receive->buffer.begin() + room, receive->buffer.end(), [](std::byte b) { return b == untouched; }));
}

}  // namespace

TEST_CASE("a receive that may truncate keeps the beginning of a longer message", "[engine]") {
  const std::size_t bytes = GENERATE(41U, 999U, 1000U, 1001U, 5000U);
  const std::size_t max_payload = GENERATE(64U, 1U << 20);
  const Departure departure = GENERATE(Departure::at_once, Departure::on_delivery);
  const bool takes_now = GENERATE(true, false);
  const bool posted_first = GENERATE(true, false);
  CAPTURE(bytes, max_payload, takes_now, posted_first);
  Machine machine(2, small_limits, {.max_payload = max_payload, .departure = departure, .takes_now = takes_now});
  Machine::Handle receive;
  if (posted_first) receive = start_truncating(machine, 1, 0);
  const auto send = machine.send(0, 1, 7, pattern(bytes));
  machine.deliver_all();
  if (!posted_first) receive = start_truncating(machine, 1, 0);
  machine.deliver_all();
  CHECK(send->complete);
  check_truncated(receive, 0, pattern(bytes));
  CHECK(machine[1].unexpected_bytes() == 0);
}

TEST_CASE("a receive that may truncate takes over a longer message that is arriving", "[engine]") {
  Machine machine(2, small_limits, {.max_payload = 100});
  const auto send = machine.send(0, 1, 7, pattern(950));
  for (int i = 0; i < 4; ++i) REQUIRE(machine.comm.deliver_one(0, 1));
  const auto receive = start_truncating(machine, 1, 0);
  machine.deliver_all();
  check_truncated(receive, 0, pattern(950));
}

TEST_CASE("a message to oneself may be truncated", "[engine]") {
  const bool posted_first = GENERATE(true, false);
  Machine machine(2, small_limits);
  Machine::Handle receive;
  if (posted_first) receive = start_truncating(machine, 0, 0);
  const auto send = machine.send(0, 0, 7, pattern(500));
  if (!posted_first) receive = start_truncating(machine, 0, 0);
  check_truncated(receive, 0, pattern(500));
}

TEST_CASE("after a truncated message the next one arrives whole", "[engine]") {
  Machine machine(2, small_limits);
  const auto first = start_truncating(machine, 1, 0);
  const auto second = machine.receive(1, 0, 7, 3000);
  const auto long_send = machine.send(0, 1, 7, pattern(3000));
  const auto next_send = machine.send(0, 1, 7, pattern(2000));
  machine.deliver_all();
  check_truncated(first, 0, pattern(3000));
  CHECK(got(second, 0, 7, pattern(2000)));
}

TEST_CASE("a synchronous send is complete only when a receive has matched, however short it is", "[engine]") {
  const std::size_t bytes = GENERATE(0U, 1U, 900U, 5000U);
  const bool takes_now = GENERATE(true, false);
  CAPTURE(bytes, takes_now);
  Machine machine(2, small_limits, {.takes_now = takes_now});
  auto send = Machine::operation(Operation::Kind::send, 1, 7, pattern(bytes), comm_context);
  send->synchronous = true;
  machine[0].start(*send);
  machine.deliver_all();
  CHECK_FALSE(send->complete);
  const auto receive = machine.receive(1, 0, 7, 5000);
  machine.deliver_all();
  CHECK(send->complete);
  CHECK(got(receive, 0, 7, pattern(bytes)));
}

TEST_CASE("a synchronous send to oneself is complete when a receive has matched", "[engine]") {
  Machine machine(1, small_limits);
  auto send = Machine::operation(Operation::Kind::send, 0, 7, pattern(50), comm_context);
  send->synchronous = true;
  machine[0].start(*send);
  CHECK_FALSE(send->complete);
  CHECK(got(machine.receive(0, 0, 7, 50), 0, 7, pattern(50)));
  CHECK(send->complete);
}

TEST_CASE("what a receive does not keep of a longer message lands nowhere", "[engine]") {
  const std::size_t bytes = GENERATE(900U, 5000U);
  Machine machine(2, small_limits, {.max_payload = 64});
  const auto receive = start_truncating(machine, 1, 0);
  const auto send = machine.send(0, 1, 7, pattern(bytes));
  if (bytes > 1000) {
    REQUIRE(machine.comm.deliver_one(0, 1));
    REQUIRE(machine.comm.deliver_one(1, 0));
  }
  for (int piece = 0; machine.comm.waiting(0, 1) > 0; ++piece) {
    const net::Landing landing = machine.comm.begin_delivery(0, 1);
    CHECK((landing.data == nullptr) == (piece > 0));
    machine.comm.end_delivery(0, 1, landing);
  }
  check_truncated(receive, 0, pattern(bytes));
}

// Engine: what a receiver that does not receive does to its senders.
#include "vm/engine/engine.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "support/engine_machine.hpp"
#include "support/packet_recorder.hpp"

using namespace nasvm;
using namespace nasvm::test;
using Machine = EngineMachine;

TEST_CASE("a receiver that does not receive stops its senders, and lets them go on when it does", "[engine]") {
  Machine machine(3, small_limits);
  std::vector<Machine::Handle> sends;
  for (int i = 0; i < 40; ++i) {
    sends.push_back(machine.send(i % 2, 2, i, pattern(900, static_cast<unsigned>(i))));
    machine.deliver_all();
  }
  CHECK(machine[2].unexpected_bytes() > 0);
  CHECK(machine[2].unexpected_bytes() <= 2 * small_limits.credit_bytes);
  CHECK(std::ranges::count_if(sends, [](const auto& send) { return !send->complete; }) > 20);
  const std::size_t bytes_held = machine.comm.payload_bytes;
  machine[0].progress();
  machine.deliver_all();
  CHECK(machine.comm.payload_bytes == bytes_held);

  for (int i = 0; i < 40; ++i) {
    CAPTURE(i);
    const auto receive = machine.receive(2, i % 2, any_tag, 900);
    machine.deliver_all();
    REQUIRE(got(receive, i % 2, i, pattern(900, static_cast<unsigned>(i))));
    CHECK(machine[2].unexpected_bytes() <= 2 * small_limits.credit_bytes);
  }
  CHECK(std::ranges::all_of(sends, [](const auto& send) { return send->complete; }));
}

TEST_CASE("messages for which there is no room are announced, and all arrive once they are received", "[engine]") {
  const std::size_t bytes = GENERATE(0U, 100U, 2000U);
  Machine machine(2, small_limits);
  std::vector<Machine::Handle> sends;
  for (int i = 0; i < 300; ++i) sends.push_back(machine.send(0, 1, i, pattern(bytes)));
  machine.deliver_all();
  CHECK_FALSE(sends.back()->complete);
  CHECK(machine.comm.payload_bytes <= small_limits.credit_bytes);
  for (int i = 0; i < 300; ++i) {
    const auto receive = machine.receive(1, 0, any_tag, bytes);
    machine.deliver_all();
    REQUIRE(got(receive, 0, i, pattern(bytes)));
  }
  CHECK(std::ranges::all_of(sends, [](const auto& send) { return send->complete; }));
}

TEST_CASE("a message for which there is room does not pass one for which there was none", "[engine]") {
  Machine machine(2, small_limits);
  std::vector<Machine::Handle> sends;
  for (int i = 0; i < 6; ++i) sends.push_back(machine.send(0, 1, i, pattern(900)));
  const auto last = machine.send(0, 1, 6, pattern(1));
  machine.deliver_all();
  CHECK_FALSE(sends.back()->complete);
  CHECK(last->complete);
  for (int i = 0; i < 7; ++i) {
    const auto receive = machine.receive(1, 0, any_tag, 900);
    machine.deliver_all();
    CAPTURE(i);
    CHECK(receive->status.tag == i);
  }
}

TEST_CASE("the receiver is reached although messages that nobody receives fill its room", "[engine]") {
  Machine machine(2, small_limits);
  std::vector<Machine::Handle> ignored;
  for (int i = 0; i < 20; ++i) ignored.push_back(machine.send(0, 1, 1, pattern(900)));
  const auto wanted = machine.send(0, 1, 2, pattern(500, 1));
  const auto receive = machine.receive(1, 0, 2, 500);
  machine.deliver_all();
  CHECK(got(receive, 0, 2, pattern(500, 1)));
  CHECK(wanted->complete);
}

TEST_CASE("room for messages is per pair: one that is full does not stop another", "[engine]") {
  Machine machine(3, small_limits);
  std::vector<Machine::Handle> sends;
  for (int i = 0; i < 10; ++i) sends.push_back(machine.send(0, 1, 0, pattern(900)));
  const auto other = machine.send(0, 2, 0, pattern(900));
  CHECK_FALSE(sends.back()->complete);
  CHECK(other->complete);
  const auto receive = machine.receive(2, 0, 0, 900);
  machine.deliver_all();
  CHECK(receive->complete);
}

TEST_CASE("messages that are received give back the room they used, and no more", "[engine]") {
  const bool both_ways = GENERATE(true, false);
  Machine machine(2, small_limits);
  int announced = 0;
  machine.comm.rewrite = [&](const auto& packet) {
    announced += packet.envelope.kind == PacketKind::request ? 1 : 0;
  };
  for (int i = 0; i < 400; ++i) {
    const auto receive = machine.receive(1, 0, 0, 1000), answer = machine.receive(0, 1, 0, 1000);
    const auto send = machine.send(0, 1, 0, pattern(1000));
    const auto back = both_ways ? machine.send(1, 0, 0, pattern(1000)) : nullptr;
    machine.deliver_all();
    REQUIRE((send->complete && receive->complete && answer->complete == both_ways));
    if (!both_ways) REQUIRE(machine[0].cancel(*answer));
  }
  CHECK(announced == 0);

  // Now nobody receives any more.
  std::vector<Machine::Handle> sends;
  for (int i = 0; i < 100; ++i) sends.push_back(machine.send(0, 1, 0, pattern(1)));
  machine.deliver_all();
  const auto taken = std::ranges::count_if(sends, [](const auto& send) { return send->complete; });
  CHECK(taken > 0);
  CHECK(static_cast<std::size_t>(taken) <= small_limits.credit_bytes / (sizeof(Envelope) + 1));
}

TEST_CASE("multicasts wait for room like other messages", "[engine]") {
  Machine machine(3, small_limits);
  machine.pump();
  machine.routed.open_group(Tid::group(1, 1), {1, 2});
  const std::vector<Rank> members{1, 2};
  std::vector<Machine::Handle> receives;
  for (Tag tag = 0; tag < 30; ++tag) {
    for (const Rank rank : members) receives.push_back(machine.receive(rank, 0, tag, 900, packed_context));
  }
  for (Tag tag = 0; tag < 30; ++tag) {
    const auto send = Machine::operation(Operation::Kind::send, any_source, tag, pattern(900), packed_context);
    machine[0].multicast(*send, members, Tid::group(1, 1), [] {});
    REQUIRE(send->complete);
  }
  machine.deliver_all();
  CHECK(std::ranges::all_of(receives, [](const auto& receive) { return receive->complete; }));
}

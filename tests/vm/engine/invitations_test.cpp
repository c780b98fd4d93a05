// Engine: receivers that answer before they are asked.
#include "vm/engine/invitations.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "support/engine_machine.hpp"
#include "support/packet_recorder.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using namespace nasvm::test;
using Machine = EngineMachine;

namespace {

/// How many packets of each kind have left.
struct Kinds {
  explicit Kinds(Machine& machine) {
    machine.comm.rewrite = [this](const auto& packet) { ++count[packet.envelope.kind]; };
  }
  int operator[](PacketKind kind) { return count[kind]; }
  std::map<PacketKind, int> count;
};

}  // namespace

TEST_CASE("a long message whose receive is known to its sender leaves without asking", "[engine]") {
  Machine machine(2, small_limits);
  Kinds sent(machine);
  const auto receive = machine.receive(1, 0, 7, 5000);
  machine.deliver_all();
  const auto send = machine.send(0, 1, 7, pattern(5000));
  CHECK(send->complete);
  machine.deliver_all();
  CHECK(got(receive, 0, 7, pattern(5000)));
  CHECK(sent[PacketKind::invite] == 1);
  CHECK(sent[PacketKind::request] + sent[PacketKind::grant] == 0);
}

TEST_CASE("an invitation that meets the announcement on its way answers it", "[engine]") {
  Machine machine(2, small_limits, {.max_payload = 1000});
  Kinds sent(machine);
  const auto receive = machine.receive(1, 0, any_tag, 5000);
  const auto send = machine.send(0, 1, 7, pattern(5000));
  const bool invitation_first = GENERATE(true, false);
  REQUIRE(machine.comm.deliver_one(invitation_first ? 1 : 0, invitation_first ? 0 : 1));
  machine.deliver_all();
  CHECK(send->complete);
  CHECK(got(receive, 0, 7, pattern(5000)));
  CHECK(sent[PacketKind::request] == 1);
  CHECK(sent[PacketKind::grant] == 0);
}

TEST_CASE("messages that no invitation is for are asked for", "[engine]") {
  Machine machine(2, small_limits);
  Kinds sent(machine);
  const auto other = machine.receive(1, 0, 8, 5000);
  const auto shorter = machine.receive(1, 0, 7, 2000);
  machine.deliver_all();
  SECTION("another tag") {
    const auto send = machine.send(0, 1, 9, pattern(5000));
    machine.deliver_all();
    CHECK_FALSE(send->complete);
    const auto receive = machine.receive(1, 0, 9, 5000);
    machine.deliver_all();
    CHECK(got(receive, 0, 9, pattern(5000)));
  }
  SECTION("longer than the receive") {
    const auto send = machine.send(0, 1, 7, pattern(3000));
    CHECK_THROWS_AS(machine.deliver_all(), RunError);
  }
  SECTION("synchronous") {
    auto send = Machine::operation(Operation::Kind::send, 1, 8, pattern(5000), comm_context);
    send->synchronous = true;
    machine[0].start(*send);
    CHECK_FALSE(send->complete);
    machine.deliver_all();
    CHECK(send->complete);
    CHECK(got(other, 0, 8, pattern(5000)));
    CHECK(sent[PacketKind::grant] == 1);
  }
  CHECK(sent[PacketKind::request] == 1);
}

TEST_CASE("an invited message whose receive another has taken is kept, without credit", "[engine]") {
  Machine machine(2, small_limits);
  const auto first = machine.receive(1, 0, 7, 5000);
  const auto short_one = machine.send(0, 1, 7, pattern(10));
  machine.deliver_all();
  REQUIRE(got(first, 0, 7, pattern(10)));
  const auto long_one = machine.send(0, 1, 7, pattern(5000));
  CHECK(long_one->complete);
  machine.deliver_all();
  CHECK(machine[1].unexpected_bytes() == 5000);
  Kinds sent(machine);
  const auto second = machine.receive(1, 0, 7, 5000);
  CHECK(got(second, 0, 7, pattern(5000)));
  machine.deliver_all();
  CHECK(sent[PacketKind::credit] == 0);
  CHECK(machine[1].unexpected_bytes() == 0);
}

TEST_CASE("what goes to a group is not invited, though its announcement meets an invitation", "[engine]") {
  Machine machine(3, small_limits);
  machine.pump();
  const std::vector<Rank> members{1, 2};
  machine.comm.open_group(Tid::group(1, 1), members);
  const auto one = machine.receive(1, 0, 7, 5000), two = machine.receive(2, 0, 7, 5000);
  const auto send = Machine::operation(Operation::Kind::send, any_source, 7, pattern(5000), comm_context);
  machine[0].multicast(*send, members, Tid::group(1, 1), [] {});
  machine.deliver_all();
  CHECK(got(one, 0, 7, pattern(5000)));
  CHECK(got(two, 0, 7, pattern(5000)));
}

TEST_CASE("so many invitations are open, however many receives are posted", "[engine]") {
  Machine machine(2, small_limits);
  Kinds sent(machine);
  std::vector<Machine::Handle> receives;
  for (int i = 0; i < 20; ++i) receives.push_back(machine.receive(1, 0, i, 2000));
  machine.deliver_all();
  CHECK(sent[PacketKind::invite] == static_cast<int>(engine::max_invitations));
  // What nobody used is given up by the next announcement, and others may follow.
  const auto send = machine.send(0, 1, 19, pattern(2000));
  machine.deliver_all();
  CHECK(send->complete);
  receives.push_back(machine.receive(1, 0, 99, 2000));
  CHECK(sent[PacketKind::invite] == static_cast<int>(engine::max_invitations) + 1);
  for (int i = 0; i < 19; ++i) REQUIRE(machine[1].cancel(*receives[static_cast<std::size_t>(i)]));
}

TEST_CASE("invited messages that wait for a receive count as invitations that are open", "[engine]") {
  Machine machine(2, small_limits);
  std::size_t waiting = 0;
  std::vector<Machine::Handle> sends;
  for (int round = 0; round < 20; ++round) {
    const auto receive = machine.receive(1, 0, 7 + round, 5000);
    machine.deliver_all();
    const auto short_one = machine.send(0, 1, 7 + round, pattern(10));
    machine.deliver_all();
    REQUIRE(got(receive, 0, 7 + round, pattern(10)));
    sends.push_back(machine.send(0, 1, 7 + round, pattern(5000)));
    machine.deliver_all();
    waiting = machine[1].unexpected_bytes() / 5000;
    REQUIRE(waiting <= engine::max_invitations);
  }
  CHECK(waiting == engine::max_invitations);
  // All arrive when they are asked for, and make room for others.
  for (int round = 0; round < 20; ++round) {
    const auto receive = machine.receive(1, 0, 7 + round, 5000);
    machine.deliver_all();
    REQUIRE(got(receive, 0, 7 + round, pattern(5000)));
  }
  CHECK(machine[1].unexpected_bytes() == 0);
  Kinds sent(machine);
  const auto receive = machine.receive(1, 0, 7, 5000);
  CHECK(sent[PacketKind::invite] == 1);
  REQUIRE(machine[1].cancel(*receive));
}

TEST_CASE("the numbers of invitations go round", "[engine]") {
  engine::GivenInvitations given(0xFFFFFFFD);
  std::vector<std::uint32_t> numbers;
  for (int i = 0; i < 4; ++i) numbers.push_back(given.add(comm_context, i, 5000).number);
  CHECK(numbers == std::vector<std::uint32_t>{0xFFFFFFFE, 0xFFFFFFFF, 0, 1});
  CHECK(given.meets(0xFFFFFFFF, comm_context, 2, 5000, false));
  CHECK_FALSE(given.use(numbers[0], comm_context, 0, 5000));
  CHECK_FALSE(given.use(numbers[1], comm_context, 1, 5000));
  CHECK(given.use(numbers[3], comm_context, 3, 5000));
}

TEST_CASE("nobody is invited by receives of short messages, from anybody, on one host, of tasks", "[engine]") {
  Machine machine(3, small_limits);  // the first and the third are on one host
  Kinds sent(machine);
  const auto short_one = machine.receive(1, 0, 1, 1000), from_anybody = machine.receive(1, any_source, 1, 5000),
             on_one_host = machine.receive(2, 0, 1, 5000),
             of_tasks = machine.receive(1, 0, 1, 5000, unpacked_context), own = machine.receive(1, 1, 1, 5000);
  CHECK(sent[PacketKind::invite] == 0);
}

TEST_CASE("a message by an invitation that was not given is refused", "[engine]") {
  Machine machine(2, small_limits);
  const auto receive = machine.receive(1, 0, 7, 5000);
  machine.deliver_all();
  const bool other_number = GENERATE(true, false);
  machine.comm.rewrite = [other_number](auto& packet) {
    if (packet.envelope.kind != PacketKind::invited) return;
    if (other_number) {
      packet.envelope.invitation += 1;
    } else {
      packet.envelope.tag += 1;
    }
  };
  const auto send = machine.send(0, 1, 7, pattern(5000));
  CHECK_THROWS_WITH(machine.deliver_all(), Catch::Contains("an invitation that was not given"));
}

TEST_CASE("an invitation from a task that has ended is for nobody", "[engine]") {
  Machine machine(2, small_limits);
  const auto receive = machine.receive(1, 0, 7, 5000);
  machine.deliver_all();
  const bool clean = GENERATE(true, false);
  machine[0].forget(Machine::tid_of(1), clean);
  const auto send = machine.send(0, 1, 7, pattern(5000));
  CHECK(send->complete);
  machine[1].forget(Machine::tid_of(0), clean);
  machine.deliver_all();
  CHECK(receive->abandoned != clean);
}

TEST_CASE("senders and receivers agree on every invitation, whatever meets whatever", "[engine]") {
  constexpr int messages = 3000;
  constexpr std::array<std::size_t, 4> longest{500, 1500, 2500, 5000};  // by tag
  const unsigned seed = GENERATE(range(1U, 9U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  const auto below = [&](std::size_t limit) { return static_cast<int>(random() % limit); };
  Machine machine(2, small_limits, {.max_payload = 700});
  Kinds sent(machine);
  // By sender and tag: what was sent and what is received meet in order.
  std::map<std::array<int, 2>, std::pair<std::vector<Machine::Handle>, std::vector<Machine::Handle>>> streams;
  for (int made = 0; made < messages;) {
    const int from = below(2), tag = below(longest.size()), what = below(10);
    auto& [sends, receives] = streams[{from, tag}];
    const std::size_t capacity = longest[static_cast<std::size_t>(tag)];
    if (what < 2) {
      ++made;
      const auto bytes = static_cast<std::size_t>(below(3) == 0 ? below(300) : below(capacity + 1));
      auto send = Machine::operation(Operation::Kind::send, 1 - from, tag, pattern(bytes, random()), comm_context);
      send->synchronous = below(8) == 0;
      machine[from].start(*send);
      sends.push_back(std::move(send));
    } else if (what < 4) {
      if (receives.size() < sends.size() + 3) receives.push_back(machine.receive(1 - from, from, tag, capacity));
    } else if (what == 4 && receives.size() > sends.size()) {
      if (machine[1 - from].cancel(*receives.back())) receives.pop_back();
    } else {
      (void)machine.comm.deliver_one(from, 1 - from);
    }
  }
  for (auto& [stream, both] : streams) {
    const auto [from, tag] = stream;
    auto& [sends, receives] = both;
    while (receives.size() < sends.size()) {
      receives.push_back(machine.receive(1 - from, from, tag, longest[static_cast<std::size_t>(tag)]));
    }
  }
  machine.deliver_all();
  for (const auto& [stream, both] : streams) {
    const auto& [sends, receives] = both;
    for (std::size_t i = 0; i < sends.size(); ++i) {
      CAPTURE(stream[0], stream[1], i);
      REQUIRE(sends[i]->complete);
      REQUIRE(got(receives[i], stream[0], stream[1], sends[i]->buffer));
    }
  }
  for (Rank rank = 0; rank < 2; ++rank) CHECK(machine[rank].unexpected_bytes() == 0);
  // All of it has happened: invitations that were there in time, that met announcements, and answers.
  CHECK(sent[PacketKind::invited] > 3);
  CHECK(sent[PacketKind::grant] > 10);
  CHECK(sent[PacketKind::request] > sent[PacketKind::grant] + 10);
}

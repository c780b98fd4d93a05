// Engine: tasks of other worlds, which it hears of by and by, and tasks that end.
#include <array>
#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "support/engine_machine.hpp"
#include "support/packet_recorder.hpp"
#include "vm/engine/buffered_sends.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using namespace nasvm::test;

namespace {

using Handle = EngineMachine::Handle;

/// Tasks of which each has a world of its own, joined by the network of the daemons. The world of the first has a
/// second task, which never says anything.
struct Worlds {
  explicit Worlds(int tasks, const MemoryNetwork::Options& network = {}, bool strangers = true)
      : pollers(static_cast<std::size_t>(tasks)), routed(network) {
    for (int task = 0; task < tasks; ++task) {
      engines.push_back(std::make_unique<Engine>(pollers[static_cast<std::size_t>(task)], small_limits));
      Engine& engine = *engines.back();
      std::vector<Member> members{{tid_of(task), "host", {}}};
      if (task == 0) members.push_back({silent, "host", {}});
      engine.meet(members, 0);
      Transport& way = routed.join(tid_of(task), engine);
      for (Rank rank = 0; rank < engine.size(); ++rank) engine.set_routes(rank, way, way, way);
      if (strangers) engine.set_stranger_route(way);
      engine.listen_to(way);
    }
  }

  static constexpr Tid silent = Tid::task(7, 7);
  static Tid tid_of(int task) { return Tid::task(1 + task % 2, 300 + task / 2); }
  Engine& operator[](int task) { return *engines[static_cast<std::size_t>(task)]; }

  Handle send(int from, int to, Tag tag, std::vector<std::byte> bytes, Context context = packed_context) {
    const Rank peer = (*this)[from].rank_of(tid_of(to));
    Handle made = EngineMachine::operation(Operation::Kind::send, peer, tag, std::move(bytes), context);
    (*this)[from].start(*made);
    return made;
  }
  Handle receive(int at, Rank from, Tag tag, std::size_t capacity, Context context = packed_context) {
    Handle made =
        EngineMachine::operation(Operation::Kind::receive, from, tag, std::vector<std::byte>(capacity), context);
    (*this)[at].start(*made);
    return made;
  }
  Handle receive_from(int at, int from, Tag tag, std::size_t capacity) {
    return receive(at, (*this)[at].rank_of(tid_of(from)), tag, capacity);
  }

  std::vector<net::Poller> pollers;
  MemoryNetwork routed;
  std::vector<std::unique_ptr<Engine>> engines;
};

/// Packets that carry a hundred bytes, so that longer messages can arrive in part.
constexpr MemoryNetwork::Options in_pieces{.max_payload = 100};

}  // namespace

TEST_CASE("a message from a stranger is received by any_source, short or long", "[engine]") {
  const std::size_t bytes = GENERATE(0U, 900U, 5000U);
  const bool posted_first = GENERATE(true, false);
  const Context context = GENERATE(packed_context, unpacked_context);
  CAPTURE(bytes, posted_first, context);
  Worlds worlds(2, in_pieces);
  Handle receive;
  if (posted_first) receive = worlds.receive(0, any_source, 7, bytes, context);
  const Handle send = worlds.send(1, 0, 7, pattern(bytes), context);
  worlds.routed.deliver_all();
  if (!posted_first) receive = worlds.receive(0, any_source, any_tag, bytes, context);
  worlds.routed.deliver_all();
  CHECK(send->complete);
  CHECK(got(receive, 2, 7, pattern(bytes)));
  CHECK(worlds[0].tid_of(2) == Worlds::tid_of(1));
}

TEST_CASE("strangers have ranks beyond the world, which does not grow", "[engine]") {
  Worlds worlds(4);
  CHECK(worlds[0].rank_of(Worlds::tid_of(3)) == 2);
  const Handle send = worlds.send(1, 0, 1, pattern(10));
  worlds.routed.deliver_all();
  CHECK(worlds[0].rank_of(Worlds::tid_of(2)) == 4);
  CHECK(worlds[0].rank_of(Worlds::tid_of(1)) == 3);
  CHECK(worlds[0].rank_of(Worlds::silent) == 1);
  CHECK(worlds[0].size() == 2);
  CHECK(worlds[0].peer_count() == 5);
  CHECK(worlds[1].size() == 1);
}

TEST_CASE("a stranger is answered by its tid, and messages of one keep their order", "[engine]") {
  Worlds worlds(3, in_pieces);
  std::vector<Handle> sends;
  const std::vector<std::size_t> lengths{10, 5000, 0, 950, 20'000, 1};
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    sends.push_back(worlds.send(1, 0, 1, pattern(lengths[i], static_cast<unsigned>(i))));
    sends.push_back(worlds.send(2, 0, 2, pattern(lengths[i], 100)));
  }
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    worlds.routed.deliver_all();
    const Handle receive = worlds.receive_from(0, 1, any_tag, 20'000);
    worlds.routed.deliver_all();
    CAPTURE(i);
    CHECK(got(receive, worlds[0].rank_of(Worlds::tid_of(1)), 1, pattern(lengths[i], static_cast<unsigned>(i))));
  }
  const Handle answer = worlds.send(0, 1, 9, pattern(5000));
  const Handle asked = worlds.receive_from(1, 0, 9, 5000);
  worlds.routed.deliver_all();
  CHECK(asked->complete);
}

TEST_CASE("a stranger that does not receive stops its senders like a sibling", "[engine]") {
  Worlds worlds(2);
  std::vector<Handle> sends;
  for (int i = 0; i < 10; ++i) sends.push_back(worlds.send(1, 0, i, pattern(900)));
  worlds.routed.deliver_all();
  CHECK_FALSE(sends.back()->complete);
  CHECK(worlds[0].unexpected_bytes() <= small_limits.credit_bytes);
  for (int i = 0; i < 10; ++i) {
    const Handle receive = worlds.receive(0, any_source, i, 900);
    worlds.routed.deliver_all();
    CHECK(receive->complete);
  }
  CHECK(sends.back()->complete);
}

TEST_CASE("a message to several tasks reaches strangers, too", "[engine]") {
  const std::size_t bytes = GENERATE(900U, 9000U);
  Worlds worlds(3, in_pieces);
  for (net::Poller& poller : worlds.pollers) worlds.routed.pump_through(poller);
  const std::vector<Rank> receivers{worlds[0].rank_of(Worlds::tid_of(1)), worlds[0].rank_of(Worlds::tid_of(2))};
  const std::array receives{worlds.receive(1, any_source, 5, bytes), worlds.receive(2, any_source, 5, bytes)};
  const Handle send = EngineMachine::operation(Operation::Kind::send, any_source, 5, pattern(bytes), packed_context);
  const Tid group = Tid::group(1, 300);
  worlds[0].multicast(*send, receivers, group, [&] { worlds.routed.open_group(group, {1, 2}); });
  worlds.routed.deliver_all();
  for (const Handle& receive : receives) CHECK(got(receive, 1, 5, pattern(bytes)));
}

TEST_CASE("Comms hear nothing of strangers", "[engine]") {
  Worlds worlds(2);
  Status found;
  const Handle send = worlds.send(1, 0, 1, pattern(10), comm_context);
  worlds.routed.deliver_all();
  CHECK_FALSE(worlds[0].find(any_source, any_tag, comm_context, found));
  CHECK(worlds[0].peer_count() == 2);
}

TEST_CASE("what is no task has no rank, and without a way to strangers there are none", "[engine]") {
  Worlds open(1), closed(1, {}, false);
  for (const Tid tid : {Tid{}, Tid::console(), Tid::daemon(1), Tid::group(1, 300)}) {
    CHECK_THROWS_WITH(open[0].rank_of(tid), "there is no task " + to_string(tid));
  }
  CHECK_THROWS_AS(closed[0].rank_of(Worlds::tid_of(1)), RunError);
  Envelope envelope;
  envelope.source = Worlds::tid_of(1).value;
  closed[0].take_packet(envelope, nullptr);
  CHECK(closed[0].peer_count() == 2);
  CHECK_NOTHROW(closed[0].forget(Worlds::tid_of(1), false));
}

// --- tasks that end ---------------------------------------------------------------------------------------

TEST_CASE("what is sent to a task that has ended vanishes", "[engine]") {
  const bool clean = GENERATE(true, false);
  const bool announced_before = GENERATE(true, false);
  CAPTURE(clean, announced_before);
  Worlds worlds(2);
  std::vector<Handle> sends;
  if (announced_before) sends.push_back(worlds.send(0, 1, 1, pattern(5000)));
  worlds.routed.deliver_all();
  worlds[0].forget(Worlds::tid_of(1), clean);
  const std::size_t packets = worlds.routed.packets;
  for (const std::size_t bytes : {0U, 10U, 900U, 5000U}) sends.push_back(worlds.send(0, 1, 1, pattern(bytes)));
  for (const Handle& send : sends) CHECK(send->complete);
  CHECK(worlds.routed.packets == packets);
  CHECK(worlds[0].packed_announced(worlds[0].rank_of(Worlds::tid_of(1))) == 0);
  worlds[0].flush();
}

TEST_CASE("the rest of a message to a task that has ended is not sent", "[engine]") {
  Worlds worlds(2, {.max_payload = 100, .departure = MemoryNetwork::Departure::on_delivery});
  const Handle send = worlds.send(0, 1, 1, pattern(900));
  REQUIRE(worlds.routed.deliver_one(0, 1));
  worlds[0].forget(Worlds::tid_of(1), false);
  REQUIRE(worlds.routed.deliver_one(0, 1));
  CHECK(send->complete);
  CHECK(worlds.routed.idle());
  worlds[0].flush();
}

TEST_CASE("messages that are kept for a task are dropped when it ends", "[engine]") {
  Worlds worlds(2);
  engine::BufferedSends sends(worlds[0], 1 << 20, {});
  const Rank peer = worlds[0].rank_of(Worlds::tid_of(1));
  for (Tag tag = 0; tag < 3; ++tag) sends.send(peer, tag, pattern(5000));
  CHECK(sends.bytes() > 15'000);
  worlds[0].forget(Worlds::tid_of(1), true);
  sends.drain(0);
  CHECK(sends.bytes() == 0);
}

TEST_CASE("who drains waits for those from a rank on, until they have been received", "[engine]") {
  Worlds worlds(2);
  for (net::Poller& poller : worlds.pollers) worlds.routed.pump_through(poller);
  engine::BufferedSends sends(worlds[0], 1 << 20, {});
  sends.send(worlds[0].rank_of(Worlds::tid_of(1)), 1, pattern(5000));
  sends.drain(3);
  CHECK(sends.bytes() > 5000);
  const Handle receive = worlds.receive(1, any_source, 1, 5000);
  sends.drain(2);
  CHECK(sends.bytes() == 0);
  worlds.routed.deliver_all();
  CHECK(got(receive, 1, 1, pattern(5000)));
}

TEST_CASE("a multicast does not wait for a receiver that has ended", "[engine]") {
  const bool before = GENERATE(true, false);
  Worlds worlds(3);
  for (net::Poller& poller : worlds.pollers) worlds.routed.pump_through(poller);
  const std::vector<Rank> receivers{worlds[0].rank_of(Worlds::tid_of(1)), worlds[0].rank_of(Worlds::tid_of(2))};
  const auto end = [&] { worlds[0].forget(Worlds::tid_of(2), false); };
  if (before) end();
  worlds.routed.rewrite = [&](const auto& packet) {
    // The other one's answer has come.
    if (packet.envelope.kind == PacketKind::grant) end();
  };
  const Handle receive = worlds.receive(1, any_source, 5, 5000);
  const Handle send = EngineMachine::operation(Operation::Kind::send, any_source, 5, pattern(5000), packed_context);
  const Tid group = Tid::group(1, 300);
  worlds[0].multicast(*send, receivers, group, [&] { worlds.routed.open_group(group, {1}); });
  worlds.routed.deliver_all();
  CHECK(got(receive, 1, 5, pattern(5000)));
}

TEST_CASE("a half-arrived message of a dead task is dropped and the receive goes on", "[engine]") {
  const std::size_t bytes = GENERATE(900U, 5000U);
  const bool posted_first = GENERATE(true, false);
  CAPTURE(bytes, posted_first);
  Worlds worlds(3, in_pieces);
  Handle first, second;
  const auto post = [&] {
    first = worlds.receive(0, any_source, 7, bytes);
    second = worlds.receive(0, any_source, 7, bytes);
  };
  if (posted_first) post();
  const Handle lost = worlds.send(1, 0, 7, pattern(bytes, 1));
  for (int i = 0; i < 3; ++i) (void)worlds.routed.deliver_one(1, 0);
  if (!posted_first) post();
  for (int i = 0; i < 3; ++i) {
    (void)worlds.routed.deliver_one(0, 1);
    (void)worlds.routed.deliver_one(1, 0);
  }
  worlds[0].forget(Worlds::tid_of(1), false);
  CHECK(worlds[0].unexpected_bytes() == 0);
  const Handle send = worlds.send(2, 0, 7, pattern(bytes, 2));
  worlds.routed.deliver_all();  // late packets of the dead one are among them
  CHECK(got(first, worlds[0].rank_of(Worlds::tid_of(2)), 7, pattern(bytes, 2)));
  CHECK_FALSE(second->complete);
  CHECK_FALSE(second->abandoned);
  CHECK(worlds[0].cancel(*second));
}

TEST_CASE("a receive whose message was dropped takes one that has come meanwhile", "[engine]") {
  Worlds worlds(3, in_pieces);
  const Handle receive = worlds.receive(0, any_source, 7, 900);
  const Handle lost = worlds.send(1, 0, 7, pattern(900, 1));
  REQUIRE(worlds.routed.deliver_one(1, 0));
  const Handle send = worlds.send(2, 0, 7, pattern(300, 2));
  while (worlds.routed.deliver_one(2, 0)) {
  }
  CHECK_FALSE(receive->complete);
  worlds[0].forget(Worlds::tid_of(1), false);
  CHECK(got(receive, worlds[0].rank_of(Worlds::tid_of(2)), 7, pattern(300, 2)));
}

TEST_CASE("messages of a dead task that have come whole are received, others are not there", "[engine]") {
  Worlds worlds(2, in_pieces);
  const Handle whole = worlds.send(1, 0, 1, pattern(300));
  worlds.routed.deliver_all();
  const Handle announced = worlds.send(1, 0, 3, pattern(5000)), half = worlds.send(1, 0, 2, pattern(300));
  for (int i = 0; i < 2; ++i) REQUIRE(worlds.routed.deliver_one(1, 0));
  worlds[0].forget(Worlds::tid_of(1), false);
  worlds.routed.deliver_all();
  Status found;
  CHECK(worlds[0].find(any_source, 1, packed_context, found));
  CHECK_FALSE(worlds[0].find(any_source, 2, packed_context, found));
  CHECK_FALSE(worlds[0].find(any_source, 3, packed_context, found));
  CHECK(worlds[0].unexpected_bytes() == 300);
  CHECK(got(worlds.receive_from(0, 1, any_tag, 300), 2, 1, pattern(300)));
  CHECK(worlds[0].unexpected_bytes() == 0);
}

TEST_CASE("to wait for what only a dead task could send is an error", "[engine]") {
  const bool posted_before = GENERATE(true, false);
  Worlds worlds(2, in_pieces);
  const Rank dead = worlds[0].rank_of(Worlds::tid_of(1));
  Handle receive, arriving;
  const Handle half = worlds.send(1, 0, 2, pattern(300));
  REQUIRE(worlds.routed.deliver_one(1, 0));
  if (posted_before) {
    receive = worlds.receive(0, dead, 1, 10);
    arriving = worlds.receive(0, dead, 2, 300);
  }
  worlds[0].forget(Worlds::tid_of(1), false);
  if (!posted_before) {
    receive = worlds.receive(0, dead, 1, 10);
    arriving = worlds.receive(0, dead, 2, 300);
  }
  const Handle open = worlds.receive(0, any_source, 1, 10);
  const std::string text = "task t2.300 has ended, and will not send what is waited for";
  for (Operation* operation : {receive.get(), arriving.get()}) {
    CHECK_THROWS_WITH(worlds[0].wait_any({&operation, 1}), text);
    CHECK_FALSE(worlds[0].wait_for(*operation));
    const std::array<Operation*, 3> several{nullptr, open.get(), operation};
    CHECK_THROWS_WITH(worlds[0].wait_any(several), text);
    CHECK(worlds[0].cancel(*operation));
  }
  Status found;
  CHECK_THROWS_WITH(worlds[0].probe(dead, any_tag, packed_context, found, true), text);
  CHECK_FALSE(worlds[0].probe(dead, any_tag, packed_context, found, false));
  CHECK(worlds[0].cancel(*open));
}

TEST_CASE("what a task sent before it left in good order still arrives", "[engine]") {
  Worlds worlds(2, in_pieces);
  const Handle half = worlds.send(1, 0, 1, pattern(900)), whole = worlds.send(1, 0, 2, pattern(10));
  REQUIRE(worlds.routed.deliver_one(1, 0));
  worlds[0].forget(Worlds::tid_of(1), true);
  const Handle receive = worlds.receive(0, any_source, 1, 900);
  worlds.routed.deliver_all();
  CHECK(got(receive, 2, 1, pattern(900)));
  CHECK(got(worlds.receive(0, 2, 2, 10), 2, 2, pattern(10)));
}

TEST_CASE("a late answer of a task that has ended is not taken for another's", "[engine]") {
  Worlds worlds(3);
  const Handle first = worlds.send(0, 1, 1, pattern(5000));
  const Handle receive = worlds.receive(1, any_source, 1, 5000);
  while (worlds.routed.deliver_one(0, 1)) {
  }
  REQUIRE(worlds.routed.waiting(1, 0) == 1);  // its answer
  worlds[0].forget(Worlds::tid_of(1), true);
  const Handle second = worlds.send(0, 2, 1, pattern(5000));
  worlds.routed.deliver_all();
  CHECK(first->complete);
  CHECK_FALSE(second->complete);
  const Handle wanted = worlds.receive(2, any_source, 1, 5000);
  worlds.routed.deliver_all();
  CHECK(got(wanted, 1, 1, pattern(5000)));
}

// --- waits with an end ------------------------------------------------------------------------------------

TEST_CASE("a wait ends at its deadline, or when what it waits for is there", "[engine]") {
  Worlds worlds(2);
  const auto now = std::chrono::steady_clock::now();
  const auto patience = GENERATE(std::chrono::hours(-1), std::chrono::hours(0));
  CHECK_FALSE(worlds[0].wait_until([] { return false; }, now + patience));
  CHECK(worlds[0].wait_until([] { return true; }, now + patience));
  Status found;
  CHECK_FALSE(worlds[0].probe_until(any_source, 1, packed_context, found, now + patience));
  const Handle send = worlds.send(1, 0, 1, pattern(10));
  worlds.routed.deliver_all();
  CHECK(worlds[0].probe_until(any_source, 1, packed_context, found, now + patience));
  CHECK(found.bytes == 10);
}

TEST_CASE("a wait with an end makes everything move, and wakes at its deadline", "[engine]") {
  Worlds worlds(2);
  CHECK_FALSE(
      worlds[0].wait_until([] { return false; }, std::chrono::steady_clock::now() + std::chrono::milliseconds(1)));
  for (net::Poller& poller : worlds.pollers) worlds.routed.pump_through(poller);
  const Handle send = worlds.send(1, 0, 1, pattern(5000));
  const Handle receive = worlds.receive(0, any_source, 1, 5000);
  CHECK(worlds[0].wait_until([&] { return receive->complete; },
                             std::chrono::steady_clock::now() + std::chrono::hours(1)));
  CHECK(worlds[0].wait_until([&] { return send->complete; }));
}

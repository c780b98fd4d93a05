#include "vm/engine/engine.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "support/engine_machine.hpp"
#include "support/packet_recorder.hpp"
#include "vm/engine/peers.hpp"
#include "vm/net/timer.hpp"

using namespace nasvm;
using namespace nasvm::test;
using Machine = EngineMachine;
using Departure = MemoryNetwork::Departure;

TEST_CASE("a message arrives in its receive's buffer, short or long, posted before or after", "[engine]") {
  const std::size_t bytes = GENERATE(0U, 1U, 999U, 1000U, 1001U, 5000U);
  const std::size_t max_payload = GENERATE(64U, 1U << 20);
  const Departure departure = GENERATE(Departure::at_once, Departure::on_delivery);
  const bool posted_first = GENERATE(true, false);
  Machine machine(2, small_limits, {.max_payload = max_payload, .departure = departure});
  CAPTURE(bytes, max_payload, posted_first);
  Machine::Handle receive;
  if (posted_first) receive = machine.receive(1, 0, 7, 5000);
  const auto send = machine.send(0, 1, 7, pattern(bytes));
  machine.deliver_all();
  CHECK(send->complete == (posted_first || bytes <= small_limits.eager_bytes));
  if (!posted_first) receive = machine.receive(1, 0, 7, 5000);
  machine.deliver_all();
  CHECK(send->complete);
  CHECK(got(receive, 0, 7, pattern(bytes)));
  CHECK(receive->arrived != 0);
  CHECK(machine[1].unexpected_bytes() == 0);
  CHECK(machine.comm.payload_bytes == bytes);
}

TEST_CASE("a message is cut as its transport wishes, though packets may be longer", "[engine]") {
  Machine machine(2, small_limits, {.max_payload = 64, .usual_payload = 16});
  const auto receive = machine.receive(1, 0, 1, 1000);
  const auto send = machine.send(0, 1, 1, pattern(64));
  CHECK(machine.comm.waiting(0, 1) == 4);
  machine.deliver_all();
  CHECK(got(receive, 0, 1, pattern(64)));
}

TEST_CASE("a short message is one packet, a longer one as many as it has pieces", "[engine]") {
  Machine machine(2, small_limits, {.max_payload = 64});
  const auto receive = machine.receive(1, 0, 1, 1000);
  SECTION("one") {
    const auto send = machine.send(0, 1, 1, pattern(64));
    CHECK(machine.comm.waiting(0, 1) == 1);
    machine.deliver_all();
  }
  SECTION("several") {
    const auto send = machine.send(0, 1, 1, pattern(65));
    CHECK(machine.comm.waiting(0, 1) == 2);
    machine.deliver_all();
  }
  CHECK(receive->complete);
}

TEST_CASE("a long message waits at its sender until a receive is posted", "[engine]") {
  Machine machine(2, small_limits);
  const auto send = machine.send(0, 1, 7, pattern(100'000));
  machine.deliver_all();
  CHECK_FALSE(send->complete);
  CHECK(machine[1].unexpected_bytes() == 0);
  CHECK(machine.comm.payload_bytes == 0);
  const auto receive = machine.receive(1, 0, 7, 100'000);
  CHECK_FALSE(receive->complete);
  machine.deliver_all();
  CHECK(send->complete);
  CHECK(got(receive, 0, 7, pattern(100'000)));
}

TEST_CASE("a message of which some pieces have come is received whole", "[engine]") {
  Machine machine(2, small_limits, {.max_payload = 100});
  const auto send = machine.send(0, 1, 7, pattern(950));
  for (int i = 0; i < 4; ++i) REQUIRE(machine.comm.deliver_one(0, 1));
  CHECK(machine[1].unexpected_bytes() == 950);
  const auto receive = machine.receive(1, 0, 7, 950);
  CHECK_FALSE(receive->complete);
  CHECK_FALSE(machine[1].cancel(*receive));
  machine.deliver_all();
  CHECK(got(receive, 0, 7, pattern(950)));
  CHECK(machine[1].unexpected_bytes() == 0);
}

TEST_CASE("a receive may be posted while a packet is arriving", "[engine]") {
  Machine machine(2, small_limits);
  const auto send = machine.send(0, 1, 7, pattern(500));
  const net::Landing landing = machine.comm.begin_delivery(0, 1);
  const auto receive = machine.receive(1, any_source, any_tag, 500);
  CHECK_FALSE(receive->complete);
  machine.comm.end_delivery(0, 1, landing);
  CHECK(got(receive, 0, 7, pattern(500)));
}

TEST_CASE("messages whose pieces are mixed are put together, each for itself", "[engine]") {
  Machine machine(3, small_limits, {.max_payload = 100, .departure = Departure::on_delivery});
  const auto long_receive = machine.receive(2, 0, 1, 900);
  const auto a = machine.send(0, 2, 1, pattern(900, 1));
  const auto b = machine.send(0, 2, 2, pattern(800, 2));  // its pieces alternate with those of the first
  const auto c = machine.send(1, 2, 1, pattern(700, 3));
  const auto d = machine.send(0, 2, 3, pattern(10'000, 4));
  const auto rendezvous = machine.receive(2, 0, 3, 10'000);
  for (int i = 0; i < 5; ++i) {
    REQUIRE(machine.comm.deliver_one(0, 2));
    REQUIRE(machine.comm.deliver_one(1, 2));
  }
  const auto b_receive = machine.receive(2, 0, 2, 800);
  machine.deliver_all();
  const auto c_receive = machine.receive(2, any_source, 1, 700);
  CHECK(got(long_receive, 0, 1, pattern(900, 1)));
  CHECK(got(b_receive, 0, 2, pattern(800, 2)));
  CHECK(got(c_receive, 1, 1, pattern(700, 3)));
  CHECK(got(rendezvous, 0, 3, pattern(10'000, 4)));
  CHECK((a->complete && b->complete && c->complete && d->complete));
}

TEST_CASE("a late piece on one way is not taken for a message on another", "[engine]") {
  // The second message has the number of the first at the sender, which has left long ago.
  Machine machine(2, small_limits, {.max_payload = 100});
  const auto on_comm = machine.send(0, 1, 1, pattern(300, 1));
  REQUIRE(machine.comm.deliver_one(0, 1));
  const auto on_routed = machine.send(0, 1, 1, pattern(300, 2), packed_context);
  machine.routed.deliver_all();
  machine.comm.deliver_all();
  CHECK(got(machine.receive(1, 0, 1, 300, packed_context), 0, 1, pattern(300, 2)));
  CHECK(got(machine.receive(1, 0, 1, 300), 0, 1, pattern(300, 1)));
}

TEST_CASE("messages of one pair do not overtake each other, whatever their length", "[engine]") {
  Machine machine(2, small_limits, {.max_payload = 100, .departure = Departure::on_delivery});
  std::vector<Machine::Handle> sends, receives;
  const std::vector<std::size_t> lengths{10, 5000, 0, 900, 2000, 1, 3000, 950};
  const auto seed_of = [](std::size_t i) { return static_cast<unsigned>(i); };
  for (std::size_t i = 0; i < lengths.size(); ++i)
    sends.push_back(machine.send(0, 1, 4, pattern(lengths[i], seed_of(i))));
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    receives.push_back(machine.receive(1, 0, i % 2 == 0 ? 4 : any_tag, 5000));
    (void)machine.comm.deliver_one(0, 1);
  }
  machine.deliver_all();
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    CAPTURE(i);
    CHECK(got(receives[i], 0, 4, pattern(lengths[i], seed_of(i))));
  }
}

TEST_CASE("probing finds what a receive would take, and leaves it there", "[engine]") {
  const std::size_t bytes = GENERATE(500U, 5000U);
  Machine machine(3, small_limits);
  Status status;
  CHECK_FALSE(machine[1].probe(any_source, any_tag, comm_context, status, false));
  const auto send = machine.send(0, 1, 7, pattern(bytes));
  CHECK_FALSE(machine[1].probe(any_source, any_tag, comm_context, status, false));
  machine.deliver_all();
  CHECK_FALSE(machine[1].probe(2, any_tag, comm_context, status, false));
  CHECK_FALSE(machine[1].probe(0, 8, comm_context, status, false));
  CHECK_FALSE(machine[1].probe(0, 7, comm_context + 1, status, false));
  for (const Rank source : {0, any_source}) {
    REQUIRE(machine[1].probe(source, 7, comm_context, status, false));
    CHECK(status.source == 0);
    CHECK(status.tag == 7);
    CHECK(status.bytes == bytes);
  }
  const auto receive = machine.receive(1, 0, 7, bytes);
  machine.deliver_all();
  CHECK(got(receive, 0, 7, pattern(bytes)));
  CHECK_FALSE(machine[1].probe(any_source, any_tag, comm_context, status, false));
}

TEST_CASE("probing and waiting make everything move", "[engine]") {
  Machine machine(2, small_limits);
  machine.pump();
  const auto first = machine.send(0, 1, 7, pattern(600));
  Status status;
  CHECK(machine[1].probe(0, 7, comm_context, status, true));
  const auto second = machine.send(0, 1, 8, pattern(6000));
  const auto receive = machine.receive(1, 0, 8, 6000);
  std::array<Operation*, 2> wanted{nullptr, receive.get()};
  machine[1].wait_any(wanted);
  CHECK(got(receive, 0, 8, pattern(6000)));
  Operation* sent = second.get();
  machine[0].wait_any({&sent, 1});
  CHECK(second->complete);
}

TEST_CASE("flushing waits until every packet has left", "[engine]") {
  Machine machine(2, small_limits, {.max_payload = 100, .departure = Departure::on_delivery});
  machine.pump();
  const auto send = machine.send(0, 1, 7, pattern(900));
  CHECK_FALSE(send->complete);
  machine[0].flush();
  CHECK(send->complete);
  CHECK(machine.comm.idle());
}

TEST_CASE("a cancelled receive takes no message; a matched one cannot be cancelled", "[engine]") {
  Machine machine(2, small_limits, {.max_payload = 100});
  const auto withdrawn = machine.receive(1, 0, 7, 500);
  const auto next = machine.receive(1, 0, 7, 500);
  CHECK(machine[1].cancel(*withdrawn));
  const auto send = machine.send(0, 1, 7, pattern(500));
  REQUIRE(machine.comm.deliver_one(0, 1));
  CHECK_FALSE(machine[1].cancel(*next));
  machine.deliver_all();
  CHECK(got(next, 0, 7, pattern(500)));
  CHECK_FALSE(withdrawn->complete);
  CHECK_FALSE(machine[1].cancel(*next));
}

TEST_CASE("a task sends to itself like to others, and without a transport", "[engine]") {
  const std::size_t bytes = GENERATE(0U, 500U, 50'000U);
  Machine machine(2, small_limits);
  CHECK(machine[0].method(0) == "self");
  CHECK(machine[0].method(1) == "memory");
  const auto posted = machine.receive(0, any_source, 1, bytes);
  const auto to_posted = machine.send(0, 0, 1, pattern(bytes, 1));
  CHECK(to_posted->complete);
  CHECK(got(posted, 0, 1, pattern(bytes, 1)));

  auto to_nobody_yet = machine.send(0, 0, 2, pattern(bytes, 2));
  CHECK(to_nobody_yet->complete);
  CHECK(machine[0].unexpected_bytes() == bytes);
  to_nobody_yet.reset();  // the buffer is the sender's again
  CHECK(got(machine.receive(0, 0, 2, bytes), 0, 2, pattern(bytes, 2)));
  CHECK(machine[0].unexpected_bytes() == 0);
  CHECK(machine.comm.packets == 0);
}

TEST_CASE("elements of the other byte order are converted by the receiver", "[engine]") {
  const std::size_t count = GENERATE(10U, 1000U);  // eager, rendezvous; both in several pieces
  const bool posted_first = GENERATE(true, false);
  Machine machine(2, small_limits, {.max_payload = 64});
  machine.comm.rewrite = [](auto& packet) {
    packet.envelope.payload_order = 1 - Envelope::native_order;
    swap_elements(packet.payload, packet.envelope.element_bytes);
  };
  std::vector<double> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = 1.0 / static_cast<double>(i + 1);
  const auto raw = std::as_bytes(std::span(numbers));
  Machine::Handle receive;
  if (posted_first) receive = machine.receive(1, 0, 1, raw.size());
  auto send = Machine::operation(Operation::Kind::send, 1, 1, {raw.begin(), raw.end()}, comm_context);
  send->element_bytes = sizeof(double);
  machine[0].start(*send);
  machine.deliver_all();
  if (!posted_first) receive = machine.receive(1, 0, 1, raw.size());
  machine.deliver_all();
  CHECK(got(receive, 0, 1, {raw.begin(), raw.end()}));
}

TEST_CASE("a multicast reaches every member and leaves once", "[engine]") {
  const std::size_t bytes = GENERATE(0U, 900U, 9000U);
  const std::size_t pieces = std::max<std::size_t>(1, (bytes + 99) / 100);
  Machine machine(4, small_limits, {.max_payload = 100});
  machine.pump();
  const std::vector<Rank> members{1, 3};
  const Tid group = Tid::group(1, 1);
  std::size_t packets_before = 0;
  const auto posted = machine.receive(1, 0, 5, bytes, packed_context);
  const auto late_needs =
      bytes > small_limits.eager_bytes ? machine.receive(3, 0, 5, bytes, packed_context) : nullptr;
  const auto send = Machine::operation(Operation::Kind::send, any_source, 5, pattern(bytes), packed_context);
  machine[0].multicast(*send, members, group, [&] {
    machine.routed.open_group(group, members);
    packets_before = machine.routed.packets;
  });
  CHECK(send->complete);
  CHECK(machine.routed.packets - packets_before == pieces);
  CHECK(machine.routed.payload_bytes == bytes);
  machine.deliver_all();
  CHECK(got(posted, 0, 5, pattern(bytes)));
  const auto late = late_needs == nullptr ? machine.receive(3, 0, 5, bytes, packed_context) : nullptr;
  CHECK(got(late_needs == nullptr ? late : late_needs, 0, 5, pattern(bytes)));
  Status status;
  CHECK_FALSE(machine[2].probe(any_source, any_tag, packed_context, status, false));
}

/// Not taken at once.
constexpr std::size_t long_bytes = 9000;

TEST_CASE("multicasts that do not block go when their receivers are ready, one list of members at a time",
          "[engine]") {
  Machine machine(4, small_limits, {.max_payload = 100, .departure = MemoryNetwork::Departure::on_delivery});
  const Tid group = Tid::group(1, 1);
  std::vector<char> opened;
  const auto start = [&](const Machine::Handle& send, std::vector<Rank> members, char name) {
    machine[0].start_multicast(*send, members, group, [&machine, &opened, group, members, name] {
      machine.routed.open_group(group, members);
      opened.push_back(name);
    });
  };
  const auto long_send = [](Tag tag) {
    return Machine::operation(Operation::Kind::send, any_source, tag, pattern(long_bytes), packed_context);
  };
  const auto a = long_send(1), b = long_send(2), c = long_send(3);
  start(a, {1, 2}, 'a');
  start(b, {2, 3}, 'b');
  start(c, {1, 3}, 'c');
  const auto d = Machine::operation(Operation::Kind::send, any_source, 4, pattern(10), packed_context);
  start(d, {1, 2}, 'd');  // short, and behind the others all the same
  machine.deliver_all();
  CHECK(opened.empty());
  const auto b2 = machine.receive(2, 0, 2, long_bytes, packed_context),
             b3 = machine.receive(3, 0, 2, long_bytes, packed_context);
  machine.deliver_all();
  CHECK(opened == std::vector{'b'});  // nobody waits for those of the others
  CHECK(b->complete);
  CHECK(got(b2, 0, 2, pattern(long_bytes)));
  CHECK(got(b3, 0, 2, pattern(long_bytes)));
  std::vector<Machine::Handle> rest;
  for (const auto& [rank, tag] : std::vector<std::pair<Rank, Tag>>{{1, 1}, {2, 1}, {1, 3}, {3, 3}, {1, 4}, {2, 4}}) {
    rest.push_back(machine.receive(rank, 0, tag, long_bytes, packed_context));
  }
  machine.deliver_all();
  CHECK(opened.size() == 4);
  CHECK((a->complete && c->complete && d->complete));
  for (std::size_t i = 0; i < rest.size(); ++i) {
    CAPTURE(i);
    CHECK(got(rest[i], 0, i < 2 ? 1 : i < 4 ? 3 : 4, pattern(i < 4 ? long_bytes : 10)));
  }
}

TEST_CASE("a short multicast does not wait for receivers that one of another context waits for", "[engine]") {
  Machine machine(3, small_limits, {.max_payload = 100, .departure = MemoryNetwork::Departure::on_delivery});
  const Tid group = Tid::group(1, 1);
  const std::vector<Rank> members{1, 2};
  machine.routed.open_group(group, members);
  machine.comm.open_group(group, members);
  const auto start = [&](const Machine::Handle& send) { machine[0].start_multicast(*send, members, group, [] {}); };
  const auto send_of = [](std::size_t bytes, Tag tag, Context context) {
    return Machine::operation(Operation::Kind::send, any_source, tag, pattern(bytes), context);
  };
  const auto waits = send_of(long_bytes, 1, packed_context);
  const auto other = send_of(10, 2, unpacked_context), same = send_of(10, 3, packed_context);
  start(waits);
  start(other);
  CHECK(machine[0].is_multicasting());
  start(same);
  machine.deliver_all();
  CHECK(other->complete);
  CHECK_FALSE(machine[0].is_multicasting());
  CHECK_FALSE(waits->complete);
  CHECK_FALSE(same->complete);
  std::vector<Machine::Handle> receives;
  for (const Rank rank : members) {
    CHECK(got(machine.receive(rank, 0, 2, 10, unpacked_context), 0, 2, pattern(10)));
    receives.push_back(machine.receive(rank, 0, any_tag, long_bytes, packed_context));
    receives.push_back(machine.receive(rank, 0, any_tag, long_bytes, packed_context));
  }
  machine.deliver_all();
  for (std::size_t i = 0; i < receives.size(); i += 2) {
    CHECK(got(receives[i], 0, 1, pattern(long_bytes)));
    CHECK(got(receives[i + 1], 0, 3, pattern(10)));
  }
}

TEST_CASE("a multicast goes to those who are left when a receiver ends before it is ready", "[engine]") {
  Machine machine(3, small_limits, {.max_payload = 100});
  const Tid group = Tid::group(1, 1);
  const auto send = Machine::operation(Operation::Kind::send, any_source, 1, pattern(long_bytes), packed_context);
  const std::vector<Rank> members{1, 2};
  machine[0].start_multicast(*send, members, group, [&] { machine.routed.open_group(group, {1}); });
  const auto receive = machine.receive(1, 0, 1, long_bytes, packed_context);
  machine.deliver_all();
  CHECK_FALSE(send->complete);
  machine[0].forget(Machine::tid_of(2), false);
  machine.deliver_all();
  CHECK(send->complete);
  CHECK(got(receive, 0, 1, pattern(long_bytes)));
}

TEST_CASE("contexts travel by their own transport", "[engine]") {
  Machine machine(2, small_limits);
  const auto a = machine.send(0, 1, 1, pattern(10), packed_context);
  CHECK(machine.routed.packets == 1);
  CHECK(machine.comm.packets == 0);
  const auto b = machine.send(0, 1, 1, pattern(10), unpacked_context), c = machine.send(0, 1, 1, pattern(10));
  CHECK(machine.routed.packets == 1);
  CHECK(machine.comm.packets == 2);
}

TEST_CASE("a long random history ends with every message at the right receive", "[engine]") {
  constexpr int ranks = 3, messages = 600;
  const unsigned seed = GENERATE(1U, 2U, 3U);
  const Departure departure = GENERATE(Departure::at_once, Departure::on_delivery);
  CAPTURE(seed);
  std::mt19937 random(seed);
  const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
  Machine machine(ranks, small_limits, {.max_payload = 250, .departure = departure});
  // By sender, receiver and tag: what was sent and what is received meet in order.
  std::map<std::array<int, 3>, std::pair<std::vector<Machine::Handle>, std::vector<Machine::Handle>>> streams;
  const auto send_one = [&] {
    const int from = below(ranks), to = below(ranks), tag = below(3);
    const auto bytes = static_cast<std::size_t>(below(4) == 0 ? below(4000) : below(300));
    streams[{from, to, tag}].first.push_back(machine.send(from, to, tag, pattern(bytes, random())));
  };
  const auto receive_one = [&] {
    const int from = below(ranks), to = below(ranks), tag = below(3);
    auto& [sends, receives] = streams[{from, to, tag}];
    if (receives.size() < sends.size() + 3) receives.push_back(machine.receive(to, from, tag, 4000));
  };
  for (int sent = 0; sent < messages;) {
    const int what = below(10);
    if (what < 2) {
      send_one();
      ++sent;
    } else if (what < 4) {
      receive_one();
    } else {
      (void)machine.comm.deliver_one(below(ranks), below(ranks));
    }
  }
  for (auto& [stream, both] : streams) {
    auto& [sends, receives] = both;
    while (receives.size() < sends.size()) receives.push_back(machine.receive(stream[1], stream[0], stream[2], 4000));
  }
  machine.deliver_all();
  for (const auto& [stream, both] : streams) {
    const auto& [sends, receives] = both;
    for (std::size_t i = 0; i < receives.size(); ++i) {
      CAPTURE(stream[0], stream[1], stream[2], i);
      if (i < sends.size()) {
        REQUIRE(sends[i]->complete);
        REQUIRE(got(receives[i], stream[0], stream[2], sends[i]->buffer));
      } else {
        REQUIRE(machine[stream[1]].cancel(*receives[i]));
      }
    }
  }
  for (Rank rank = 0; rank < ranks; ++rank) CHECK(machine[rank].unexpected_bytes() == 0);
}

TEST_CASE("what an engine waits for, and what nobody has received, can be looked at", "[engine]") {
  EngineMachine machine(2, small_limits);
  const auto first = machine.receive(1, 0, 6, 10);
  const auto second = machine.receive(1, any_source, 4, 20);
  const auto other_tag = machine.send(0, 1, 5, pattern(30));
  const auto matched = machine.send(0, 1, 4, pattern(7));
  const auto long_one = machine.send(0, 1, 9, pattern(5000));  // it asks first
  machine.deliver_all();
  CHECK(second->complete);

  const auto pending = machine[1].pending();
  REQUIRE(pending.size() == 1);
  CHECK(pending[0].kind == Operation::Kind::receive);
  CHECK(pending[0].peer == 0);
  CHECK(pending[0].tag == 6);
  CHECK(pending[0].bytes == 10);
  const auto unread = machine[1].unread();
  REQUIRE(unread.size() == 2);
  CHECK(unread[0].tag == 5);
  CHECK(unread[0].bytes == 30);
  CHECK(unread[1].tag == 9);

  const auto sends = machine[0].pending();
  REQUIRE(sends.size() == 1);
  CHECK(sends[0].kind == Operation::Kind::send);
  CHECK(sends[0].peer == 1);
  CHECK(sends[0].tag == 9);
  CHECK(sends[0].bytes == 5000);
  CHECK(machine[0].unread().empty());

  const auto takes_it = machine.receive(1, 0, 9, 5000);
  const auto takes_other = machine.receive(1, 0, 5, 30);
  machine.deliver_all();
  CHECK(machine[0].pending().empty());
  CHECK(machine[1].unread().empty());
}

TEST_CASE("who waits in a probe, and a send that has not left, can be looked at", "[engine]") {
  EngineMachine machine(2, small_limits, {.departure = MemoryNetwork::Departure::on_delivery});
  const auto send = machine.send(0, 1, 5, pattern(30));
  REQUIRE(machine[0].pending().size() == 1);
  CHECK(machine[0].pending()[0].peer == 1);
  CHECK(machine[0].pending()[0].tag == 5);
  machine.deliver_all();
  CHECK(machine[0].pending().empty());

  Status found;
  std::vector<Engine::Pending> pending;
  const bool is_there = machine[1].probe_until(0, 6, packed_context, found, std::chrono::steady_clock::now());
  CHECK_FALSE(is_there);
  CHECK(machine[1].pending().empty());
  // Looked at from within the wait.
  net::Timer timer(machine.pollers[1], [&] { pending = machine[1].pending(); });
  timer.set(net::Timer::Clock::now());
  while (pending.empty()) {
    (void)machine[1].probe_until(0, 6, packed_context, found,
                                 std::chrono::steady_clock::now() + std::chrono::milliseconds(5));
  }
  REQUIRE(pending.size() == 1);
  CHECK(pending[0].peer == 0);
  CHECK(pending[0].tag == 6);
  CHECK(pending[0].context == packed_context);
}

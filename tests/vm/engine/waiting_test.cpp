// Engine: where it looks while it waits, and what it tells transports before it sleeps.
#include <sched.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "support/skip.hpp"
#include "vm/engine/engine.hpp"
#include "vm/machine_topology.hpp"
#include "vm/net/fd.hpp"
#include "vm/transport/memory_path.hpp"

using namespace nasvm;

namespace {

/// A transport that works with memory: the test says what each look finds.
class FakeMemory final : public Transport, public MemoryPath {
 public:
  bool in_memory = true;  ///< else as sockets are: each look is a system call
  std::string_view name() const override { return "fake"; }
  std::string descriptor() const override { return {}; }
  void meet(const std::vector<Member>&) override {}
  std::string why_not(Rank) const override { return {}; }
  std::size_t max_payload(Rank) const override { return 1000; }
  void send(Rank, net::Packet& packet) override {
    last_sent = packet.envelope;
    if (packet.owner == nullptr) delete &packet;  // a control's, which would come back when it has left
  }
  MemoryPath* memory_path() override { return in_memory ? this : nullptr; }
  bool poll(Rank awaited) override {
    ++(awaited == any_source ? looks_at_all : looks_at_one);
    return on_look && on_look();
  }
  bool before_sleep() override {
    ++announced;
    return !(on_announce && on_announce());
  }
  Ring after_sleep() override {
    ++woken;
    return ring;
  }
  void begin_waiting() override {}
  void end_waiting() override {}
  void begin_moving() override {}
  void end_moving() override {}
  bool send_now(Rank, const Envelope&, const std::byte*) override { return false; }
  std::size_t pull_from(Rank) const override { return never; }
  bool pull(Rank, std::uint64_t, std::span<std::byte>, Exchange) override { return false; }
  std::span<std::byte> board(std::size_t, int) override { return {}; }
  std::unique_ptr<SharedMemory> create_memory(std::size_t) override { return nullptr; }
  std::unique_ptr<SharedMemory> map_memory(Rank, std::int64_t, std::size_t) override { return nullptr; }
  void wake(Rank) override {}

  int looks_at_all = 0, looks_at_one = 0, announced = 0, woken = 0;
  Ring ring;
  Envelope last_sent;
  std::function<bool()> on_look, on_announce;
};

/// Always readable.
struct Bell final : net::Watcher {
  explicit Bell(net::Poller& poller) : poller_(poller) { poller_.add(fd.get(), EPOLLIN, *this); }
  ~Bell() override { poller_.remove(fd.get(), *this); }
  void ready(std::uint32_t) override {
    ++rung;
    if (on_ring) on_ring();
  }
  net::Fd fd{::eventfd(1, EFD_CLOEXEC)};
  int rung = 0;
  std::function<void()> on_ring;

 private:
  net::Poller& poller_;
};

/// Of what rank 1 sends with that tag.
void fill(Operation& receive, Tag tag) {
  receive.kind = Operation::Kind::receive;
  receive.context = 5;
  receive.peer = 1;
  receive.tag = tag;
}

/// Rank 0 of two, with a receive from the other.
struct Waiter {
  explicit Waiter(const Engine::Options& options, bool in_memory = true) : engine(poller, options) {
    memory.in_memory = in_memory;
    const std::vector<Member> members{{Tid::task(1, 1), "host", {}}, {Tid::task(1, 2), "host", {}}};
    engine.listen_to(memory);
    engine.meet(members, 0);
    for (const Rank peer : {0, 1}) engine.set_routes(peer, memory, memory, memory);
    fill(receive, 7);
    engine.start(receive);
  }
  bool deliver() {
    Envelope envelope;
    envelope.source = Tid::task(1, 2).value;
    envelope.context = 5;
    envelope.tag = 7;
    engine.take_packet(envelope, nullptr);
    return true;
  }
  void wait() {
    Operation* const waited[] = {&receive};
    engine.wait_any(waited);
  }

  net::Poller poller;
  FakeMemory memory;
  Engine engine;
  Operation receive;
};

}  // namespace

TEST_CASE("a task that does not spin looks once and then announces its sleep", "[engine]") {
  Waiter waiter({});
  Bell bell(waiter.poller);
  bell.on_ring = [&] { (void)waiter.deliver(); };
  waiter.wait();
  CHECK(waiter.receive.complete);
  CHECK(waiter.memory.looks_at_one == 1);
  CHECK(waiter.memory.announced == 1);
  CHECK(waiter.memory.woken == 1);
}

TEST_CASE("a wait for what has been looked for in vain does not look again before it sleeps", "[engine]") {
  Waiter waiter({});
  Bell bell(waiter.poller);
  bell.on_ring = [&] { (void)waiter.deliver(); };
  waiter.engine.look_for(waiter.receive);
  waiter.wait();
  CHECK(waiter.receive.complete);
  CHECK(waiter.memory.looks_at_one == 1);
  CHECK(waiter.memory.announced == 1);
  // Nor does what has been looked for in vain count for the next wait.
  waiter.receive.complete = false;
  waiter.engine.start(waiter.receive);
  waiter.wait();
  CHECK(waiter.memory.looks_at_one == 2);
}

TEST_CASE("a wait looks before it sleeps where others have been called since the last look", "[engine]") {
  Waiter waiter({});
  Bell bell(waiter.poller);
  bell.on_ring = [&] { (void)waiter.deliver(); };
  Operation other;
  fill(other, 8);
  waiter.engine.start(other);
  enum class Since : std::uint8_t { progress, start, look_for_another, wait };
  const Since since = GENERATE(Since::progress, Since::start, Since::look_for_another, Since::wait);
  waiter.engine.look_for(since == Since::look_for_another ? other : waiter.receive);
  Operation third;
  if (since == Since::progress) {
    bell.on_ring = [] {};
    waiter.engine.progress();
    bell.on_ring = [&] { (void)waiter.deliver(); };
  } else if (since == Since::start) {
    fill(third, 9);
    waiter.engine.start(third);
  } else if (since == Since::wait) {
    (void)waiter.engine.wait_until([] { return true; }, {});
  }
  waiter.memory.looks_at_one = 0;
  waiter.wait();
  CHECK(waiter.receive.complete);
  CHECK(waiter.memory.looks_at_one == 1);
}

TEST_CASE("a task that is woken from its own core again and again leaves it for a while", "[engine]") {
  const std::vector<int> usable = usable_core_numbers();
  if (usable.size() < 2) return test::skip("there is one core only");
  const bool crowded = GENERATE(false, true);
  // In a thread of its own, so that what it does to its cores ends with it.
  std::thread([&] {
    Waiter waiter({});
    waiter.engine.set_patience({.crowded = crowded});
    Bell bell(waiter.poller);
    bell.on_ring = [&] {
      waiter.memory.ring = {ticks_now(), ::sched_getcpu()};
      (void)waiter.deliver();
    };
    // How many that takes, and how soon after each other they have to be, is tested by itself; the rest is for a
    // machine that is busy.
    const auto sleeps_until = [&](auto done) {
      for (int i = 0; i < 100'000 && !done(); ++i) {
        waiter.receive.complete = false;
        waiter.engine.start(waiter.receive);
        waiter.wait();
      }
      return done();
    };
    waiter.wait();
    const auto has_all_cores = [&] { return usable_core_numbers() == usable; };
    if (crowded) {
      CHECK(sleeps_until([&] { return waiter.memory.woken > 1000 || !has_all_cores(); }));
      CHECK(has_all_cores());
      return;
    }
    CHECK(sleeps_until([&] { return !has_all_cores(); }));
    CHECK(usable_core_numbers().size() == usable.size() - 1);
    waiter.memory.ring = {};
    bell.on_ring = [&] { (void)waiter.deliver(); };
    CHECK(sleeps_until(has_all_cores));
  }).join();
}

TEST_CASE("what comes through memory is looked for longer before a sleep, a message, a send, and either of them",
          "[engine]") {
  enum class Waits : std::uint8_t { message, send, either };
  const Waits waits = GENERATE(Waits::message, Waits::send, Waits::either);
  const bool with_send = waits != Waits::message;
  const auto looks_before_sleep = [&](bool stretches) {
    Waiter waiter({});
    // Nobody else wants the core, whatever else this computer does.
    waiter.engine.set_patience({.spin = std::chrono::microseconds(10), .stretches = stretches},
                               [] { return std::chrono::nanoseconds(0); });
    std::vector<std::byte> data(100'000);
    Operation send;
    send.context = 5;
    send.peer = 1;
    send.tag = 7;
    send.synchronous = true;
    send.data = data.data();
    send.bytes = data.size();
    if (with_send) waiter.engine.start(send);
    int looks = 0;
    waiter.memory.on_announce = [&] {
      looks = waiter.memory.looks_at_one + waiter.memory.looks_at_all;
      if (!with_send) return waiter.deliver();
      Envelope fetched;
      fetched.kind = PacketKind::pulled;
      fetched.source = Tid::task(1, 2).value;
      fetched.context = 5;
      fetched.sender_id = waiter.memory.last_sent.sender_id;
      waiter.engine.take_packet(fetched, nullptr);
      return true;
    };
    std::vector<Operation*> waited{with_send ? &send : &waiter.receive};
    if (waits == Waits::either) waited.push_back(&waiter.receive);
    waiter.engine.wait_any(waited);
    CHECK(waited[0]->complete);
    return looks;
  };
  // Looks are counted, not timed: whoever has lost the core looks less often, so the most of several counts.
  int usual = 0;
  for (int i = 0; i < 10; ++i) usual = std::max(usual, looks_before_sleep(false));
  int longer = 0;
  for (int i = 0; i < 100 && longer <= 10 * usual; ++i) longer = looks_before_sleep(true);
  CHECK(longer > 10 * usual);
}

TEST_CASE("anything is looked for longer only where all of it comes through memory", "[engine]") {
  net::Poller poller;
  const engine::Peers peers;
  engine::Waiting waiting(poller, peers, {}, 0);
  FakeMemory memory;
  FakeMemory socket;
  CHECK(waiting.anything().awaited == Patience::Awaited::anything);
  waiting.expect({&memory, &memory});
  CHECK(waiting.anything().awaited == Patience::Awaited::through_memory);
  waiting.expect({&socket, nullptr});
  CHECK(waiting.anything().awaited == Patience::Awaited::anything);
}

TEST_CASE("while others wait for answers through descriptors, these are looked at often", "[engine]") {
  const bool crowded = GENERATE(true, false);
  net::Poller poller;
  const engine::Peers peers;
  engine::Waiting waiting(poller, peers, {.crowded = crowded}, 0);
  FakeMemory memory;
  waiting.listen_to(memory);
  waiting.expect({&memory, &memory});
  /// Looks at memory alone, from one look at everything to the next.
  const auto longest_row = [&] {
    unsigned row = 0, longest = 0;
    int everywhere = memory.looks_at_all;
    for (int i = 0; i < 20'000; ++i) {
      (void)waiting.look({.transport = &memory, .peer = 1});
      row = std::exchange(everywhere, memory.looks_at_all) == memory.looks_at_all ? row + 1 : 0;
      longest = std::max(longest, row);
    }
    return longest;
  };
  const unsigned usual = longest_row();
  CHECK(usual == SkipPoll::most - 1);
  waiting.answer(1);
  waiting.answer(1);
  waiting.answer(-1);
  CHECK(longest_row() == (crowded ? SkipPoll::least : SkipPoll::most_for_sockets) - 1);
  waiting.answer(-1);
  CHECK(longest_row() == usual);
}

TEST_CASE("a thread that waits for requests sleeps soon, though they come through memory", "[engine]") {
  Waiter waiter({});
  waiter.engine.set_patience({.spin = std::chrono::microseconds(10), .stretches = true},
                             [] { return std::chrono::nanoseconds(0); });
  Operation* const waited[] = {&waiter.receive};
  // Before the deadline whoever looks on for longer has not slept. Whoever has lost the core has not either, so
  // again.
  for (int i = 0; i < 100 && waiter.memory.announced == 0; ++i) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(5);
    CHECK_FALSE(waiter.engine.wait_any_until(waited, 1, 5, deadline));
  }
  CHECK(waiter.memory.announced > 0);
  (void)waiter.deliver();
}

TEST_CASE("what has come before the announcement keeps a task awake", "[engine]") {
  Waiter waiter({});  // nothing would wake it
  waiter.memory.on_announce = [&] { return waiter.deliver(); };
  waiter.wait();
  CHECK(waiter.receive.complete);
  CHECK(waiter.memory.announced == 1);
  CHECK(waiter.memory.woken == 0);
}

TEST_CASE("a transport that stays asleep is told when another one keeps the task awake", "[engine]") {
  Waiter waiter({});
  FakeMemory second;
  waiter.engine.listen_to(second);
  second.on_announce = [&] { return waiter.deliver(); };
  waiter.wait();
  CHECK(waiter.memory.announced == 1);
  CHECK(waiter.memory.woken == 1);
  CHECK(second.woken == 0);
}

TEST_CASE("packets through memory that keep coming do not starve descriptors", "[engine]") {
  Waiter waiter({});
  Bell bell(waiter.poller);
  bell.on_ring = [&] { (void)waiter.deliver(); };
  waiter.memory.on_announce = [] { return true; };
  waiter.memory.on_look = [] { return true; };
  waiter.wait();
  CHECK(bell.rung == 1);
}

TEST_CASE("looks at everything become rarer while they find nothing", "[engine]") {
  const unsigned fixed = GENERATE(0U, 10U);
  Waiter waiter({.patience = {.spin = std::chrono::seconds(1000)}, .skip = fixed});
  constexpr int looks = 20000;
  waiter.memory.on_look = [&] {
    return waiter.memory.looks_at_one + waiter.memory.looks_at_all == looks && waiter.deliver();
  };
  waiter.wait();
  if (fixed == 0) {
    CHECK(waiter.memory.looks_at_all >= 4);
    CHECK(waiter.memory.looks_at_all < 30);
  } else {
    CHECK(waiter.memory.looks_at_all == looks / static_cast<int>(fixed));
  }
}

TEST_CASE("looks at everything become more frequent where they find something", "[engine]") {
  Waiter waiter({.patience = {.spin = std::chrono::seconds(1000)}});
  Bell bell(waiter.poller);
  constexpr int looks = 8000;
  waiter.memory.on_look = [&] {
    return waiter.memory.looks_at_one + waiter.memory.looks_at_all == looks && waiter.deliver();
  };
  waiter.wait();
  CHECK(waiter.memory.looks_at_all == looks / 8);
  CHECK(bell.rung >= looks / 8 - 1);
}

TEST_CASE("a number of looks that the user has set holds for memory and for sockets", "[engine]") {
  const bool in_memory = GENERATE(true, false);
  Waiter waiter({.patience = {.spin = std::chrono::seconds(1000)}}, in_memory);
  waiter.engine.set_skip(40);
  Bell bell(waiter.poller);
  constexpr int rings = 50;
  bell.on_ring = [&] {
    if (bell.rung == rings) (void)waiter.deliver();
  };
  waiter.wait();
  // Each look at everything rings once; a transport in memory is looked at in those, too.
  CHECK(waiter.memory.looks_at_one == rings * 39);
}

TEST_CASE("without a number of their own, sockets are looked at eight times for each look at everything",
          "[engine]") {
  Waiter waiter({.patience = {.spin = std::chrono::seconds(1000)}}, false);
  waiter.engine.set_skip(0);
  Bell bell(waiter.poller);
  bell.on_ring = [&] {
    if (bell.rung == 50) (void)waiter.deliver();
  };
  waiter.wait();
  CHECK(waiter.memory.looks_at_one == 50 * 7);
}

TEST_CASE("what changes in shared memory before the announcement keeps a task awake", "[engine]") {
  Waiter waiter({});  // nothing would wake it
  bool changed = false;
  waiter.memory.on_announce = [&] {
    changed = true;
    return false;
  };
  const std::array<Rank, 2> writers{0, 1};
  waiter.engine.wait_for_memory(writers, [&] { return changed; });
  CHECK(waiter.memory.announced == 1);
  CHECK(waiter.memory.woken == 1);
}

TEST_CASE("who waits for shared memory of a task that has died is told", "[engine]") {
  Waiter waiter({});
  waiter.memory.on_announce = [&] {
    waiter.engine.forget(Tid::task(1, 2), false);
    return false;
  };
  const std::array<Rank, 2> writers{0, 1};
  CHECK_THROWS_WITH(waiter.engine.wait_for_memory(writers, [] { return false; }), Catch::Matchers::Contains("ended"));
}

TEST_CASE("where messages come in rows one look takes those behind the awaited one along", "[engine]") {
  Waiter waiter({});
  std::array<Operation, 9> row;
  for (Operation& receive : row) {
    receive.kind = Operation::Kind::receive;
    receive.context = 5;
    receive.peer = 1;
    receive.tag = 7;
    waiter.engine.start(receive);
  }
  int there = 1;  // of the ten that are awaited
  waiter.memory.on_look = [&] { return there > 0 && (--there, waiter.deliver()); };
  const auto complete = [&] { return std::ranges::count_if(row, [](const Operation& one) { return one.complete; }); };
  // Two that were found at once are no row yet.
  waiter.engine.look_for(waiter.receive);
  there = 3;
  waiter.engine.look_for(row[0]);
  CHECK(complete() == 1);
  CHECK(waiter.memory.looks_at_one == 2);
  waiter.engine.look_for(row[1]);
  CHECK(complete() == 3);
  CHECK(waiter.memory.looks_at_one == 5);  // the last one finds nothing
  // Not for messages that have no receive.
  there = 10;
  waiter.engine.look_for(row[3]);
  CHECK(complete() == 9);
  CHECK(waiter.engine.unexpected_bytes() == 0);
  CHECK(there == 4);
}

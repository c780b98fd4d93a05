#include "vm/transport/shm/shm_transport.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/packet_recorder.hpp"
#include "vm/machine_topology.hpp"
#include "vm/net/fd.hpp"
#include "vm/net/poller.hpp"
#include "vm/probe/copy_rates.hpp"
#include "vm/proc.hpp"
#include "vm/status.hpp"
#include "vm/transport/memory_path.hpp"
#include "vm/transport/shm/long_messages.hpp"
#include "vm/transport/shm/ring.hpp"

using namespace nasvm;
using namespace nasvm::test;
using Exchange = MemoryPath::Exchange;
using std::chrono::nanoseconds;

namespace {

/// Some tasks in one process and one thread.
struct Tasks {
  struct Task {
    net::Poller poller;
    PacketRecorder recorder;
    std::unique_ptr<Transport> transport;
  };

  explicit Tasks(int size, const Parameters& parameters = {{"ring", 4096}}, bool crowded = false)
      : Tasks(std::vector<Parameters>(static_cast<std::size_t>(size), parameters), crowded) {}
  /// Each with parameters of its own.
  explicit Tasks(const std::vector<Parameters>& parameters, bool crowded = false) {
    const auto size = static_cast<int>(parameters.size());
    for (Rank rank = 0; rank < size; ++rank) {
      tasks.push_back(std::make_unique<Task>());
      TransportContext context;
      context.self = Tid::task(1, rank + 1);
      context.rank = rank;
      context.size = size;
      context.crowded = crowded;
      context.poller = &tasks.back()->poller;
      context.handler = &tasks.back()->recorder;
      context.parameters = parameters[static_cast<std::size_t>(rank)];
      tasks.back()->transport = make_shm_transport(context);
      members.push_back({context.self, "host", {{"shm", tasks.back()->transport->descriptor()}}});
    }
  }
  void meet() {
    for (const auto& task : tasks) task->transport->meet(members);
  }
  Transport& operator[](Rank rank) { return *tasks[static_cast<std::size_t>(rank)]->transport; }
  MemoryPath& memory(Rank rank) { return *(*this)[rank].memory_path(); }
  PacketRecorder& recorder(Rank rank) { return tasks[static_cast<std::size_t>(rank)]->recorder; }
  net::Poller& poller(Rank rank) { return tasks[static_cast<std::size_t>(rank)]->poller; }

  std::vector<std::unique_ptr<Task>> tasks;
  std::vector<Member> members;
};

net::Packet packet_of(const std::vector<std::byte>& payload, Tag tag = 0) {
  net::Packet packet;
  packet.envelope.tag = tag;
  packet.envelope.payload_bytes = static_cast<std::uint32_t>(payload.size());
  packet.payload = payload.data();
  return packet;
}

/// While this lives the environment has these rates, whatever the tests' own has.
class RatesSetting {
 public:
  explicit RatesSetting(const CopyRates& rates) {
    if (const char* set = ::getenv(copy_rates_variable)) before_ = set;
    ::setenv(copy_rates_variable, to_text(rates).c_str(), 1);
  }
  ~RatesSetting() {
    ::unsetenv(copy_rates_variable);
    if (before_) ::setenv(copy_rates_variable, before_->c_str(), 1);
  }
  RatesSetting(const RatesSetting&) = delete;
  RatesSetting& operator=(const RatesSetting&) = delete;

 private:
  std::optional<std::string> before_;
};

/// Two tasks, of which the first has sent ten packets to the second, more than its ring holds.
struct FullRing {
  FullRing() {
    tasks.meet();
    payload = pattern(tasks[0].max_payload(1));
    packets.assign(10, packet_of(payload));
    for (net::Packet& packet : packets) tasks[0].send(1, packet);
    REQUIRE(tasks.recorder(0).sent.size() < packets.size());
  }

  Tasks tasks{2};
  std::vector<std::byte> payload;
  std::vector<net::Packet> packets;
};

}  // namespace

TEST_CASE("packets arrive once, whole and in order, through whatever call takes them", "[shm]") {
  Tasks tasks(3);
  tasks.meet();
  for (Rank peer : {0, 2}) CHECK(tasks[1].why_not(peer).empty());
  std::vector<std::vector<std::byte>> payloads;
  for (unsigned i = 0; i < 4; ++i) payloads.push_back(pattern(i * 100, i));
  for (unsigned i = 0; i < 4; ++i) {
    net::Packet packet = packet_of(payloads[i], static_cast<Tag>(i));
    tasks[0].send(1, packet);
  }
  CHECK(tasks.recorder(0).sent.size() == 4);
  CHECK_FALSE(tasks[1].poll(2));
  CHECK(tasks[1].poll(0));
  CHECK(tasks[1].poll(any_source));
  while (tasks[1].poll(0)) {
  }
  REQUIRE(tasks.recorder(1).arrived.size() == 4);
  for (unsigned i = 0; i < 4; ++i) {
    CHECK(tasks.recorder(1).arrived[i].envelope.tag == static_cast<Tag>(i));
    CHECK(tasks.recorder(1).arrived[i].payload == payloads[i]);
  }
  CHECK(tasks.recorder(2).arrived.empty());
}

TEST_CASE("a packet for which its handler throws does not come again", "[shm]") {
  Tasks tasks(2);
  tasks.meet();
  const auto payload = pattern(100);
  for (const Tag tag : {0, 1}) {
    net::Packet packet = packet_of(payload, tag);
    tasks[0].send(1, packet);
  }
  tasks.recorder(1).on_begun = [](const Envelope& envelope) {
    if (envelope.tag == 0) throw std::runtime_error("it does not fit");
  };
  CHECK_THROWS_AS(tasks[1].poll(0), std::runtime_error);
  CHECK(tasks[1].poll(0));
  CHECK_FALSE(tasks[1].poll(0));
  REQUIRE(tasks.recorder(1).arrived.size() == 1);
  CHECK(tasks.recorder(1).arrived[0].envelope.tag == 1);
}

TEST_CASE("a sender goes on when its handler has thrown for a packet that has left", "[shm]") {
  Tasks tasks(2);
  tasks.meet();
  const auto payload = pattern(100);
  net::Packet first = packet_of(payload, 1), second = packet_of(payload, 2);
  tasks.recorder(0).on_sent = [](const net::Packet& packet) {
    if (packet.envelope.tag == 1) throw std::runtime_error("once");
  };
  CHECK_THROWS_AS(tasks[0].send(1, first), std::runtime_error);
  tasks[0].send(1, second);
  CHECK(tasks.recorder(0).sent.size() == 2);
}

TEST_CASE("what a ring has no room for waits at its sender, and nothing overtakes it", "[shm]") {
  Tasks tasks(2);
  tasks.meet();
  const auto payload = pattern(tasks[0].max_payload(1));
  std::vector<net::Packet> packets(20, packet_of(payload));
  for (std::size_t i = 0; i < packets.size(); ++i) {
    packets[i].envelope.tag = static_cast<Tag>(i);
    tasks[0].send(1, packets[i]);
  }
  CHECK(tasks.recorder(0).sent.size() < 8);
  Envelope late;
  late.tag = 99;
  CHECK_FALSE(tasks.memory(0).send_now(1, late, nullptr));
  for (int round = 0; round < 100; ++round) {
    (void)tasks[1].poll(0);
    (void)tasks[0].poll(any_source);
  }
  CHECK(tasks.recorder(0).sent.size() == 20);
  CHECK(tasks.memory(0).send_now(1, late, nullptr));
  while (tasks[1].poll(0)) {
  }
  REQUIRE(tasks.recorder(1).arrived.size() == 21);
  for (std::size_t i = 0; i < 20; ++i) CHECK(tasks.recorder(1).arrived[i].envelope.tag == static_cast<Tag>(i));
  CHECK(tasks.recorder(1).arrived[20].envelope.tag == 99);
}

TEST_CASE("tasks with rings of different lengths exchange packets as long as the receiver's ring permits", "[shm]") {
  Tasks tasks(std::vector<Parameters>{{{"ring", 4096}}, {{"ring", 65536}}});
  tasks.meet();
  for (const auto& [from, to] : {std::pair{0, 1}, std::pair{1, 0}}) {
    const auto payload = pattern(tasks[from].max_payload(to));
    net::Packet packet = packet_of(payload);
    tasks[from].send(to, packet);
    CHECK(tasks.recorder(from).sent.size() == 1);
    REQUIRE(tasks[to].poll(from));
    CHECK(tasks.recorder(to).arrived.back().payload == payload);
    Envelope longer;
    longer.payload_bytes = static_cast<std::uint32_t>(payload.size()) + 1;
    const auto bytes = pattern(payload.size() + 1);
    CHECK_FALSE(tasks.memory(from).send_now(to, longer, bytes.data()));
  }
  CHECK(tasks[0].max_payload(1) > tasks[1].max_payload(0));
}

TEST_CASE("rings are small where the rates in the environment say that those are faster", "[shm]") {
  for (const bool faster : {false, true}) {
    CAPTURE(faster);
    const double small = faster ? 20 : 10;
    const CopyRates rates{{64 * 1024, small, 10}, {256 * 1024, small, 10}, {1024 * 1024, small, 10}};
    const RatesSetting setting(rates);
    Tasks tasks(2, {});
    tasks.meet();
    const std::size_t ring = faster ? small_ring_bytes : large_ring_bytes;
    CHECK(tasks[0].max_payload(1) == shm::RingWriter::max_payload(ring));
  }
}

TEST_CASE("messages are cut for a receiver that copies at the same time, on another core", "[shm]") {
  constexpr std::size_t message = 32768;
  for (const bool crowded : {false, true}) {
    Tasks tasks(2, {{"ring", 256 * 1024}}, crowded);
    tasks.meet();
    CHECK(tasks[0].usual_payload(1, message) == (crowded ? tasks[0].max_payload(1) : shm::usual_piece(message)));
    CHECK(tasks[0].usual_payload(1, 1 << 30) == tasks[0].max_payload(1));
    const auto payload = pattern(message);
    net::Packet first = packet_of(payload);  // opens the ring
    tasks[0].send(1, first);
    Envelope envelope;
    envelope.payload_bytes = message;
    envelope.message_bytes = message;
    CHECK(tasks.memory(0).send_now(1, envelope, payload.data()) == crowded);
  }
}

TEST_CASE("a sleeping receiver is woken, one that is awake is left alone", "[shm]") {
  Tasks tasks(2);
  tasks.meet();
  const auto payload = pattern(10);
  net::Packet packet = packet_of(payload);
  tasks[0].send(1, packet);
  CHECK(tasks.poller(1).wait(nanoseconds(0)) == 0);
  CHECK_FALSE(tasks.memory(1).before_sleep());  // something has come: no sleep
  CHECK(tasks.recorder(1).arrived.size() == 1);
  REQUIRE(tasks.memory(1).before_sleep());
  const Ticks before = ticks_now();
  tasks[0].send(1, packet);
  CHECK(tasks.poller(1).wait(nanoseconds(-1)) == 1);
  const MemoryPath::Ring rung = tasks.memory(1).after_sleep();
  CHECK(rung.at >= before);
  CHECK(rung.at <= ticks_now());
  CHECK(std::ranges::count(usable_core_numbers(), rung.core) == 1);
  CHECK(tasks.recorder(1).arrived.size() == 2);
  tasks[0].send(1, packet);
  CHECK(tasks.poller(1).wait(nanoseconds(0)) == 0);
}

TEST_CASE("a receiver that could not be woken for want of descriptors is woken by the next packet", "[shm]") {
  Tasks tasks(2);
  tasks.meet();
  const auto payload = pattern(10);
  net::Packet packet = packet_of(payload);
  REQUIRE(tasks.memory(1).before_sleep());
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  const net::Fd lowest(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const rlimit few{static_cast<rlim_t>(lowest.get()) + 1, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
  bool refused = false;
  try {
    tasks[0].send(1, packet);
  } catch (const RunError&) {
    refused = true;
  }
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  CHECK(refused);
  tasks[0].send(1, packet);
  CHECK(tasks.poller(1).wait(nanoseconds(0)) == 1);
}

TEST_CASE("a sender that sleeps because a ring is full is woken when there is room", "[shm]") {
  FullRing full;
  Tasks& tasks = full.tasks;
  const auto sent = tasks.recorder(0).sent.size();
  REQUIRE(tasks.memory(0).before_sleep());
  while (tasks[1].poll(0)) {
  }
  CHECK(tasks.poller(0).wait(nanoseconds(-1)) == 1);
  CHECK(tasks.recorder(0).sent.size() > sent);
}

TEST_CASE("a task reads long messages out of its peer's memory where the kernel permits it", "[shm]") {
  Tasks tasks(2, {{"pull", 1000}});
  tasks.meet();
  const auto there = pattern(100'000);
  std::vector<std::byte> here(there.size());
  const bool pulled =
      tasks.memory(1).pull(0, reinterpret_cast<std::uintptr_t>(there.data()), here, Exchange::one_way);
  CHECK(pulled == (tasks.memory(0).pull_from(1) == 1000));
  if (pulled) CHECK(here == there);
  CHECK_FALSE(tasks.memory(1).pull(0, 16, here, Exchange::one_way));
}

TEST_CASE("nothing is fetched from a peer while a message of its own moves", "[shm]") {
  Tasks tasks(2, {{"pull", 1000}});
  tasks.meet();
  const auto there = pattern(100'000);
  std::vector<std::byte> here(there.size());
  const auto pull = [&] {
    return tasks.memory(1).pull(0, reinterpret_cast<std::uintptr_t>(there.data()), here, Exchange::both_ways);
  };
  const bool possible = tasks.memory(0).pull_from(1) == 1000;
  tasks.memory(0).begin_moving();
  tasks.memory(0).begin_moving();
  CHECK_FALSE(pull());
  tasks.memory(0).end_moving();
  CHECK_FALSE(pull());
  tasks.memory(0).end_moving();
  CHECK(pull() == possible);
}

TEST_CASE("a long message is not fetched from a peer that waits for a send, unless both send or cores are short",
          "[shm]") {
  const auto there = pattern(100'000);
  std::vector<std::byte> here(there.size());
  const auto address = reinterpret_cast<std::uintptr_t>(there.data());
  for (const bool crowded : {false, true}) {
    Tasks tasks(2, {}, crowded);
    tasks.meet();
    const bool possible = tasks.memory(0).pull_from(1) != MemoryPath::never;
    CAPTURE(crowded);
    CHECK(tasks.memory(1).pull(0, address, here, Exchange::one_way) == possible);
    tasks.memory(0).begin_waiting();
    CHECK(tasks.memory(1).pull(0, address, here, Exchange::one_way) == (possible && crowded));
    CHECK(tasks.memory(1).pull(0, address, here, Exchange::both_ways) == possible);
    tasks.memory(0).end_waiting();
    CHECK(tasks.memory(1).pull(0, address, here, Exchange::one_way) == possible);
  }
}

TEST_CASE("a sleeping peer's long message is fetched", "[shm]") {
  Tasks tasks(2, {});
  tasks.meet();
  const auto there = pattern(100'000);
  std::vector<std::byte> here(there.size());
  tasks.memory(0).begin_waiting();
  REQUIRE(tasks.memory(0).before_sleep());
  CHECK(tasks.memory(1).pull(0, reinterpret_cast<std::uintptr_t>(there.data()), here, Exchange::one_way) ==
        (tasks.memory(0).pull_from(1) != MemoryPath::never));
}

TEST_CASE("a message on its owner's board is taken from there, not by the system", "[shm]") {
  Tasks tasks(2, {});
  tasks.meet();
  const int many = 3 * usable_cores();
  CHECK(tasks.memory(0).board(100'000, many - 1).empty());
  const auto board = tasks.memory(0).board(100'000, many);
  REQUIRE(board.size() == 100'000);
  const auto message = pattern(board.size());
  std::ranges::copy(message, board.begin());
  std::vector<std::byte> here(message.size());
  CHECK(tasks.memory(1).pull(0, reinterpret_cast<std::uintptr_t>(board.data()), here, Exchange::both_ways));
  CHECK(here == message);
}

TEST_CASE("fetching can be forbidden", "[shm]") {
  Tasks tasks(2, {{"pull", 0}});
  tasks.meet();
  CHECK(tasks.memory(0).pull_from(1) == MemoryPath::never);
}

TEST_CASE("who forbids it offers nothing to those who would fetch either", "[shm]") {
  Tasks tasks(std::vector<Parameters>{{{"pull", 0}}, {}});
  tasks.meet();
  CHECK(tasks.memory(0).pull_from(1) == MemoryPath::never);
}

TEST_CASE("a peer that cannot be reached through memory is refused with the reason", "[shm]") {
  Tasks tasks(3);
  tasks.members[1].descriptors.clear();
  tasks.members[2].descriptors["shm"] = "1:2:another-boot:00:ring:1";
  tasks.meet();
  CHECK(tasks[0].why_not(0).empty());
  CHECK_FALSE(tasks[0].why_not(1).empty());
  CHECK(tasks[0].why_not(2).find("another computer") != std::string::npos);
  for (Rank peer = 0; peer < 3; ++peer) CHECK_FALSE(tasks[0].has_left(peer));
}

TEST_CASE("a peer that has left before the others met is known to have left", "[shm]") {
  Tasks tasks(2);
  // No process has a number as high (proc(5), "pid_max").
  tasks.members[1].descriptors["shm"] = "4194305:2:" + boot_id() + ":00:ring:" + process_namespace();
  tasks.meet();
  CHECK(tasks[0].why_not(1) == "the peer is gone");
  CHECK(tasks[0].has_left(1));
  CHECK_FALSE(tasks[0].has_left(0));
}

TEST_CASE("what waits for a peer that has ended is given up when the machine says so", "[shm]") {
  FullRing full;
  Tasks& tasks = full.tasks;
  tasks[0].forget(Tid::task(1, 2), false);
  CHECK(tasks.recorder(0).sent.size() == 10);
}

TEST_CASE("what waits for a peer that has left in good order is given up", "[shm]") {
  FullRing full;
  Tasks& tasks = full.tasks;
  tasks[0].expect_departures();
  REQUIRE(tasks.memory(0).before_sleep());
  tasks.tasks[1]->transport.reset();
  CHECK(tasks.poller(0).wait(nanoseconds(-1)) == 1);
  CHECK(tasks.recorder(0).sent.size() == 10);
}

TEST_CASE("a sender that has ended while it waited for room is not missed by who has never sent to it", "[shm]") {
  FullRing full;
  Tasks& tasks = full.tasks;
  const auto sent = tasks.recorder(0).sent.size();
  REQUIRE(tasks.memory(0).before_sleep());  // asks to be woken
  tasks.tasks[0]->transport.reset();
  SECTION("it takes what has come") {
    while (tasks[1].poll(0)) {
    }
    CHECK(tasks.recorder(1).arrived.size() == sent);
  }
  SECTION("it ends, too") {
    tasks.tasks[1]->transport.reset();
    CHECK(tasks.recorder(1).arrived.empty());
  }
}

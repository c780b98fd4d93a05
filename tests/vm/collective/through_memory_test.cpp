#include "vm/collective/through_memory.hpp"

#include <catch2/catch.hpp>

#include "support/packet_recorder.hpp"
#include "support/task_bodies.hpp"
#include "support/thread_machine.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using namespace nasvm::test;
using namespace nasvm::collective;

namespace {

constexpr std::size_t long_bytes = 64 * 1024;

void require(bool holds, const char* what) {
  if (!holds) throw RunError(what);
}

/// What the ranks have counted after `body`.
std::vector<Counters> counted(int ranks, Memory memory, const std::function<void(Comm&)>& body) {
  std::vector<Counters> counters(static_cast<std::size_t>(ranks));
  run_ranks(
      ranks,
      [&](Comm& comm) {
        body(comm);
        counters[static_cast<std::size_t>(comm.rank())] = comm.counters();
      },
      memory);
  return counters;
}

void check_equal_traffic(const std::vector<Counters>& one, const std::vector<Counters>& other) {
  for (std::size_t rank = 0; rank < one.size(); ++rank) {
    for (std::size_t peer = 0; peer < one.size(); ++peer) {
      CAPTURE(rank, peer);
      const PeerCounters& a = one[rank].peers[peer];
      const PeerCounters& b = other[rank].peers[peer];
      CHECK(a.messages_sent == b.messages_sent);
      CHECK(a.messages_received == b.messages_received);
      CHECK(a.bytes_sent == b.bytes_sent);
      CHECK(a.bytes_received == b.bytes_received);
    }
  }
}

void broadcast_from_each(Comm& comm) {
  for (const std::size_t bytes : {long_bytes, std::size_t{1'000'001}}) {
    for (Rank root = 0; root < comm.size(); ++root) {
      auto message = pattern(bytes);
      message.front() = static_cast<std::byte>(root);
      std::vector<std::byte> data = comm.rank() == root ? message : std::vector<std::byte>(bytes);
      comm.broadcast(data, root);
      require(data == message, "wrong data");
      data.assign(bytes, std::byte{});  // nobody reads here any more
    }
  }
}

/// Uneven and empty blocks, and one's own where it belongs already.
void gather_by_all(Comm& comm) {
  std::vector<std::size_t> counts;
  for (Rank rank = 0; rank < comm.size(); ++rank) {
    counts.push_back(rank == 1 ? 0 : 12'000 + 1000 * static_cast<std::size_t>(rank));
  }
  std::vector<double> expected;
  std::size_t mine = 0;
  for (Rank rank = 0; rank < comm.size(); ++rank) {
    if (rank == comm.rank()) mine = expected.size();
    expected.insert(expected.end(), counts[static_cast<std::size_t>(rank)], 1.5 * rank);
  }
  const std::size_t count = counts[static_cast<std::size_t>(comm.rank())];
  std::vector<double> own(count, 1.5 * comm.rank());
  std::vector<double> all(expected.size(), -1);
  comm.allgatherv(own, all, counts);
  require(all == expected, "wrong blocks");
  own.assign(count, -2);  // nobody reads here any more

  std::vector<double> in_place(expected.size(), -1);
  std::fill_n(in_place.begin() + static_cast<std::ptrdiff_t>(mine), count, 1.5 * comm.rank());
  comm.allgatherv(std::span(in_place).subspan(mine, count), in_place, counts);
  require(in_place == expected, "wrong blocks in place");
}

}  // namespace

TEST_CASE("through memory: every task gets every root's message", "[collective]") {
  const Memory memory = GENERATE(Memory::open, Memory::refused);
  const int ranks = GENERATE(2, 3, 8);
  run_ranks(ranks, broadcast_from_each, memory);
}

TEST_CASE("through memory: every task gets every block", "[collective]") {
  const Memory memory = GENERATE(Memory::open, Memory::refused);
  const int ranks = GENERATE(2, 3, 8);
  run_ranks(ranks, gather_by_all, memory);
}

TEST_CASE("through memory: payload counts as if it had been sent", "[collective]") {
  const auto body = GENERATE(broadcast_from_each, gather_by_all);
  check_equal_traffic(counted(5, Memory::open, body), counted(5, Memory::closed, body));
}

TEST_CASE("through memory: ranks that do not all read each other send messages", "[collective]") {
  const auto body = [](Comm& comm) {
    const auto near = comm.split(comm.rank() / 3, 0);
    broadcast_from_each(comm);
    broadcast_from_each(*near);
    gather_by_all(comm);
    gather_by_all(*near);
  };
  run_ranks(6, body, Memory::by_three);
}

TEST_CASE("through memory: short messages, and those of two tasks, go their usual way", "[collective]") {
  CHECK(through_memory::suits_broadcast(3, long_bytes));
  CHECK_FALSE(through_memory::suits_broadcast(3, long_bytes - 1));
  CHECK(through_memory::suits_broadcast(2, long_bytes));
  CHECK_FALSE(through_memory::suits_broadcast(1, 1 << 20));
  CHECK(through_memory::suits_allgather(4, 256 * 1024));
  CHECK_FALSE(through_memory::suits_allgather(4, 256 * 1024 - 4));
  CHECK(through_memory::suits_allgather(2, 1 << 17));
  CHECK_FALSE(through_memory::suits_allgather(1, 1 << 20));
}

TEST_CASE("through memory: who has data of another length than the root, or than it says, is told", "[collective]") {
  const auto of = [](Comm& comm, std::size_t bytes) {
    return std::vector<std::byte>(bytes + (comm.rank() == 1 ? 8 : 0));
  };
  CHECK_THROWS_WITH(run_ranks(
                        2,
                        [&](Comm& comm) {
                          auto data = of(comm, 1 << 20);
                          comm.broadcast(data);
                        },
                        Memory::open),
                    "collectives do not match: rank 0 has 1048576 bytes in a broadcast, where 1048584 are expected");
  CHECK_THROWS_WITH(
      run_ranks(
          2,
          [&](Comm& comm) {
            const auto own = of(comm, 1 << 20);
            std::vector<std::byte> all(2 * own.size());
            comm.allgather(own, all);
          },
          Memory::open),
      Catch::StartsWith("collectives do not match: rank ") && Catch::Contains(" in an allgather, where "));
}

TEST_CASE("through memory: tasks of one host, and messages over other transports", "[collective][heavy]") {
  Machine machine({});
  for (const char* transport : {"shm", "shm:pull=0", "direct", "auto"}) {
    CAPTURE(transport);
    REQUIRE_NOTHROW(machine.run(program_of("broadcasts", 5, transport)));
  }
}

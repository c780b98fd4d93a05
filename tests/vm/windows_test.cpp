// Windows: memory of each task that the others store into, and messages that say so.
#include "vm/windows.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <vector>

#include "support/thread_machine.hpp"
#include "vm/available.hpp"

using namespace nasvm;
using nasvm::test::Memory;
using nasvm::test::run_ranks;

namespace {

std::span<int> numbers(const Windows& windows, Rank rank) {
  const std::span<std::byte> window = windows.of(rank);
  return {reinterpret_cast<int*>(window.data()), window.size() / sizeof(int)};
}

}  // namespace

TEST_CASE("windows: what a task stores in another's is there when the news has come, and counts as a message") {
  for (const int tasks : {2, 3, 8}) {
    std::vector<int> wrong(static_cast<std::size_t>(tasks), 0);
    run_ranks(
        tasks,
        [&](Comm& comm) {
          const Rank self = comm.rank();
          const auto all = static_cast<std::size_t>(comm.size());
          int& errors = wrong[static_cast<std::size_t>(self)];
          // Each has another length.
          const auto memory = comm.size() == 3 ? Windows::Memory::when_touched : Windows::Memory::at_once;
          const auto windows = Windows::open(comm, (all + static_cast<std::size_t>(self)) * sizeof(int), memory);
          if (windows == nullptr) {
            errors = 1000;
            return;
          }
          const PeerCounters before = comm.counters().total();
          std::vector<Request> requests;
          for (Rank peer = 0; peer < comm.size(); ++peer) {
            const auto expected = all + static_cast<std::size_t>(peer);
            if (numbers(*windows, peer).size() != expected) ++errors;
            if (peer == self) continue;
            requests.push_back(comm.irecv_placed(sizeof(int), peer));
            numbers(*windows, peer)[static_cast<std::size_t>(self)] = 100 * self + peer;
            requests.push_back(comm.isend_placed(sizeof(int), peer));
          }
          comm.wait_all(requests);
          for (Rank peer = 0; peer < comm.size(); ++peer) {
            const int expected = peer == self ? 0 : 100 * peer + self;
            if (numbers(*windows, self)[static_cast<std::size_t>(peer)] != expected) ++errors;
          }
          const PeerCounters after = comm.counters().total();
          if (after.messages_sent - before.messages_sent != all - 1) ++errors;
          if (after.messages_received - before.messages_received != all - 1) ++errors;
          if (after.bytes_sent - before.bytes_sent != (all - 1) * sizeof(int)) ++errors;
          if (after.bytes_received - before.bytes_received != (all - 1) * sizeof(int)) ++errors;
        },
        Memory::shared);
    CHECK(wrong == std::vector<int>(wrong.size(), 0));
  }
}

TEST_CASE("placed messages: the receiver is told how much there is, and refuses what it has no room for") {
  std::array<std::size_t, 2> told{};
  const auto talk = [&](std::size_t placed) {
    run_ranks(2, [&](Comm& comm) {
      const Rank peer = 1 - comm.rank();
      Request send = comm.isend_placed(placed, peer, 3);
      Request receive = comm.irecv_placed(100, any_source, 3);
      told[static_cast<std::size_t>(comm.rank())] = comm.wait(receive).bytes;
      comm.wait(send);
    });
  };
  for (const std::size_t placed : {std::size_t{0}, std::size_t{7}, std::size_t{100}}) {
    talk(placed);
    CHECK(told == std::array{placed, placed});
  }
  const auto send_instead = [](Comm& comm) {
    if (comm.rank() == 0) comm.send(std::array<char, 3>{}, 1, 3);
    if (comm.rank() != 1) return;
    Request receive = comm.irecv_placed(100, 0, 3);
    comm.wait(receive);
  };
  CHECK_THROWS_WITH(run_ranks(2, send_instead), Catch::Matchers::Contains("where a placed message was to come"));
  CHECK_THROWS_WITH(talk(101), Catch::Matchers::Contains("has placed 101 bytes where there is room for 100"));
}

TEST_CASE("windows: nobody has one where somebody cannot have all") {
  const auto open_by = [](int tasks, Memory memory) {
    std::vector<int> have(static_cast<std::size_t>(tasks), 0);
    run_ranks(
        tasks, [&](Comm& comm) { have[static_cast<std::size_t>(comm.rank())] = Windows::open(comm, 64) != nullptr; },
        memory);
    return std::ranges::count(have, 1);
  };
  CHECK(open_by(3, Memory::shared) == 3);
  CHECK(open_by(1, Memory::shared) == 0);
  for (const Memory memory : {Memory::closed, Memory::by_three, Memory::open, Memory::unshared_by_one}) {
    CHECK(open_by(4, memory) == 0);
  }
}

TEST_CASE("windows: at once nobody has more than half of the memory that is left, when touched they have") {
  const auto open_as = [](Windows::Memory kind) {
    std::vector<int> have(2, 0);
    const std::uint64_t left = available_memory_bytes();
    run_ranks(
        2,
        [&](Comm& comm) { have[static_cast<std::size_t>(comm.rank())] = Windows::open(comm, left, kind) != nullptr; },
        Memory::shared);
    return std::ranges::count(have, 1);
  };
  CHECK(open_as(Windows::Memory::at_once) == 0);
  CHECK(open_as(Windows::Memory::when_touched) == 2);
}

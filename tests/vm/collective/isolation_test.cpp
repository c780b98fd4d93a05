// Collectives among each other and beside point-to-point messages: nothing of one reaches the other.

#include <catch2/catch.hpp>
#include <numeric>

#include "support/thread_machine.hpp"
#include "vm/collective/collective_test.hpp"

using namespace nasvm;
using namespace nasvm::test;

namespace {

/// Every collective once, short and long, with results checked; roots and data depend on `salt`.
void run_every_collective(Comm& comm, std::size_t length, int salt) {
  const int ranks = comm.size();
  const Rank root = salt % ranks;
  const auto sum_of_ranks = ranks * (ranks - 1) / 2;
  const std::vector<int> own(length, comm.rank() + salt);
  std::vector<int> all(length * index(ranks));
  auto data = own;

  comm.barrier();
  comm.broadcast(data, root);
  expect(data == std::vector<int>(length, root + salt), "the root's data");
  data = own;
  comm.reduce(data, Sum{}, root);
  if (comm.rank() == root) expect(data == std::vector<int>(length, sum_of_ranks + ranks * salt), "the reduced sum");
  data = own;
  comm.allreduce(data);
  expect(data == std::vector<int>(length, sum_of_ranks + ranks * salt), "the sum");
  data = own;
  comm.scan(data);
  const int before = comm.rank() * (comm.rank() + 1) / 2;
  expect(data == std::vector<int>(length, before + (comm.rank() + 1) * salt), "the prefix sum");
  comm.allgather(own, all);
  for (std::size_t i = 0; i < all.size(); ++i) expect(all[i] == static_cast<int>(i / length) + salt, "all blocks");
  std::vector<int> turned(all.size());
  comm.alltoall(all, turned);
  expect(turned == std::vector<int>(all.size(), comm.rank() + salt), "blocks for this rank");
  comm.gather(own, all, root);
  comm.scatter(all, data, root);
  expect(data == own, "the own block back from the root");
}

}  // namespace

TEST_CASE("collectives: follow each other without a barrier between", "[collective]") {
  for (const int ranks : rank_counts) {
    INFO("ranks " << ranks);
    REQUIRE_NOTHROW(run_ranks(ranks, [](Comm& comm) {
      for (int salt = 0; salt < 6; ++salt) run_every_collective(comm, salt % 3 == 2 ? 17'000 : 3, salt);
    }));
  }
}

TEST_CASE("collectives: work on parts of the machine, at the same time as on the whole", "[collective]") {
  for (const int ranks : rank_counts) {
    INFO("ranks " << ranks);
    REQUIRE_NOTHROW(run_ranks(ranks, [](Comm& comm) {
      // Ranks run backwards inside a part, so that ranks of the part and of the world never agree.
      const auto part = comm.split(comm.rank() % 3, -comm.rank());
      for (int salt = 0; salt < 4; ++salt) {
        run_every_collective(*part, salt % 2 == 0 ? 3 : 17'000, salt);
        run_every_collective(comm, 5, salt);
      }
    }));
  }
}

TEST_CASE("collectives: a receive of the user from anyone does not take their messages", "[collective]") {
  for (const int ranks : {2, 5, 8}) {
    INFO("ranks " << ranks);
    REQUIRE_NOTHROW(run_ranks(ranks, [](Comm& comm) {
      std::vector<int> received(100'000, -1);
      Request request = comm.irecv(received, any_source, any_tag);
      run_every_collective(comm, 3, 1);
      run_every_collective(comm, 17'000, 2);
      expect(!comm.test(request), "nothing received while nobody sent");
      comm.barrier();

      const Rank right = (comm.rank() + 1) % comm.size();
      const Rank left = (comm.rank() + comm.size() - 1) % comm.size();
      comm.send(std::vector<int>{comm.rank(), 42}, right, 3);
      const Status status = comm.wait(request);
      expect(status.source == left && status.tag == 3 && status.bytes == 2 * sizeof(int), "the left one's message");
      expect(received[0] == left && received[1] == 42, "the left one's data");
    }));
  }
}

TEST_CASE("collectives: leave messages of the user where they are", "[collective]") {
  for (const int ranks : {2, 5, 8}) {
    INFO("ranks " << ranks);
    REQUIRE_NOTHROW(run_ranks(ranks, [](Comm& comm) {
      constexpr int tags = 12;  // the tags that collectives use are among them
      const Rank right = (comm.rank() + 1) % comm.size();
      const Rank left = (comm.rank() + comm.size() - 1) % comm.size();
      for (int tag = 0; tag < tags; ++tag) comm.send(std::vector<int>{100 * comm.rank() + tag}, right, tag);
      run_every_collective(comm, 3, 1);
      run_every_collective(comm, 17'000, 2);
      for (int tag = tags - 1; tag >= 0; --tag) {
        std::vector<int> value(1);
        comm.recv(value, left, tag);
        expect(value[0] == 100 * left + tag, "the message with tag " + std::to_string(tag));
      }
    }));
  }
}

#include "harness/commands/p2p/collective/collective.hpp"

#include <catch2/catch.hpp>

#include <vector>

#include "support/thread_machine.hpp"

using namespace nasvm;
using test::run_ranks;

namespace {

/// What each rank says of one call at that size, after `spoil` has changed its buffers.
std::vector<int> right_after(const Collective& collective, int ranks, std::uint64_t bytes,
                             void (*spoil)(int rank, CollectiveBuffers&)) {
  std::vector<int> right(static_cast<std::size_t>(ranks));
  run_ranks(ranks, [&](Comm& comm) {
    CollectiveBuffers buffers = collective.make_buffers(bytes, ranks);
    collective.fill(comm, buffers);
    collective.call(comm, buffers);
    spoil(comm.rank(), buffers);
    right[static_cast<std::size_t>(comm.rank())] = collective.is_right(comm, buffers) ? 1 : 0;
  });
  return right;
}

void leave(int, CollectiveBuffers&) {}
void flip_last_byte_of_root(int rank, CollectiveBuffers& buffers) {
  if (rank == 0 && !buffers.in().empty()) buffers.in().back() ^= std::byte{1};
}

}  // namespace

TEST_CASE("collectives: every one of the table gives right results, for any number of tasks") {
  for (const Collective& collective : collectives()) {
    for (const int ranks : {1, 2, 3, 8}) {
      for (const std::uint64_t bytes : collective.sizes_among(std::vector<std::uint64_t>{8, 1000, 65536})) {
        CAPTURE(collective.name, ranks, bytes);
        CHECK(right_after(collective, ranks, bytes, leave) == std::vector<int>(static_cast<std::size_t>(ranks), 1));
      }
    }
  }
}

TEST_CASE("collectives: one wrong byte is noticed where it is") {
  for (const Collective& collective : collectives()) {
    if (collective.element_bytes == 0) continue;
    CAPTURE(collective.name);
    CHECK(right_after(collective, 3, 1000, flip_last_byte_of_root) == std::vector<int>{0, 1, 1});
  }
}

TEST_CASE("collectives: sizes are multiples of what they work on, and never 0 but for a barrier") {
  const std::vector<std::uint64_t> sizes{0, 1, 4, 8, 12, 16};
  using Sizes = std::vector<std::uint64_t>;
  CHECK(find_collective("barrier")->sizes_among(sizes) == Sizes{0});
  CHECK(find_collective("alltoall")->sizes_among(sizes) == Sizes{1, 4, 8, 12, 16});
  CHECK(find_collective("allreduce")->sizes_among(sizes) == Sizes{8, 16});
  CHECK(find_collective("gossip") == nullptr);
}

TEST_CASE("collectives: buffers have the sizes of the OSU programs") {
  CollectiveBuffers alltoall = find_collective("alltoall")->make_buffers(10, 4);
  CHECK(alltoall.out().size() == 40);
  CHECK(alltoall.in().size() == 40);
  CollectiveBuffers allgather = find_collective("allgather")->make_buffers(10, 4);
  CHECK(allgather.out().size() == 10);
  CHECK(allgather.in().size() == 40);
  CollectiveBuffers allreduce = find_collective("allreduce")->make_buffers(16, 4);
  CHECK(allreduce.out().empty());
  CHECK(allreduce.numbers().size() == 2);
}

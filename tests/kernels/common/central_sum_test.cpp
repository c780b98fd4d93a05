#include "kernels/common/central_sum.hpp"

#include <catch2/catch.hpp>

#include <vector>

#include "support/thread_machine.hpp"

using namespace nasvm;

TEST_CASE("central sum: all tasks get the sum in the order of ranks, with the messages that are derived") {
  const int tasks = GENERATE(1, 2, 3, 8, 17);
  CAPTURE(tasks);
  double expected = 0;
  for (int rank = 0; rank < tasks; ++rank) expected += 1.0 / (rank + 1);
  std::vector<double> sums(static_cast<std::size_t>(tasks));
  std::vector<PeerCounters> sent(sums.size());
  test::run_ranks(tasks, [&](Comm& comm) {
    const auto rank = static_cast<std::size_t>(comm.rank());
    const Counters before = comm.counters();
    sums[rank] = central_sum(comm, 1.0 / (comm.rank() + 1));
    sent[rank] = (comm.counters() - before).total();
  });
  collective::Cost cost;
  for (std::size_t rank = 0; rank < sums.size(); ++rank) {
    CHECK(sums[rank] == expected);  // to the bit
    cost = cost + collective::Cost{sent[rank].messages_sent, sent[rank].bytes_sent};
  }
  CHECK(cost == central_sum_cost(tasks));
}

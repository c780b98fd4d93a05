#include <atomic>
#include <catch2/catch.hpp>

#include "support/thread_machine.hpp"
#include "vm/collective/collective_test.hpp"

using namespace nasvm;
using namespace nasvm::test;

TEST_CASE("barrier: nobody leaves before everybody has come", "[collective]") {
  for (const int ranks : rank_counts) {
    INFO("ranks " << ranks);
    constexpr int rounds = 20;
    std::atomic<int> arrivals = 0;
    std::atomic<int> too_early = 0;
    run_ranks(ranks, [&](Comm& comm) {
      for (int round = 1; round <= rounds; ++round) {
        ++arrivals;
        comm.barrier();
        if (arrivals < round * ranks) ++too_early;
        comm.barrier();
      }
    });
    CHECK(arrivals == rounds * ranks);
    CHECK(too_early == 0);
  }
}

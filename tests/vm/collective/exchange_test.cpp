#include <catch2/catch.hpp>

#include "support/thread_machine.hpp"
#include "vm/collective/collective_test.hpp"

using namespace nasvm;
using namespace nasvm::test;

namespace {

Comm::Piece piece(Rank rank, std::vector<int>& values) { return {rank, std::as_writable_bytes(std::span(values))}; }

}  // namespace

TEST_CASE("exchange: every piece arrives at its place, in the order of each pair, those for oneself too",
          "[collective]") {
  for (const int ranks : rank_counts) {
    INFO("ranks " << ranks);
    std::vector<int> wrong(index(ranks), 0);
    run_ranks(ranks, [&](Comm& comm) {
      const Rank right = (comm.rank() + 1) % ranks;
      const Rank left = (comm.rank() + ranks - 1) % ranks;
      std::vector<int> first{comm.rank(), 1}, second{comm.rank(), 2, 2}, own{comm.rank(), 3}, none;
      const std::vector out{piece(right, first), piece(comm.rank(), own), piece(left, none), piece(right, second)};
      std::vector<int> from_first(2), from_second(3), from_self(2), from_nobody;
      std::vector in{piece(left, from_first), piece(right, from_nobody), piece(comm.rank(), from_self),
                     piece(left, from_second)};
      // A task alone is its own neighbour: what it sends itself comes in the order of the pieces.
      if (ranks == 1) in = {piece(0, from_first), piece(0, from_self), piece(0, from_second)};
      comm.exchange(out, in, sizeof(int));
      const bool right_values = from_first == std::vector{left, 1} && from_second == std::vector{left, 2, 2} &&
                                from_self == std::vector{comm.rank(), 3};
      wrong[index(comm.rank())] = right_values ? 0 : 1;
    });
    CHECK(wrong == std::vector<int>(index(ranks), 0));
  }
}

TEST_CASE("exchange: tasks that have no pieces in common need not call it", "[collective]") {
  int got = 0;
  run_ranks(4, [&](Comm& comm) {
    if (comm.rank() > 1) return;
    std::vector<int> value{comm.rank() + 7}, heard(1);
    const std::vector out{piece(1 - comm.rank(), value)};
    const std::vector in{piece(1 - comm.rank(), heard)};
    comm.exchange(out, in, sizeof(int));
    if (comm.rank() == 0) got = heard.front();
  });
  CHECK(got == 8);
}

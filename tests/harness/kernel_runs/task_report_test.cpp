#include "harness/kernel_runs/task_report.hpp"

#include <catch2/catch.hpp>

#include "vm/metrics/counters.hpp"

using namespace nasvm;

namespace {

/// Counters of a task that has sent so many bytes to each peer, none where it has sent nothing.
Counters counters_of(const std::vector<std::uint64_t>& bytes) {
  Counters counters;
  for (const std::uint64_t sent : bytes) counters.peers.push_back({sent, 0, sent > 0 ? 2U : 0U, 5});
  return counters;
}

}  // namespace

TEST_CASE("task report: names whom a task has sent to, by rank") {
  CHECK(pairs_from(1, counters_of({30, 0, 10, 20}), 16) ==
        std::vector<PairRecord>{{1, 0, 30, 2}, {1, 2, 10, 2}, {1, 3, 20, 2}});
}

TEST_CASE("task report: of more peers than it may name, those with the most bytes") {
  CHECK(pairs_from(0, counters_of({0, 10, 30, 20, 30}), 2) == std::vector<PairRecord>{{0, 2, 30, 2}, {0, 4, 30, 2}});
  CHECK(pairs_from(0, counters_of({0, 10, 30}), 0).empty());
}

TEST_CASE("task report: a run's pairs are bounded, and complete up to 256 tasks") {
  CHECK(most_peers_named(1) >= 1);
  CHECK(most_peers_named(256) == 256);
  CHECK(most_peers_named(512) == 128);
  CHECK(most_peers_named(4096) == 16);
}

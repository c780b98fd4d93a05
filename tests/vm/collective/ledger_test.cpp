#include "vm/collective/ledger.hpp"

#include <catch2/catch.hpp>
#include <complex>
#include <functional>

#include "vm/collective/costs.hpp"

using namespace nasvm;
using namespace nasvm::collective;

namespace {

/// What all ranks send, after checking that as much is received, and from whom it was sent.
Cost sum_over(int ranks, const std::function<Ledger::Traffic(Ledger&, Rank)>& traffic_of) {
  Cost sent;
  std::vector<std::vector<PeerCounters>> between(static_cast<std::size_t>(ranks),
                                                 std::vector<PeerCounters>(static_cast<std::size_t>(ranks)));
  for (Rank rank = 0; rank < ranks; ++rank) {
    Ledger ledger(rank, ranks);
    for (const auto& [peer, counters] : traffic_of(ledger, rank)) {
      sent = sent + Cost{counters.messages_sent, counters.bytes_sent};
      between[static_cast<std::size_t>(rank)][static_cast<std::size_t>(peer)] = counters;
    }
  }
  for (std::size_t a = 0; a < between.size(); ++a) {
    for (std::size_t b = 0; b < between.size(); ++b) {
      CHECK(between[a][b].messages_sent == between[b][a].messages_received);
      CHECK(between[a][b].bytes_sent == between[b][a].bytes_received);
    }
  }
  return sent;
}

Reduction sum_of_doubles(bool commutative = true) {
  Reduction op;
  op.operand_bytes = sizeof(double);
  op.element_bytes = sizeof(double);
  op.commutative = commutative;
  return op;
}

}  // namespace

TEST_CASE("the ledger agrees with the costs of every collective", "[collective]") {
  const int ranks = GENERATE(1, 2, 3, 5, 8);
  const std::size_t bytes = GENERATE(0U, 8U, 1000U * 8U, 50000U * 8U);
  const Rank root = ranks - 1;
  CAPTURE(ranks, bytes);
  CHECK(sum_over(ranks, [](Ledger& ledger, Rank) { return ledger.barrier(); }) == barrier_cost(ranks));
  CHECK(sum_over(ranks, [&](Ledger& ledger, Rank) { return ledger.broadcast(bytes, root, 8); }) ==
        broadcast_cost(ranks, bytes));
  for (const bool commutative : {true, false}) {
    const Reduction op = sum_of_doubles(commutative);
    CHECK(sum_over(ranks, [&](Ledger& ledger, Rank) { return ledger.reduce(bytes, op, root); }) ==
          reduce_cost(ranks, bytes, commutative, root));
    CHECK(sum_over(ranks, [&](Ledger& ledger, Rank) { return ledger.allreduce(bytes, op); }) ==
          allreduce_cost(ranks, bytes, commutative));
  }
  CHECK(sum_over(ranks, [&](Ledger& ledger, Rank) { return ledger.scan(bytes, sum_of_doubles()); }) ==
        scan_cost(ranks, bytes));
}

TEST_CASE("the ledger agrees with the costs of uneven blocks", "[collective]") {
  const int ranks = GENERATE(1, 2, 3, 5, 8);
  std::vector<std::size_t> bytes;
  for (int rank = 0; rank < ranks; ++rank) bytes.push_back(static_cast<std::size_t>(rank) * 7 % 5 * 800);
  CAPTURE(ranks);
  CHECK(sum_over(ranks, [&](Ledger& ledger, Rank) { return ledger.gatherv(bytes, 0); }) == gatherv_cost(bytes, 0));
  CHECK(sum_over(ranks, [&](Ledger& ledger, Rank) { return ledger.scatterv(bytes, 0); }) == scatterv_cost(bytes, 0));
  CHECK(sum_over(ranks, [&](Ledger& ledger, Rank) { return ledger.allgatherv(bytes, 8); }) == allgatherv_cost(bytes));
}

TEST_CASE("the ledger tells calls apart that differ in one argument", "[collective]") {
  Ledger ledger(0, 4);
  const auto bytes_sent = [](const Ledger::Traffic& traffic) {
    std::uint64_t sum = 0;
    for (const auto& [rank, counters] : traffic) sum += counters.bytes_sent;
    return sum;
  };
  CHECK(bytes_sent(ledger.broadcast(100, 0, 8)) == 200);
  CHECK(bytes_sent(ledger.broadcast(100, 1, 8)) == 0);
  CHECK(bytes_sent(ledger.broadcast(200, 0, 8)) == 400);
  CHECK(bytes_sent(ledger.broadcast(100, 0, 8)) == 200);
}

#include "vm/collective/costs.hpp"

#include <catch2/catch.hpp>
#include <functional>

#include "support/thread_machine.hpp"
#include "vm/collective/collective_test.hpp"

using namespace nasvm;
using namespace nasvm::test;
using collective::Cost;

namespace Catch {
template <>
struct StringMaker<Cost> {
  static std::string convert(const Cost& cost) {
    return std::to_string(cost.messages) + " messages, " + std::to_string(cost.bytes) + " bytes";
  }
};
}  // namespace Catch

namespace {

struct Traffic {
  Cost sent;
  Cost received;
};

/// What the counters of all ranks say about one call.
Traffic measured(int ranks, const std::function<void(Comm&)>& call) {
  std::vector<PeerCounters> totals(index(ranks));
  run_ranks(ranks, [&](Comm& comm) {
    const Counters before = comm.counters();
    call(comm);
    totals[index(comm.rank())] = (comm.counters() - before).total();
  });
  Traffic sum;
  for (const PeerCounters& total : totals) {
    sum.sent = sum.sent + Cost{total.messages_sent, total.bytes_sent};
    sum.received = sum.received + Cost{total.messages_received, total.bytes_received};
  }
  return sum;
}

void check(int ranks, Cost expected, const std::function<void(Comm&)>& call) {
  const Traffic traffic = measured(ranks, call);
  CHECK(traffic.sent == expected);
  CHECK(traffic.received == expected);
}

/// In doubles; on both sides of every choice of algorithm up to 17 ranks.
const std::vector<std::size_t> cost_lengths{0, 1, 7, 8191, 8192, 20'011};

std::size_t bytes_of_doubles(std::size_t length) { return length * sizeof(double); }

template <typename Body>
void for_each_case(const Body& body) {
  for (int ranks = 1; ranks <= 17; ++ranks) {
    for (const std::size_t length : cost_lengths) {
      INFO("ranks " << ranks << ", length " << length);
      body(ranks, length);
    }
  }
}

std::vector<std::size_t> in_bytes_of_doubles(std::vector<std::size_t> counts) {
  for (std::size_t& count : counts) count = bytes_of_doubles(count);
  return counts;
}

}  // namespace

TEST_CASE("costs: barrier", "[collective]") {
  for (int ranks = 1; ranks <= 17; ++ranks) {
    INFO("ranks " << ranks);
    check(ranks, collective::barrier_cost(ranks), [](Comm& comm) { comm.barrier(); });
  }
}

TEST_CASE("costs: broadcast", "[collective]") {
  for_each_case([](int ranks, std::size_t length) {
    check(ranks, collective::broadcast_cost(ranks, bytes_of_doubles(length)),
          [=](Comm& comm) { comm.broadcast(std::vector<double>(length), ranks / 2); });
  });
}

TEST_CASE("costs: reduce", "[collective]") {
  for_each_case([](int ranks, std::size_t length) {
    const Rank root = ranks / 2;
    check(ranks, collective::reduce_cost(ranks, bytes_of_doubles(length)),
          [=](Comm& comm) { comm.reduce(std::vector<double>(length), Sum{}, root); });
    check(ranks, collective::reduce_cost(ranks, bytes_of_doubles(length), false, root),
          [=](Comm& comm) { comm.reduce(affine_maps(comm.rank(), length), Compose{}, root); });
  });
}

TEST_CASE("costs: allreduce", "[collective]") {
  for_each_case([](int ranks, std::size_t length) {
    check(ranks, collective::allreduce_cost(ranks, bytes_of_doubles(length)),
          [=](Comm& comm) { comm.allreduce(std::vector<double>(length)); });
    check(ranks, collective::allreduce_cost(ranks, bytes_of_doubles(length), false),
          [=](Comm& comm) { comm.allreduce(affine_maps(comm.rank(), length), Compose{}); });
  });
}

TEST_CASE("costs: scan", "[collective]") {
  for_each_case([](int ranks, std::size_t length) {
    check(ranks, collective::scan_cost(ranks, bytes_of_doubles(length)),
          [=](Comm& comm) { comm.scan(std::vector<double>(length)); });
  });
}

TEST_CASE("costs: gather and scatter of equal blocks", "[collective]") {
  for_each_case([](int ranks, std::size_t length) {
    check(ranks, collective::gather_cost(ranks, bytes_of_doubles(length)), [=](Comm& comm) {
      std::vector<double> all(index(ranks) * length);
      comm.gather(std::vector<double>(length), all, ranks - 1);
    });
    check(ranks, collective::scatter_cost(ranks, bytes_of_doubles(length)), [=](Comm& comm) {
      std::vector<double> own(length);
      comm.scatter(std::vector<double>(index(ranks) * length), own, ranks - 1);
    });
  });
}

TEST_CASE("costs: allgather and alltoall of equal blocks", "[collective]") {
  for_each_case([](int ranks, std::size_t total) {
    const std::size_t length = total / index(ranks);
    check(ranks, collective::allgather_cost(ranks, bytes_of_doubles(length)), [=](Comm& comm) {
      std::vector<double> all(index(ranks) * length);
      comm.allgather(std::vector<double>(length), all);
    });
    check(ranks, collective::alltoall_cost(ranks, bytes_of_doubles(length)), [=](Comm& comm) {
      std::vector<double> all(index(ranks) * length);
      comm.alltoall(std::vector<double>(index(ranks) * length), all);
    });
  });
}

TEST_CASE("costs: gatherv, scatterv, allgatherv with uneven and empty blocks", "[collective]") {
  for (int ranks = 1; ranks <= 17; ++ranks) {
    for (const std::size_t scale : {0U, 3U, 4001U}) {
      INFO("ranks " << ranks << ", scale " << scale);
      const auto counts = uneven_counts(ranks, scale, 1);
      const auto bytes = in_bytes_of_doubles(counts);
      const Rank root = ranks / 2;
      const auto own = [&](const Comm& comm) { return std::vector<double>(counts[index(comm.rank())]); };
      const auto all = [&] { return std::vector<double>(sum_of(counts)); };
      check(ranks, collective::gatherv_cost(bytes, root),
            [&](Comm& comm) { comm.gatherv(own(comm), all(), counts, root); });
      check(ranks, collective::scatterv_cost(bytes, root),
            [&](Comm& comm) { comm.scatterv(all(), own(comm), counts, root); });
      check(ranks, collective::allgatherv_cost(bytes),
            [&](Comm& comm) { comm.allgatherv(own(comm), all(), counts); });
    }
  }
}

TEST_CASE("costs: alltoallv sends one message for each block that is not empty", "[collective]") {
  for (int ranks = 1; ranks <= 17; ++ranks) {
    INFO("ranks " << ranks);
    const auto count = [](Rank from, Rank to) { return (index(from) + 2 * index(to)) % 3; };
    Cost expected;
    for (Rank from = 0; from < ranks; ++from) {
      std::vector<std::size_t> out;
      for (Rank to = 0; to < ranks; ++to) out.push_back(bytes_of_doubles(count(from, to)));
      expected = expected + collective::alltoallv_cost(out, from);
    }
    check(ranks, expected, [&](Comm& comm) {
      std::vector<std::size_t> out_counts;
      std::vector<std::size_t> in_counts;
      for (Rank peer = 0; peer < ranks; ++peer) {
        out_counts.push_back(count(comm.rank(), peer));
        in_counts.push_back(count(peer, comm.rank()));
      }
      std::vector<double> in(sum_of(in_counts));
      comm.alltoallv(std::vector<double>(sum_of(out_counts)), out_counts, in, in_counts);
    });
  }
}

TEST_CASE("costs: split", "[collective]") {
  for (int ranks = 1; ranks <= 17; ++ranks) {
    INFO("ranks " << ranks);
    check(ranks, collective::split_cost(ranks), [](Comm& comm) { (void)comm.split(comm.rank() % 2, 0); });
  }
}

TEST_CASE("costs: up to three ranks an allgather goes straight to its place", "[collective]") {
  CHECK(collective::choose_allgather(3, 24) == collective::AllgatherAlgorithm::ring);
  CHECK(collective::choose_allgather(4, 24) == collective::AllgatherAlgorithm::bruck);
}

TEST_CASE("costs: long data in blocks that are short themselves is not cut", "[collective]") {
  CHECK(collective::choose_broadcast(32, 64 << 10) == collective::BroadcastAlgorithm::scatter_ring);
  CHECK(collective::choose_broadcast(33, 64 << 10) == collective::BroadcastAlgorithm::binomial);
  CHECK(collective::choose_allreduce(33, 64 << 10, true) == collective::AllreduceAlgorithm::recursive_doubling);
}

TEST_CASE("costs: known values", "[collective]") {
  CHECK(collective::barrier_cost(5) == Cost{15, 0});
  CHECK(collective::broadcast_cost(8, 100) == Cost{7, 700});
  CHECK(collective::broadcast_cost(4, 1 << 20) == Cost{12, 3 << 20});
  CHECK(collective::reduce_cost(8, 100) == Cost{7, 700});
  CHECK(collective::allreduce_cost(8, 8) == Cost{24, 192});
  CHECK(collective::allreduce_cost(6, 8) == Cost{12, 96});
  CHECK(collective::allreduce_cost(4, 1 << 20) == Cost{24, 6 << 20});
  CHECK(collective::allreduce_cost(4, 1 << 20, false) == Cost{8, 8 << 20});
  CHECK(collective::scan_cost(4, 8) == Cost{5, 40});
  CHECK(collective::allgather_cost(8, 16) == Cost{24, 8 * 7 * 16});
  CHECK(collective::allgather_cost(8, 1 << 20) == Cost{56, 56 << 20});
  CHECK(collective::alltoall_cost(8, 16) == Cost{56, 56 * 16});
}

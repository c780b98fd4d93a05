#include "vm/collective/through_slots.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <complex>
#include <functional>
#include <numeric>
#include <string>
#include <thread>

#include "support/packet_recorder.hpp"
#include "support/thread_machine.hpp"
#include "vm/collective/fold.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using namespace nasvm::test;
using namespace nasvm::collective;

namespace {

/// Of bytes: below and above the sizes of slots, and no whole numbers of them.
constexpr std::array<std::size_t, 7> lengths{8, 1000, 16'000, 70'000, 262'144, 1'000'000, 1'200'000};

void require(bool holds, const char* what) {
  if (!holds) throw RunError(what);
}

/// What all ranks have got and counted.
struct Outcome {
  std::vector<std::vector<double>> results;
  std::vector<Counters> counters;
};

Outcome outcome_of(int ranks, Memory memory, const std::function<void(Comm&, std::vector<double>&)>& body) {
  Outcome outcome{std::vector<std::vector<double>>(static_cast<std::size_t>(ranks)),
                  std::vector<Counters>(static_cast<std::size_t>(ranks))};
  run_ranks(
      ranks,
      [&](Comm& comm) {
        const auto rank = static_cast<std::size_t>(comm.rank());
        body(comm, outcome.results[rank]);
        outcome.counters[rank] = comm.counters();
      },
      memory);
  return outcome;
}

void check_equal(const Outcome& one, const Outcome& other) {
  CHECK(one.results == other.results);
  for (std::size_t rank = 0; rank < one.counters.size(); ++rank) {
    for (std::size_t peer = 0; peer < one.counters.size(); ++peer) {
      CAPTURE(rank, peer);
      const PeerCounters& a = one.counters[rank].peers[peer];
      const PeerCounters& b = other.counters[rank].peers[peer];
      CHECK(a.messages_sent == b.messages_sent);
      CHECK(a.messages_received == b.messages_received);
      CHECK(a.bytes_sent == b.bytes_sent);
      CHECK(a.bytes_received == b.bytes_received);
    }
  }
}

/// Whose sum depends on the order.
std::vector<double> vector_of(Rank rank, std::size_t bytes) {
  std::vector<double> values(bytes / sizeof(double));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = 1.0 / static_cast<double>(i * 8 + static_cast<std::size_t>(rank) + 1);
  }
  return values;
}

/// Keeps the right one: associative, and not commutative.
struct Last {
  static constexpr bool commutative = false;
  double operator()(double a, double b) const { return b == 0 ? a : b; }
};

void reductions(Comm& comm, std::vector<double>& results) {
  const auto keep = [&](const std::vector<double>& values) {
    results.insert(results.end(), values.begin(), values.end());
  };
  for (const std::size_t bytes : lengths) {
    auto values = vector_of(comm.rank(), bytes);
    comm.allreduce(values);
    keep(values);
    values = vector_of(comm.rank(), bytes);
    comm.allreduce(values, Last{});
    keep(values);
    for (const Rank root : {0, comm.size() - 1}) {
      values = vector_of(comm.rank(), bytes);
      comm.reduce(values, Sum{}, root);
      if (comm.rank() == root) keep(values);
      values = vector_of(comm.rank(), bytes);
      comm.reduce(values, Last{}, root);
      if (comm.rank() == root) keep(values);
    }
  }
}

void broadcasts_and_gathers(Comm& comm, std::vector<double>& results) {
  for (const std::size_t bytes : lengths) {
    for (Rank root = 0; root < comm.size(); ++root) {
      auto values = comm.rank() == root ? vector_of(root, bytes) : std::vector<double>(bytes / sizeof(double));
      comm.broadcast(values, root);
      require(values == vector_of(root, bytes), "wrong message");
      values.assign(values.size(), -1);  // nobody reads here any more
    }
    std::vector<std::size_t> counts;
    std::vector<double> expected;
    for (Rank rank = 0; rank < comm.size(); ++rank) {
      auto block = vector_of(rank, rank == 1 ? 0 : bytes / static_cast<std::size_t>(rank + 1));
      counts.push_back(block.size());
      expected.insert(expected.end(), block.begin(), block.end());
    }
    const auto count = counts[static_cast<std::size_t>(comm.rank())];
    std::vector<double> own = vector_of(comm.rank(), count * sizeof(double));
    std::vector<double> all(expected.size(), -1);
    comm.allgatherv(own, all, counts);
    require(all == expected, "wrong blocks");
    comm.barrier();
  }
  results.push_back(1);
}

}  // namespace

TEST_CASE("through slots: the same bits, and the same counts, as by messages", "[collective]") {
  const int ranks = GENERATE(2, 3, 5, 8);
  const auto body = GENERATE(reductions, broadcasts_and_gathers);
  CAPTURE(ranks);
  check_equal(outcome_of(ranks, Memory::shared, body), outcome_of(ranks, Memory::closed, body));
}

TEST_CASE("through slots: where one task cannot map the memory, all send messages", "[collective]") {
  const auto body = GENERATE(reductions, broadcasts_and_gathers);
  check_equal(outcome_of(4, Memory::unshared_by_one, body), outcome_of(4, Memory::closed, body));
}

TEST_CASE("through slots: a root that runs ahead overwrites nothing", "[collective]") {
  const std::size_t bytes = GENERATE(std::size_t{8}, std::size_t{5'000}, std::size_t{100'000}, std::size_t{700'000});
  run_ranks(
      3,
      [=](Comm& comm) {
        for (int call = 0; call < 300; ++call) {
          std::vector<double> values(bytes / sizeof(double), comm.rank() == 0 ? call : -1);
          if (comm.rank() == 1 && call % 50 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
          comm.broadcast(values);
          require(values.front() == call && values.back() == call, "overwritten");
          if (call % 7 == 0) require(comm.allreduce_value(1.0) == 3, "wrong sum");
          if (call % 11 == 0) comm.barrier();
        }
      },
      Memory::shared);
}

TEST_CASE("through slots: who cannot read the root's board is sent the message", "[collective]") {
  check_equal(outcome_of(5, Memory::shared_but_refused, broadcasts_and_gathers),
              outcome_of(5, Memory::closed, broadcasts_and_gathers));
}

TEST_CASE("through slots: a message goes by the root's board where that pays and it takes many steps",
          "[collective]") {
  const auto goes_by_board = [](int ranks, std::size_t bytes) {
    bool by_board = false;
    run_ranks(
        ranks,
        [&](Comm& comm) {
          auto data = comm.rank() == 1 ? pattern(bytes) : std::vector<std::byte>(bytes);
          comm.broadcast(data, 1);
          require(data == pattern(bytes), "wrong message");
          if (comm.rank() != 1) return;
          const auto board = comm.board(bytes);
          by_board = !board.empty() && std::ranges::equal(board, data);
        },
        Memory::shared);
    return by_board;
  };
  CHECK(goes_by_board(4, 1'200'000));
  CHECK_FALSE(goes_by_board(3, 1'200'000));
  CHECK_FALSE(goes_by_board(4, 1'048'576));
}

TEST_CASE("through slots: roots of boards that run ahead do not count each other's readers", "[collective]") {
  constexpr int ranks = 5;
  run_ranks(
      ranks,
      [=](Comm& comm) {
        std::vector<double> values(150'000);
        for (int call = 0; call < 100; ++call) {
          const Rank root = call % ranks;
          for (int i = 0; i < 200 && comm.rank() == (root + 2) % ranks; ++i) std::this_thread::yield();
          values.assign(values.size(), comm.rank() == root ? call : -1);
          comm.broadcast(values, root);
          require(values.front() == call && values.back() == call, "overwritten");
        }
      },
      Memory::shared);
}

TEST_CASE("through slots: members of parts of a Comm have memory of their own", "[collective]") {
  run_ranks(
      8,
      [](Comm& comm) {
        const auto part = comm.split(comm.rank() % 2, comm.rank());
        for (int call = 0; call < 100; ++call) {
          std::vector<double> values(600, comm.rank());
          part->allreduce(values);
          require(values.back() == (comm.rank() % 2 == 0 ? 12 : 16), "wrong sum of a part");
          values.assign(600, comm.rank());
          comm.allreduce(values);
          require(values.back() == 28, "wrong sum");
        }
      },
      Memory::shared);
}

TEST_CASE("through slots: which collectives go there", "[collective]") {
  CHECK(through_slots::suits_broadcast(3, 8));
  CHECK_FALSE(through_slots::suits_broadcast(2, 1 << 20));
  CHECK_FALSE(through_slots::suits_broadcast(8, 0));
  CHECK(through_slots::suits_allreduce(3, 8, 8));
  CHECK(through_slots::suits_allreduce(2, 32'768, 8));
  CHECK_FALSE(through_slots::suits_allreduce(2, 32 * 1024 - 8, 8));
  CHECK_FALSE(through_slots::suits_allreduce(1, 1 << 20, 8));
  CHECK_FALSE(through_slots::suits_allreduce(8, 1 << 20, Fold::most_operand_bytes + 1));
  CHECK(through_slots::suits_reduce(2, 1 << 20, 8));
  CHECK_FALSE(through_slots::suits_reduce(3, 1 << 20, 8));
  CHECK(through_slots::suits_allgather(3, std::array<std::size_t, 3>{0, 8, 0}));
  CHECK_FALSE(through_slots::suits_allgather(3, std::array<std::size_t, 3>{0, 0, 0}));
  CHECK_FALSE(through_slots::suits_allgather(2, std::array<std::size_t, 2>{8, 8}));
}

TEST_CASE("through slots: who calls another collective than the others, or with another length, is told",
          "[collective]") {
  using Body = std::function<void(Comm&)>;
  const auto message_of = [](int ranks, const Body& body) {
    try {
      run_ranks(
          ranks,
          [&](Comm& comm) {
            std::vector<double> values(8192);  // so long that the slots are there from now on
            comm.broadcast(values);
            comm.allreduce(values);
            body(comm);
          },
          Memory::shared);
    } catch (const RunError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  const auto values = [](std::size_t bytes) { return std::vector<double>(bytes / sizeof(double)); };
  const auto is_odd_one = [](Comm& comm) { return comm.rank() == comm.size() - 1; };

  const int ranks = GENERATE(3, 5);
  CAPTURE(ranks);
  using Catch::StartsWith;
  CHECK(message_of(ranks, [&](Comm& comm) {
          auto some = values(is_odd_one(comm) ? 16 : 8);
          comm.allreduce(some);
        }).starts_with("collectives do not match: rank "));
  // Of the same number of steps.
  const std::string lengths = message_of(ranks, [&](Comm& comm) {
    auto some = values(is_odd_one(comm) ? 1'001'000 : 1'000'000);
    comm.allreduce(some);
  });
  CHECK_THAT(lengths, Catch::Contains("an allreduce of 1000000 bytes") && Catch::Contains("of 1001000 bytes"));
  const std::string kinds = message_of(ranks, [&](Comm& comm) {
    if (is_odd_one(comm)) return comm.barrier();
    auto some = values(64);
    comm.allreduce(some);
  });
  CHECK_THAT(kinds, Catch::Contains("in a barrier") && Catch::Contains("in an allreduce of 64 bytes"));
  // Nobody can see how long the root's was once it has gone on, but for what lies there.
  const std::string root_gone_on = message_of(ranks, [&](Comm& comm) {
    auto some = values(comm.rank() == 0 ? 16 : 8);
    comm.broadcast(some);
    if (comm.rank() == 0) comm.barrier();
  });
  CHECK_THAT(root_gone_on, Catch::EndsWith("in a broadcast of 8 bytes from rank 0, rank 0 in a broadcast of 16 bytes "
                                           "from rank 0"));
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{1024}, std::size_t{40'000}, std::size_t{300'000}}) {
    CAPTURE(bytes);
    CHECK_THAT(message_of(ranks,
                          [&](Comm& comm) {
                            auto some = values(comm.rank() == 0 ? bytes + 8 : bytes);
                            comm.broadcast(some);
                          }),
               StartsWith("collectives do not match: rank "));
    CHECK_THAT(message_of(ranks,
                          [&](Comm& comm) {
                            std::vector<std::size_t> counts(static_cast<std::size_t>(ranks), bytes / sizeof(double));
                            if (is_odd_one(comm)) ++counts.front();
                            auto own = values(counts[static_cast<std::size_t>(comm.rank())] * sizeof(double));
                            std::vector<double> all(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
                            comm.allgatherv(own, all, counts);
                          }),
               StartsWith("collectives do not match: rank "));
  }
}

TEST_CASE("through slots: who awaits a root that awaits another one is told", "[collective]") {
  CHECK_THROWS_WITH(run_ranks(
                        3,
                        [](Comm& comm) {
                          std::vector<double> values(8192);
                          comm.broadcast(values);
                          comm.broadcast(values, comm.rank() == 1 ? 0 : 1);
                        },
                        Memory::shared),
                    Catch::StartsWith("collectives do not match: rank ") &&
                        Catch::Contains("a broadcast of 65536 bytes from rank 0") &&
                        Catch::Contains("a broadcast of 65536 bytes from rank 1"));
}

TEST_CASE("through slots: the two of a reduce must have the same length", "[collective]") {
  CHECK_THROWS_WITH(
      run_ranks(
          2,
          [](Comm& comm) {
            std::vector<double> values(comm.rank() == 0 ? 10'000 : 10'001);
            comm.reduce(values, Sum{});
          },
          Memory::shared),
      "collectives do not match: rank 0 is in a reduce of 80000 bytes to rank 0, rank 1 in a reduce of 80008 "
      "bytes to rank 0");
}

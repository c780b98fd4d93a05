#include "kernels/ft/fused/chunked_transpose.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <vector>

#include "kernels/ft/costs.hpp"
#include "kernels/ft/field.hpp"
#include "support/thread_machine.hpp"

using namespace nasvm;
using namespace nasvm::ft;

namespace {

double number(std::int64_t item, std::int64_t part, std::int64_t i) {
  return static_cast<double>(1000 * item + part) + static_cast<double>(i) / 128;
}

ChunkedTranspose::Make rows_of(const TransposeShape& shape, int round) {
  return [&shape, round](std::int64_t item, std::span<const RowTarget> targets) {
    for (std::size_t part = 0; part < targets.size(); ++part) {
      for (std::int64_t i = 0; i < shape.row_doubles; ++i) {
        targets[part].begin[i] = number(item, static_cast<std::int64_t>(part), i) + round;
      }
    }
  };
}

/// Says whether a row is not where it ought to be.
bool is_misplaced(const ChunkedTranspose& transpose, const TransposeShape& shape, const double* result, int round) {
  const Range parts = transpose.own_parts();
  for (std::int64_t item = 0; item < shape.items; ++item) {
    const double* row = result + transpose.place(item);
    for (std::int64_t part = parts.begin; part < parts.end; ++part, row += shape.row_doubles) {
      for (std::int64_t i = 0; i < shape.row_doubles; ++i) {
        if (row[i] != number(item, part, i) + round) return true;
      }
    }
  }
  return false;
}

/// Transposes twice, by messages.
int misplaced(Comm& comm, const TransposeShape& shape, int threads) {
  ChunkedTranspose transpose(comm, shape, threads);
  Field result((transpose.result_doubles() + 1) / 2);
  Field buffers((transpose.buffers_doubles() + 1) / 2);
  auto* const memory = reinterpret_cast<double*>(result.data());
  int wrong = 0;
  for (int round = 0; round < 2; ++round) {
    transpose.run(rows_of(shape, round), memory, reinterpret_cast<double*>(buffers.data()));
    if (is_misplaced(transpose, shape, memory, round)) ++wrong;
  }
  return wrong;
}

/// Four times, in place, into two results of each task in turns.
int misplaced_in_place(Comm& comm, const TransposeShape& shape, int threads,
                       std::vector<std::array<std::vector<double>, 2>>& memory) {
  ChunkedTranspose transpose(comm, shape, threads);
  const auto rank = static_cast<std::size_t>(comm.rank());
  for (auto& result : memory[rank]) result.resize(static_cast<std::size_t>(transpose.result_doubles()));
  comm.barrier();
  int wrong = 0;
  for (int round = 0; round < 4; ++round) {
    const std::size_t turn = round % 2;
    std::vector<double*> results;
    results.reserve(memory.size());
    for (auto& task : memory) results.push_back(task[turn].data());
    transpose.run_in_place(rows_of(shape, round), results);
    if (is_misplaced(transpose, shape, results[rank], round)) ++wrong;
  }
  return wrong;
}

}  // namespace

TEST_CASE("ft chunked transpose: every row arrives at its place, and as many messages as the formula says") {
  for (const int tasks : {1, 2, 3, 5, 8, 11, 17}) {
    for (const std::int64_t chunk : {1, 2, 3, 100}) {
      for (const int threads : {1, 2}) {
        const TransposeShape shape{13, 9, 16, chunk, threads == 1 ? 1000000 : 40};
        std::vector<int> wrong(static_cast<std::size_t>(tasks), 1);
        std::vector<PeerCounters> sent(static_cast<std::size_t>(tasks));
        nasvm::test::run_ranks(tasks, [&](Comm& comm) {
          const auto rank = static_cast<std::size_t>(comm.rank());
          wrong[rank] = misplaced(comm, shape, threads);
          sent[rank] = comm.counters().total();
        });
        collective::Cost total;
        for (const PeerCounters& task : sent) total = total + collective::Cost{task.messages_sent, task.bytes_sent};
        CHECK(wrong == std::vector<int>(wrong.size(), 0));
        CHECK(total == 2 * chunked_transpose_cost(shape, tasks));
      }
    }
  }
}

TEST_CASE("ft chunked transpose: in place rows arrive, too, and count as the same messages") {
  for (const int tasks : {2, 3, 5, 8, 9}) {
    for (const std::int64_t chunk : {1, 3, 100}) {
      for (const int threads : {1, 2}) {
        const TransposeShape shape{13, 9, 16, chunk, threads == 1 ? 1000000 : 40};
        std::vector<std::array<std::vector<double>, 2>> memory(static_cast<std::size_t>(tasks));
        std::vector<int> wrong(static_cast<std::size_t>(tasks), 1);
        std::vector<PeerCounters> sent(static_cast<std::size_t>(tasks));
        nasvm::test::run_ranks(tasks, [&](Comm& comm) {
          const auto rank = static_cast<std::size_t>(comm.rank());
          const PeerCounters before = comm.counters().total();
          wrong[rank] = misplaced_in_place(comm, shape, threads, memory);
          const PeerCounters after = comm.counters().total();
          sent[rank].messages_sent = after.messages_sent - before.messages_sent;
          sent[rank].bytes_sent = after.bytes_sent - before.bytes_sent;
        });
        collective::Cost total;
        for (const PeerCounters& task : sent) total = total + collective::Cost{task.messages_sent, task.bytes_sent};
        CHECK(wrong == std::vector<int>(wrong.size(), 0));
        CHECK(total == 4 * chunked_transpose_cost(shape, tasks) + collective::barrier_cost(tasks));
      }
    }
  }
}

TEST_CASE("ft chunked transpose: its bytes are those of one message for each pair") {
  for (const char name : {'S', 'W', 'A', 'B'}) {
    const Grid& grid = parameters(name).grid;
    for (int tasks = 1; tasks <= 17; ++tasks) {
      CHECK(chunked_transpose_cost(to_space_shape(grid, tasks, 1), tasks).bytes == transpose_cost(grid, tasks).bytes);
      CHECK(chunked_transpose_cost(to_frequency_shape(grid, tasks, 1), tasks).bytes ==
            transpose_cost(grid, tasks).bytes);
    }
  }
}

// Ranking with keys that move to the owners of their values.

#include <algorithm>
#include <numeric>
#include <vector>

#include "kernels/is/buckets.hpp"
#include "kernels/is/packing.hpp"
#include "kernels/is/ranking.hpp"

namespace nasvm::is {
namespace {

std::span<const Key> part_of(std::span<const Key> keys, int parts, int part) {
  const Range range = share(static_cast<std::int64_t>(keys.size()), parts, part);
  return keys.subspan(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.size()));
}

class MovingRanking final : public Ranking {
 public:
  MovingRanking(Comm& comm, const Parameters& problem, int threads)
      : comm_(comm),
        threads_(threads),
        tasks_(static_cast<std::size_t>(comm.size())),
        buckets_log2_(buckets_log2(problem, comm.size())),
        shift_(problem.max_key_log2 - buckets_log2_),
        max_key_(problem.max_key()),
        packers_(static_cast<std::size_t>(threads), KeyPacker(shift_, std::size_t{1} << buckets_log2_)),
        counters_(static_cast<std::size_t>(threads)) {}

  void rank(std::span<const Key> keys, TestValues& test_values) override {
    std::uint64_t smaller = 0;
    if (tasks_ == 1) {
      reset_counters({0, max_key_});
      count(keys);
    } else {
      const std::vector<std::uint64_t> bucket_counts = count_buckets(keys, test_values);
      owners_ = balanced_owners(bucket_counts, comm_.size());
      const Range mine = owned_buckets(owners_, comm_.rank());
      smaller = std::accumulate(bucket_counts.begin(), bucket_counts.begin() + mine.begin, std::uint64_t{0});
      reset_counters({mine.begin << shift_, mine.end << shift_});
      exchange(pack(keys));
      count(received_.span());
    }
    build_ranks(smaller);
  }

  const Ranks& ranks() const override { return ranks_; }
  Rank owner_of(Key key) const override { return tasks_ == 1 ? 0 : owners_[key >> shift_]; }
  void release_buffers() override {
    packed_.release();
    received_.release();
    counters_.clear();
  }

 private:
  void reset_counters(Range range) {
    range_ = range;
#pragma omp parallel for num_threads(threads_) schedule(static, 1)
    for (int thread = 0; thread < threads_; ++thread) counters_[static_cast<std::size_t>(thread)].reset(range);
  }

  void count(std::span<const Key> keys) {
#pragma omp parallel for num_threads(threads_) schedule(static, 1)
    for (int thread = 0; thread < threads_; ++thread) {
      counters_[static_cast<std::size_t>(thread)].count(part_of(keys, threads_, thread));
    }
  }

  /// Counts of all tasks' keys in each bucket; the test values come together in the same reduction.
  std::vector<std::uint64_t> count_buckets(std::span<const Key> keys, TestValues& test_values) {
#pragma omp parallel for num_threads(threads_) schedule(static, 1)
    for (int thread = 0; thread < threads_; ++thread) {
      packers_[static_cast<std::size_t>(thread)].count_buckets(part_of(keys, threads_, thread));
    }
    std::vector<std::uint64_t> counts(std::size_t{1} << buckets_log2_);
    for (const KeyPacker& packer : packers_) packer.add_counts_to(counts);
    counts.insert(counts.end(), test_values.begin(), test_values.end());
    comm_.allreduce(counts);
    std::copy_n(counts.end() - tests, tests, test_values.begin());
    counts.resize(counts.size() - tests);
    return counts;
  }

  /// Puts the keys for other tasks into packed_, in order of their owners; counts the own ones. Returns the number
  /// of keys for each task, zero for this one.
  std::vector<std::size_t> pack(std::span<const Key> keys) {
    std::vector<std::vector<std::size_t>> counts(packers_.size(), std::vector<std::size_t>(tasks_));
    std::vector<std::size_t> total(tasks_);
    for (std::size_t part = 0; part < packers_.size(); ++part) {
      packers_[part].add_owned_to(owners_, counts[part]);
      counts[part][static_cast<std::size_t>(comm_.rank())] = 0;
      for (std::size_t task = 0; task < tasks_; ++task) total[task] += counts[part][task];
    }
    packed_.reset(std::accumulate(total.begin(), total.end(), std::size_t{0}));

    std::vector<std::vector<Key*>> blocks(packers_.size(), std::vector<Key*>(tasks_));
    Key* next = packed_.data();
    for (std::size_t task = 0; task < tasks_; ++task) {
      for (std::size_t part = 0; part < packers_.size(); ++part) {
        blocks[part][task] = next;
        next += counts[part][task];
      }
    }
#pragma omp parallel for num_threads(threads_) schedule(static, 1)
    for (int thread = 0; thread < threads_; ++thread) {
      const auto part = static_cast<std::size_t>(thread);
      packers_[part].pack(part_of(keys, threads_, thread), owners_, comm_.rank(), blocks[part], counters_[part]);
    }
    return total;
  }

  void exchange(const std::vector<std::size_t>& out_counts) {
    std::vector<std::size_t> in_counts(tasks_);
    comm_.alltoall(out_counts, in_counts);
    received_.reset(std::accumulate(in_counts.begin(), in_counts.end(), std::size_t{0}));
    comm_.alltoallv(packed_.span(), out_counts, received_.span(), in_counts);
  }

  void build_ranks(std::uint64_t smaller) {
    std::vector<std::span<const std::uint8_t>> counts;
    std::vector<Key> wraps;
    for (const KeyCounter& counter : counters_) {
      counts.push_back(counter.counts());
      wraps.insert(wraps.end(), counter.wraps().begin(), counter.wraps().end());
    }
    ranks_.build(range_, smaller, counts, std::move(wraps), threads_);
  }

  Comm& comm_;
  int threads_;
  std::size_t tasks_;
  int buckets_log2_;
  int shift_;  ///< a key's bucket is key >> shift_
  std::int64_t max_key_;
  std::vector<KeyPacker> packers_;    ///< one for each thread
  std::vector<KeyCounter> counters_;  ///< one for each thread
  std::vector<Rank> owners_;          ///< of each bucket
  Range range_;                       ///< own key values
  Buffer<Key> packed_;
  Buffer<Key> received_;
  Ranks ranks_;
};

}  // namespace

std::unique_ptr<Ranking> ranking_by_moving_keys(Comm& comm, const Parameters& problem, int threads) {
  return std::make_unique<MovingRanking>(comm, problem, threads);
}

collective::Cost moving_cost(const Parameters& problem, int tasks) {
  if (tasks == 1) return {};
  const std::size_t reduced = (std::size_t{1} << buckets_log2(problem, tasks)) + tests;
  const auto all = static_cast<std::uint64_t>(tasks);
  const collective::Cost keys{all * (all - 1), static_cast<std::uint64_t>(problem.keys()) * sizeof(Key)};
  return collective::allreduce_cost(tasks, reduced * sizeof(std::uint64_t)) +
         collective::alltoall_cost(tasks, sizeof(std::size_t)) + keys;
}

std::uint64_t moving_memory_bytes(const Parameters& problem, int tasks, int threads) {
  const auto all = static_cast<std::uint64_t>(tasks);
  // The full verification is the peak: keys, keys received, and keys in order.
  const std::uint64_t keys = static_cast<std::uint64_t>(problem.keys()) * sizeof(Key) * (3 * all - 1) / all;
  const std::uint64_t bytes_per_value = static_cast<std::uint64_t>(threads) + 2 * sizeof(std::uint32_t);
  return keys + static_cast<std::uint64_t>(problem.max_key()) * bytes_per_value;
}

}  // namespace nasvm::is

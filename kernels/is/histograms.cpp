// Ranking by exchanging counts only: keys stay where they are.

#include <algorithm>
#include <numeric>
#include <vector>

#include "kernels/common/parallel.hpp"
#include "kernels/is/keys.hpp"
#include "kernels/is/ranking.hpp"
#include "kernels/is/verify.hpp"

namespace nasvm::is {
namespace {

using Counts = std::span<const std::uint8_t>;

class HistogramRanking final : public Ranking {
 public:
  HistogramRanking(Comm& comm, const Parameters& problem, int threads)
      : comm_(comm), problem_(problem), threads_(threads), counters_(static_cast<std::size_t>(threads)) {}

  TestRanks rank(std::span<const Key> keys, const HeldTests& held) override {
    TestValues test_values = held_test_values(keys, held);
    count(keys);
    if (comm_.size() == 1) {
      ranks_.build({0, problem_.max_key()}, 0, counters_, threads_);
      return ranks_in_range(ranks_, test_values);
    }
    merge_counters();
    const Totals totals = add_up_totals(test_values);
    exchange_counts();
    std::vector<Key> wraps = totals.wraps > 0 ? exchange_wraps() : std::vector<Key>{};
    const Range mine = range_of(comm_.rank());
    const auto width = static_cast<std::size_t>(mine.size());
    std::vector<Counts> counts;
    for (std::size_t task = 0; task < tasks(); ++task) {
      counts.push_back(received_.span().subspan(task * width, width));
    }
    ranks_.build(mine, totals.smaller, counts, std::move(wraps), threads_);
    return ranks_in_range(ranks_, test_values);
  }

  const Ranks& ranks() const override { return ranks_; }
  Rank owner_of(Key key) const override {
    // The inverse of share(): the first `extra` ranges have one value more than the others.
    const std::int64_t width = problem_.max_key() / comm_.size();
    const std::int64_t extra = problem_.max_key() % comm_.size();
    const std::int64_t beyond = static_cast<std::int64_t>(key) - extra * (width + 1);
    return static_cast<Rank>(beyond < 0 ? key / (width + 1) : extra + beyond / width);
  }
  std::optional<std::span<const std::uint32_t>> home_ranks() const override { return std::nullopt; }
  void release_buffers() override {
    received_.release();
    counters_.clear();
  }

 private:
  struct Totals {
    std::uint64_t smaller = 0;  ///< keys of all tasks below this task's range
    std::uint64_t wraps = 0;    ///< of all tasks
  };

  [[nodiscard]] std::size_t tasks() const { return static_cast<std::size_t>(comm_.size()); }
  [[nodiscard]] Range range_of(Rank owner) const { return share(problem_.max_key(), comm_.size(), owner); }

  /// This task's counts of the key values of `owner`.
  [[nodiscard]] Counts counts_for(Rank owner) const { return part_of(counters_.front().counts(), range_of(owner)); }

  void count(std::span<const Key> keys) {
    for_parts(threads_, [&](int thread) {
      KeyCounter& counter = counters_[static_cast<std::size_t>(thread)];
      counter.reset({0, problem_.max_key()});
      counter.count(part_of(keys, share(static_cast<std::int64_t>(keys.size()), threads_, thread)));
    });
  }

  /// The first thread's counter becomes that of the task.
  void merge_counters() {
    for (std::size_t other = 1; other < counters_.size(); ++other) {
      for_parts(threads_, [&](int thread) {
        counters_.front().add(counters_[other], share(problem_.max_key(), threads_, thread));
      });
    }
  }

  /// How many keys all tasks have in each range, in one reduction with the test values.
  Totals add_up_totals(TestValues& test_values) {
    std::vector<std::uint64_t> sums(tasks());
    for_parts(threads_, [&](int thread) {
      const Range owners = share(comm_.size(), threads_, thread);
      for (std::int64_t owner = owners.begin; owner < owners.end; ++owner) {
        const Counts counts = counts_for(static_cast<Rank>(owner));
        sums[static_cast<std::size_t>(owner)] = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
      }
    });
    for (const Key key : counters_.front().wraps()) sums[static_cast<std::size_t>(owner_of(key))] += 256;
    sums.insert(sums.end(), test_values.begin(), test_values.end());
    sums.push_back(counters_.front().wraps().size());
    comm_.allreduce(sums);
    std::copy_n(sums.begin() + comm_.size(), tests, test_values.begin());
    return {.smaller = std::accumulate(sums.begin(), sums.begin() + comm_.rank(), std::uint64_t{0}),
            .wraps = sums.back()};
  }

  void exchange_counts() {
    const auto width = static_cast<std::size_t>(range_of(comm_.rank()).size());
    const std::vector<std::size_t> in_counts(tasks(), width);
    std::vector<std::size_t> out_counts;
    for (Rank owner = 0; owner < comm_.size(); ++owner) out_counts.push_back(counts_for(owner).size());
    received_.reset(tasks() * width);
    comm_.alltoallv(counters_.front().counts(), out_counts, received_.span(), in_counts);
  }

  /// Every task's wraps of this task's key values.
  std::vector<Key> exchange_wraps() {
    std::vector<Key> out(counters_.front().wraps().begin(), counters_.front().wraps().end());
    std::sort(out.begin(), out.end());
    std::vector<std::size_t> out_counts(tasks());
    for (const Key key : out) ++out_counts[static_cast<std::size_t>(owner_of(key))];
    std::vector<std::size_t> in_counts(tasks());
    comm_.alltoall(out_counts, in_counts);
    std::vector<Key> in(std::accumulate(in_counts.begin(), in_counts.end(), std::size_t{0}));
    comm_.alltoallv(out, out_counts, in, in_counts);
    return in;
  }

  Comm& comm_;
  const Parameters problem_;
  int threads_;
  std::vector<KeyCounter> counters_;    ///< one for each thread, for all key values
  LargeBuffer<std::uint8_t> received_;  ///< counts of this task's key values by task
  Ranks ranks_;
};

}  // namespace

std::unique_ptr<Ranking> ranking_by_histograms(Comm& comm, const Parameters& problem, int threads) {
  return std::make_unique<HistogramRanking>(comm, problem, threads);
}

collective::Cost histogram_cost(const Parameters& problem, int tasks) {
  if (tasks == 1) return {};
  const auto others = static_cast<std::uint64_t>(tasks - 1);
  const auto ranges = static_cast<std::uint64_t>(std::min<std::int64_t>(tasks, problem.max_key()));
  const std::size_t reduced = static_cast<std::size_t>(tasks) + tests + 1;
  return collective::allreduce_cost(tasks, reduced * sizeof(std::uint64_t)) +
         collective::Cost{others * ranges, others * static_cast<std::uint64_t>(problem.max_key())};
}

std::uint64_t histogram_memory_bytes(const Parameters& problem, int tasks, int threads) {
  const auto all = static_cast<std::uint64_t>(tasks);
  const std::uint64_t bytes_per_value = all * static_cast<std::uint64_t>(threads) + all + 2 * sizeof(std::uint32_t);
  return verification_memory_bytes(problem, tasks) + static_cast<std::uint64_t>(problem.max_key()) * bytes_per_value;
}

}  // namespace nasvm::is

// Ranking as White, Alund and Sunderam describe it (section 4.4), in the version that they measured: no indices
// travel (section 5.2.4). An owner's ranks take the places of the keys that it was sent, and so come back in their
// order.

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "kernels/common/parallel.hpp"
#include "kernels/is/buckets.hpp"
#include "kernels/is/ranking.hpp"
#include "kernels/is/splitting.hpp"
#include "vm/status.hpp"

namespace nasvm::is {
namespace {

constexpr Rank root = 0;
enum ExchangeTag : Tag { counts_tag, keys_tag, ranks_tag };

/// How often a key value occurs, and a rank: 32 bits, as in the paper.
using Count = std::uint32_t;
static_assert(sizeof(Key) == sizeof(std::uint32_t));

/// Of each key value its owner, when owner r has the values from bounds[r] to bounds[r + 1].
std::vector<Rank> owners_between(std::span<const Key> bounds) {
  std::vector<Rank> owners(bounds.back());
  for (std::size_t owner = 0; owner + 1 < bounds.size(); ++owner) {
    std::fill(owners.begin() + bounds[owner], owners.begin() + bounds[owner + 1], static_cast<Rank>(owner));
  }
  return owners;
}

/// UsageError if a rank may be too large for a Count.
void check_ranks_fit(const Parameters& problem) {
  constexpr int rank_bits = 32;
  if (problem.keys_log2 <= rank_bits) return;
  throw UsageError(std::string("is: variant paper has ranks of 32 bits, too few for class ") + problem.letter +
                   "; tuned and histogram take it");
}

class PaperRanking final : public Ranking {
 public:
  PaperRanking(Comm& comm, const Parameters& problem, int threads)
      : comm_(comm),
        threads_(threads),
        most_keys_(static_cast<std::size_t>(largest_share(problem.keys(), comm.size()))),
        counters_(static_cast<std::size_t>(threads)),
        counts_(static_cast<std::size_t>(problem.max_key())),
        room_(tasks()),
        incoming_(tasks()),
        blocks_(tasks()) {}

  TestRanks rank(std::span<const Key> keys, const HeldTests& held) override {
    count_values(keys);
    agree_on_owners();
    pack(keys);
    exchange_keys();
    ranks_.build(range_, smaller_keys(), counters_, threads_);
    return_ranks();
    bring_home(keys);

    TestRanks known;
    for (std::size_t test = 0; test < tests; ++test) {
      if (const auto place = held[test]) known[test] = home_ranks_[*place];
    }
    return known;
  }

  const Ranks& ranks() const override { return ranks_; }
  Rank owner_of(Key key) const override { return owners_.of(key); }
  std::optional<std::span<const std::uint32_t>> home_ranks() const override { return home_ranks_.span(); }
  void release_buffers() override {
    packed_.release();
    for (auto& room : room_) room.release();
    counters_.clear();
  }

 private:
  [[nodiscard]] std::size_t tasks() const { return static_cast<std::size_t>(comm_.size()); }
  [[nodiscard]] std::size_t self() const { return static_cast<std::size_t>(comm_.rank()); }
  /// The task that many ranks before this one.
  [[nodiscard]] std::size_t before(int distance) const {
    return static_cast<std::size_t>((comm_.rank() + comm_.size() - distance) % comm_.size());
  }

  /// Adds keys to the counters; each thread its share.
  void count(std::span<const Key> keys) {
    for_parts(threads_, [&](int thread) {
      const Range part = share(static_cast<std::int64_t>(keys.size()), threads_, thread);
      counters_[static_cast<std::size_t>(thread)].count(part_of(keys, part));
    });
  }
  void reset_counters(Range range) {
    for_parts(threads_, [&](int thread) { counters_[static_cast<std::size_t>(thread)].reset(range); });
  }

  /// The paper's `distribution`: how many of this task's keys have each value.
  void count_values(std::span<const Key> keys) {
    const auto values = static_cast<std::int64_t>(counts_.size());
    reset_counters({0, values});
    count(keys);
    for_parts(threads_, [&](int thread) {
      const std::span<Count> sums = part_of<Count>(counts_, share(values, threads_, thread));
      std::fill(sums.begin(), sums.end(), 0);
      for (const KeyCounter& counter : counters_) {
        const auto more = part_of(counter.counts(), share(values, threads_, thread));
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += more[i];
      }
    });
    for (const KeyCounter& counter : counters_) {
      for (const Key key : counter.wraps()) counts_[key] += 256;
    }
  }

  /// The root divides the values by all tasks' counts; everyone learns all ranges.
  void agree_on_owners() {
    std::vector<Key> bounds(tasks() + 1);
    if (comm_.rank() == root) bounds = balanced_bounds();
    else comm_.send(counts_, root, counts_tag);
    comm_.broadcast(bounds, root);
    owners_ = KeyOwners(owners_between(bounds), 0, comm_.size());
    range_ = owners_.range(comm_.rank());
  }

  /// At the root: ranges with about the same number of keys.
  std::vector<Key> balanced_bounds() {
    std::vector<std::uint64_t> sums(counts_.begin(), counts_.end());
    std::vector<Count> others(counts_.size());
    for (Rank rank = 1; rank < comm_.size(); ++rank) {
      comm_.recv(others, rank, counts_tag);
      for (std::size_t value = 0; value < sums.size(); ++value) sums[value] += others[value];
    }
    const KeyOwners owners(balanced_owners(sums, comm_.size()), 0, comm_.size());
    return {owners.bounds().begin(), owners.bounds().end()};
  }

  /// Puts this task's keys in blocks, one for each owner, in rank order.
  void pack(std::span<const Key> keys) {
    packed_.reset(keys.size());
    std::vector<Key*> next(tasks());
    std::size_t begin = 0;
    for (std::size_t owner = 0; owner < tasks(); ++owner) {
      const auto counts = part_of<const Count>(counts_, owners_.range(static_cast<Rank>(owner)));
      const std::size_t size = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
      blocks_[owner] = packed_.span().subspan(begin, size);
      next[owner] = blocks_[owner].data();
      begin += size;
    }
    split_plain(keys, owners_, next);
  }

  /// Starts to receive into in[r] from each other task r, the next lower one first, and to send it out[r]. Always a
  /// message, also where there is no key.
  void start_exchange(std::span<const std::span<Key>> out, std::span<const std::span<Key>> in, ExchangeTag tag) {
    receives_.clear();
    sends_.clear();
    for (int distance = 1; distance < comm_.size(); ++distance) {
      const std::size_t from = before(distance);
      receives_.push_back(comm_.irecv(in[from], static_cast<Rank>(from), tag));
    }
    for (int distance = 1; distance < comm_.size(); ++distance) {
      const std::size_t to = before(comm_.size() - distance);
      sends_.push_back(comm_.isend(out[to], static_cast<Rank>(to), tag));
    }
  }

  /// Keys to their owners, who count what comes while the rest is on its way.
  void exchange_keys() {
    for (int distance = 1; distance < comm_.size(); ++distance) {
      auto& room = room_[before(distance)];
      room.reset(most_keys_);
      incoming_[before(distance)] = room.span();
    }
    start_exchange(blocks_, incoming_, keys_tag);
    reset_counters(range_);
    count(blocks_[self()]);
    for (int distance = 1; distance < comm_.size(); ++distance) {
      const Status status = comm_.wait(receives_[static_cast<std::size_t>(distance - 1)]);
      std::span<Key>& incoming = incoming_[before(distance)];
      incoming = incoming.first(status.bytes / sizeof(Key));
      count(incoming);
    }
    comm_.wait_all(sends_);
  }

  /// Every owner tells every other how many keys it has; the sum of the lower ones' is where its ranks begin.
  std::uint64_t smaller_keys() {
    std::uint64_t owned = blocks_[self()].size();
    for (int distance = 1; distance < comm_.size(); ++distance) owned += incoming_[before(distance)].size();
    const std::vector<std::uint64_t> mine(tasks(), owned);
    std::vector<std::uint64_t> all(tasks());
    comm_.alltoall(mine, all);
    return std::accumulate(all.begin(), all.begin() + comm_.rank(), std::uint64_t{0});
  }

  /// Ranks to the holders of the keys, into the blocks that the keys were sent from.
  void return_ranks() {
    replace_by_ranks(blocks_[self()]);
    for (int distance = 1; distance < comm_.size(); ++distance) replace_by_ranks(incoming_[before(distance)]);
    start_exchange(incoming_, blocks_, ranks_tag);
    comm_.wait_all(receives_);
    comm_.wait_all(sends_);
  }

  void replace_by_ranks(std::span<Key> keys) {
    for_parts(threads_, [&](int thread) {
      const Range part = share(static_cast<std::int64_t>(keys.size()), threads_, thread);
      for (Key& key : part_of(keys, part)) key = static_cast<std::uint32_t>(ranks_[key]);
    });
  }

  /// From the blocks to the order of the keys: the next key of an owner has that owner's next rank.
  void bring_home(std::span<const Key> keys) {
    home_ranks_.reset(keys.size());
    std::vector<const std::uint32_t*> next(tasks());
    std::ranges::transform(blocks_, next.begin(), [](std::span<Key> block) { return block.data(); });
    for (std::size_t i = 0; i < keys.size(); ++i) {
      home_ranks_[i] = *next[static_cast<std::size_t>(owners_.of(keys[i]))]++;
    }
  }

  Comm& comm_;
  int threads_;
  std::size_t most_keys_;             ///< that a task holds
  std::vector<KeyCounter> counters_;  ///< one for each thread
  std::vector<Count> counts_;         ///< by key value
  KeyOwners owners_;
  Range range_;              ///< own key values
  LargeBuffer<Key> packed_;  ///< the blocks' memory
  std::vector<LargeBuffer<Key, Pages::usual>>
      room_;                              ///< for any other task's keys; what no key comes to is never touched
  std::vector<std::span<Key>> incoming_;  ///< by task: keys that it sent, afterwards their ranks
  std::vector<std::span<Key>> blocks_;    ///< by owner: keys of this task, afterwards their ranks
  std::vector<Request> receives_;         ///< by distance of the sender, which is a lower rank
  std::vector<Request> sends_;
  LargeBuffer<std::uint32_t> home_ranks_;
  Ranks ranks_;
};

}  // namespace

std::unique_ptr<Ranking> ranking_as_in_paper(Comm& comm, const Parameters& problem, int threads) {
  check_ranks_fit(problem);
  return std::make_unique<PaperRanking>(comm, problem, threads);
}

collective::Cost paper_cost(const Parameters& problem, int tasks) {
  check_ranks_fit(problem);
  if (tasks == 1) return {};
  const auto all = static_cast<std::uint64_t>(tasks);
  const collective::Cost keys_or_ranks{all * (all - 1), static_cast<std::uint64_t>(problem.keys()) * sizeof(Key)};
  return collective::gather_cost(tasks, static_cast<std::size_t>(problem.max_key()) * sizeof(Count)) +
         collective::broadcast_cost(tasks, (all + 1) * sizeof(Key)) +
         collective::alltoall_cost(tasks, sizeof(std::uint64_t)) + 2 * keys_or_ranks;
}

std::uint64_t paper_memory_bytes(const Parameters& problem, int tasks, int threads) {
  check_ranks_fit(problem);
  const auto all = static_cast<std::uint64_t>(tasks);
  const auto keys = static_cast<std::uint64_t>(problem.keys());
  const std::uint64_t moved = keys * (all - 1) / all;
  // A ranking has keys, blocks, what comes, and ranks; the final check keys and ranks, and what moves of both twice.
  const std::uint64_t words = std::max(3 * keys + moved, 2 * keys + 3 * moved);
  // For each value, every task has counts and the owner, the root 64-bit sums, another task's counts and the owner.
  const std::uint64_t of_task = static_cast<std::uint64_t>(threads) + sizeof(Count) + sizeof(Rank);
  constexpr std::uint64_t of_root = sizeof(std::uint64_t) + sizeof(Count) + sizeof(Rank);
  return words * sizeof(Key) +
         static_cast<std::uint64_t>(problem.max_key()) * (all * of_task + of_root + sizeof(Count));
}

}  // namespace nasvm::is

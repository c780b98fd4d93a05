// Ranking with keys that move to the owners of their values.

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "kernels/common/caches.hpp"
#include "kernels/common/parallel.hpp"
#include "kernels/common/trial.hpp"
#include "kernels/is/buckets.hpp"
#include "kernels/is/choices.hpp"
#include "kernels/is/keys.hpp"
#include "kernels/is/packing.hpp"
#include "kernels/is/ranking.hpp"
#include "kernels/is/splitting.hpp"
#include "kernels/is/sum_before.hpp"
#include "kernels/is/verify.hpp"
#include "vm/windows.hpp"

namespace nasvm::is {
namespace {

std::span<const Key> share_of(std::span<const Key> keys, int parts, int part) {
  return part_of(keys, share(static_cast<std::int64_t>(keys.size()), parts, part));
}

/// Keys of all tasks together that decide who owns which values, as far as there are so many, and the fewest of each
/// task. A border between two owners is off by half the root of that number, 0.2 % of all keys.
constexpr std::size_t sampled_keys = std::size_t{1} << 16;
constexpr std::size_t fewest_sampled_keys_of_task = std::size_t{1} << 12;

/// What is added up over all tasks: counts of samples and key values. Both fit, and half as much is sent as of 64
/// bits.
using Reduced = std::uint32_t;

int rounds_of(const Parameters& problem, int tasks, std::int64_t round_keys) {
  return static_cast<int>((largest_share(problem.keys(), tasks) + round_keys - 1) / round_keys);
}

std::vector<KeyPacker> make_packers(std::size_t count) {
  const std::size_t chunk_keys = chunk_keys_for(caches_here().front().bytes);
  std::vector<KeyPacker> packers;
  packers.reserve(count);
  while (packers.size() < count) packers.emplace_back(chunk_keys);
  return packers;
}

class MovingRanking final : public Ranking {
 public:
  MovingRanking(Comm& comm, const Parameters& problem, int threads, std::int64_t round_keys)
      : comm_(comm),
        threads_(threads),
        buckets_log2_(buckets_log2(problem, comm.size())),
        shift_(problem.max_key_log2 - buckets_log2_),
        max_key_(problem.max_key()),
        rounds_(rounds_of(problem, comm.size(), round_keys)),
        most_keys_in_block_(static_cast<std::size_t>(
            largest_share(largest_share(largest_share(problem.keys(), comm.size()), rounds_), threads))),
        packers_(make_packers(2 * static_cast<std::size_t>(threads))),
        counters_(static_cast<std::size_t>(threads)),
        windows_(open_windows()) {
    if (windows_ == nullptr) return;
    for (std::size_t packer = 0; packer < packers_.size(); ++packer) {
      packers_[packer].use(placed_blocks(comm.rank(), packer));
    }
  }

  TestRanks rank(std::span<const Key> keys, const HeldTests& held) override {
    TestValues test_values = held_test_values(keys, held);
    if (comm_.size() == 1) {
      reset_counters({0, max_key_});
      count(keys);
      ranks_.build(range_, 0, counters_, threads_);
      return ranks_in_range(ranks_, test_values);
    }
    choose_owners(keys, test_values);
    reset_counters(owners_.range(comm_.rank()));
    for (int round = 0; round < rounds_; ++round) exchange(share_of(keys, rounds_, round), round % 2);
    for (std::vector<Request>& sends : sends_) comm_.wait_all(sends);
    ranks_.build(range_, smaller_keys(keys.size()), counters_, threads_);
    return ranks_in_range(ranks_, test_values);
  }

  /// Where others read what is packed, a ranking in either way is tried, in turns: which one is faster depends on how
  /// far their cores are from each other.
  void warm_up(std::span<const Key> keys, const HeldTests& held) override {
    (void)rank(keys, held);
    choices_ = choices_of_run(comm_.size());
    if (windows_ == nullptr) {
      if (comm_.size() > 1) choices_.push_back(untried_packing());
      return;
    }
    using enum KeyPacker::Way;
    Trial of_straight;
    Trial of_past_cache;
    for (const KeyPacker::Way way : {straight, past_cache, straight, past_cache, straight, past_cache}) {
      go(way);
      comm_.barrier();
      (way == straight ? of_straight : of_past_cache).run([&] { (void)rank(keys, held); });
    }
    // Of the task that takes longest, the same on all.
    std::array<double, 2> times{of_straight.shortest_s(), of_past_cache.shortest_s()};
    comm_.allreduce(times, Max{});
    const PackingTimes tried{times[0], times[1]};
    go(faster_packing(tried));
    choices_.push_back(tried_packing(tried));
  }
  TuningChoices choices() const override { return choices_; }

  const Ranks& ranks() const override { return ranks_; }
  Rank owner_of(Key key) const override { return comm_.size() == 1 ? 0 : owners_.of(key); }
  std::optional<std::span<const std::uint32_t>> home_ranks() const override { return std::nullopt; }
  void release_buffers() override {
    for (KeyPacker& packer : packers_) packer.release();
    for (auto& received : received_) received.release();
    counters_.clear();
    windows_.reset();
  }

 private:
  /// Where others count this task's keys in the memory that they are packed into. It is packed into again two rounds
  /// later, or in the next ranking: when blocks of the round between have come from all, or the next reduction has,
  /// all have counted what was there.
  std::unique_ptr<Windows> open_windows() {
    const std::size_t keys = packers_.size() * static_cast<std::size_t>(comm_.size()) * block_room();
    return Windows::open(comm_, keys * sizeof(Key), Windows::Memory::when_touched);
  }
  /// Whole cache lines.
  [[nodiscard]] std::size_t block_room() const {
    return (most_keys_in_block_ + overshoot_keys + line_keys - 1) / line_keys * line_keys;
  }
  /// What that packer of that task packs into: a block for each owner.
  [[nodiscard]] std::span<Key> placed_blocks(Rank task, std::size_t packer) const {
    const std::size_t keys = static_cast<std::size_t>(comm_.size()) * block_room();
    return {reinterpret_cast<Key*>(windows_->of(task).data()) + packer * keys, keys};
  }

  void go(KeyPacker::Way way) {
    for (KeyPacker& packer : packers_) packer.go(way);
  }

  void reset_counters(Range range) {
    range_ = range;
    for_parts(threads_, [&](int thread) { counters_[static_cast<std::size_t>(thread)].reset(range); });
  }

  void count(std::span<const Key> keys) {
    for_parts(threads_, [&](int thread) {
      counters_[static_cast<std::size_t>(thread)].count(share_of(keys, threads_, thread));
    });
  }

  /// Divides the key values among the tasks by a sample of all tasks' keys; the test values come together in the same
  /// reduction.
  void choose_owners(std::span<const Key> keys, TestValues& test_values) {
    const auto wanted = std::max(sampled_keys / static_cast<std::size_t>(comm_.size()), fewest_sampled_keys_of_task);
    std::vector<Reduced> sums = sample_buckets(keys, shift_, std::size_t{1} << buckets_log2_, wanted);
    sums.insert(sums.end(), test_values.begin(), test_values.end());
    comm_.allreduce(sums);
    const auto end_of_counts = sums.end() - tests;
    std::copy(end_of_counts, sums.end(), test_values.begin());
    const std::vector<std::uint64_t> counts(sums.begin(), end_of_counts);
    owners_ = KeyOwners(balanced_owners(counts, comm_.size()), shift_, comm_.size());
  }

  /// One round: packs some keys, sends them, and receives and counts the others' keys of this round. The sends are
  /// waited for in the round after next, which uses the same packers.
  void exchange(std::span<const Key> keys, int parity) {
    std::vector<Request>& sends = sends_[static_cast<std::size_t>(parity)];
    comm_.wait_all(sends);
    sends.clear();
    const auto packers_of_round = static_cast<std::size_t>(threads_);
    const std::span packers =
        std::span(packers_).subspan(static_cast<std::size_t>(parity) * packers_of_round, packers_of_round);
    for_parts(threads_, [&](int thread) {
      const auto index = static_cast<std::size_t>(thread);
      packers[index].pack(share_of(keys, threads_, thread), owners_, comm_.rank(), counters_[index]);
    });
    for (int distance = 1; distance < comm_.size(); ++distance) {
      const Rank to = (comm_.rank() + distance) % comm_.size();
      for (std::size_t block = 0; block < packers.size(); ++block) {
        const std::span<const Key> keys_of_block = packers[block].block(to);
        const auto tag = static_cast<Tag>(block);
        sent_keys_ += keys_of_block.size();
        sends.push_back(windows_ ? comm_.isend_placed(keys_of_block.size_bytes(), to, tag)
                                 : comm_.isend(keys_of_block, to, tag));
      }
    }
    receive_blocks(parity);
  }

  /// Receives the blocks of a round, task by task, and counts each while the next is on its way.
  void receive_blocks(int parity) {
    const int blocks = (comm_.size() - 1) * threads_;
    std::array<Request, 2> receives;
    receives[0] = receive_block(0);
    for (int block = 0; block < blocks; ++block) {
      if (block + 1 < blocks) receives[static_cast<std::size_t>((block + 1) % 2)] = receive_block(block + 1);
      const Status status = comm_.wait(receives[static_cast<std::size_t>(block % 2)]);
      const std::span<const Key> keys = received_block(block, parity).first(status.bytes / sizeof(Key));
      received_keys_ += keys.size();
      count(keys);
    }
  }

  /// Of one block of a round: number b mod threads of the task at distance b / threads + 1.
  [[nodiscard]] Rank sender_of(int block) const {
    return (comm_.rank() + comm_.size() - 1 - block / threads_) % comm_.size();
  }
  Request receive_block(int block) {
    const Tag tag = block % threads_;
    if (windows_) return comm_.irecv_placed(most_keys_in_block_ * sizeof(Key), sender_of(block), tag);
    auto& received = received_[static_cast<std::size_t>(block % 2)];
    received.reset(most_keys_in_block_);
    return comm_.irecv(received.span(), sender_of(block), tag);
  }
  /// Where it is when it has come.
  [[nodiscard]] std::span<const Key> received_block(int block, int parity) const {
    if (!windows_) return received_[static_cast<std::size_t>(block % 2)].span();
    const int packer = parity * threads_ + block % threads_;
    return placed_blocks(sender_of(block), static_cast<std::size_t>(packer))
        .subspan(static_cast<std::size_t>(comm_.rank()) * block_room());
  }

  /// The number of keys of all tasks below this task's range. Collective.
  std::uint64_t smaller_keys(std::size_t held_keys) {
    const std::uint64_t owned = held_keys - sent_keys_ + received_keys_;
    sent_keys_ = received_keys_ = 0;
    return sum_before(comm_, owned);
  }

  Comm& comm_;
  int threads_;
  int buckets_log2_;
  int shift_;  ///< a key's bucket is key >> shift_
  std::int64_t max_key_;
  int rounds_;
  std::size_t most_keys_in_block_;
  std::vector<KeyPacker> packers_;             ///< one for each thread, and as many again for every second round
  std::vector<KeyCounter> counters_;           ///< one for each thread
  std::array<std::vector<Request>, 2> sends_;  ///< of the last two rounds
  std::unique_ptr<Windows> windows_;           ///< null: keys travel
  std::array<LargeBuffer<Key, Pages::usual>, 2> received_;
  std::uint64_t sent_keys_ = 0;  ///< in this ranking
  std::uint64_t received_keys_ = 0;
  KeyOwners owners_;
  Range range_;  ///< own key values
  Ranks ranks_;
  TuningChoices choices_;
};

}  // namespace

std::unique_ptr<Ranking> ranking_by_moving_keys(Comm& comm, const Parameters& problem, int threads) {
  return ranking_in_rounds(comm, problem, threads, default_round_keys(comm.size()));
}

std::unique_ptr<Ranking> ranking_in_rounds(Comm& comm, const Parameters& problem, int threads,
                                           std::int64_t round_keys) {
  return std::make_unique<MovingRanking>(comm, problem, threads, round_keys);
}

std::int64_t default_round_keys(int tasks) {
  constexpr std::int64_t least = std::int64_t{1} << 19;
  constexpr std::int64_t for_each_task = std::int64_t{1} << 17;
  constexpr int most_tasks = 16;
  return std::max(least, std::min(tasks, most_tasks) * for_each_task);
}

collective::Cost moving_cost(const Parameters& problem, int tasks, int threads) {
  if (tasks == 1) return {};
  const std::size_t reduced = (std::size_t{1} << buckets_log2(problem, tasks)) + tests;
  const auto pairs = static_cast<std::uint64_t>(tasks) * static_cast<std::uint64_t>(tasks - 1);
  const int rounds = rounds_of(problem, tasks, default_round_keys(tasks));
  const auto blocks_of_pair = static_cast<std::uint64_t>(rounds * threads);
  const collective::Cost keys{blocks_of_pair * pairs, static_cast<std::uint64_t>(problem.keys()) * sizeof(Key)};
  return collective::allreduce_cost(tasks, reduced * sizeof(Reduced)) + keys +
         collective::scan_cost(tasks, sizeof(std::uint64_t));
}

std::uint64_t moving_memory_bytes(const Parameters& problem, int tasks, int threads) {
  const std::uint64_t bytes_per_value = static_cast<std::uint64_t>(threads) + 2 * sizeof(std::uint32_t);
  return verification_memory_bytes(problem, tasks) + static_cast<std::uint64_t>(problem.max_key()) * bytes_per_value;
}

}  // namespace nasvm::is

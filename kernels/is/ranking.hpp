#pragma once
/// \file
/// One ranking of all keys by all tasks, and the ways to do it. Key values are divided among the tasks; each
/// task learns the ranks of its own values. Source: White, Alund, Sunderam, "Performance of the NAS Parallel
/// Benchmarks on PVM-Based Networks" (1995), section 4.4: keys move to the owner of their range, and no indices
/// with them.

#include <memory>
#include <optional>
#include <span>

#include "kernels/common/tuning_choice.hpp"
#include "kernels/is/counting.hpp"
#include "kernels/is/problem.hpp"
#include "vm/collective/costs.hpp"
#include "vm/comm.hpp"

namespace nasvm::is {

class Ranking {
 public:
  virtual ~Ranking() = default;

  /// Ranks all keys. Collective. `keys` are this task's, which stay as they are, `held` the test keys among them.
  /// Returns the ranks of test keys that this task knows; each is known to one task.
  virtual TestRanks rank(std::span<const Key> keys, const HeldTests& held) = 0;
  /// Before the first ranking that counts: touches all memory, opens all connections, and finds out which of several
  /// ways is the faster one here. Collective; several rankings.
  virtual void warm_up(std::span<const Key> keys, const HeldTests& held) { (void)rank(keys, held); }
  /// What was chosen, and why.
  [[nodiscard]] virtual TuningChoices choices() const { return {}; }

  /// After a ranking: the ranks of this task's key values ...
  [[nodiscard]] virtual const Ranks& ranks() const = 0;
  /// ... and the task that owns a key value.
  [[nodiscard]] virtual Rank owner_of(Key key) const = 0;
  /// ... and the ranks of the keys that this task holds, in the keys' order, where the variant brings them home.
  [[nodiscard]] virtual std::optional<std::span<const std::uint32_t>> home_ranks() const = 0;
  /// Gives up what only the next ranking would need.
  virtual void release_buffers() = 0;
};

/// A way to rank keys, as `make_ranking(comm, problem, threads)`.
using MakeRanking = std::unique_ptr<Ranking> (*)(Comm& comm, const Parameters& problem, int threads);

/// Keys move to the owners of their values. Values are owned in buckets, divided by a sample of the keys so that
/// each task gets about the same number.
///     allreduce of sampled bucket counts and test values, all to all of keys in rounds, scan of key counts
std::unique_ptr<Ranking> ranking_by_moving_keys(Comm& comm, const Parameters& problem, int threads);
/// The same with at most `round_keys` keys of each task in a round.
std::unique_ptr<Ranking> ranking_in_rounds(Comm& comm, const Parameters& problem, int threads,
                                           std::int64_t round_keys);
/// Keys that a task packs and sends in one round unless told otherwise: few enough that packed and received blocks
/// stay in the caches, and so many that messages do not become short; with more than 16 tasks no more than with
/// those, because each block has room for all of them.
std::int64_t default_round_keys(int tasks);

/// Keys stay; each task sends its counts of each range of values to the range's owner. All ranges are equally wide.
///     allreduce of keys in each range and test values, alltoallv of counts
std::unique_ptr<Ranking> ranking_by_histograms(Comm& comm, const Parameters& problem, int threads);

/// The paper's scheme. Keys move to owners of values that a root has chosen by the counts of all values, and their
/// ranks come back to where the keys are held, in the keys' places. UsageError where ranks need more than 32 bits
/// (class E).
///     gather of counts at rank 0, broadcast of ranges, keys from all to all, numbers of keys from all to all, ranks
///     from all to all
std::unique_ptr<Ranking> ranking_as_in_paper(Comm& comm, const Parameters& problem, int threads);

/// Cost of one ranking. Moving keys, also in the paper's scheme: bytes are a bound from above (as if all keys went to
/// other tasks), messages are exact. Histograms: exact as long as no task has 256 keys of one value, which none has
/// in the official classes.
collective::Cost moving_cost(const Parameters& problem, int tasks, int threads);
collective::Cost histogram_cost(const Parameters& problem, int tasks);
collective::Cost paper_cost(const Parameters& problem, int tasks);

/// Memory of all tasks together, for keys and ranking, in bytes.
std::uint64_t moving_memory_bytes(const Parameters& problem, int tasks, int threads);
std::uint64_t histogram_memory_bytes(const Parameters& problem, int tasks, int threads);
std::uint64_t paper_memory_bytes(const Parameters& problem, int tasks, int threads);

}  // namespace nasvm::is

#include "kernels/is/verify.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <vector>

#include "kernels/is/sum_before.hpp"

namespace nasvm::is {
namespace {

/// Of each key that another task owns, sends its item (the key itself or its rank) to that owner. Returns the items
/// that come, in an order that depends on the keys alone.
LargeBuffer<std::uint32_t> move_to_owners(Comm& comm, std::span<const Key> keys, std::span<const std::uint32_t> items,
                                          const Ranking& ranking) {
  const auto tasks = static_cast<std::size_t>(comm.size());
  std::vector<std::size_t> out_counts(tasks);
  for (const Key key : keys) ++out_counts[static_cast<std::size_t>(ranking.owner_of(key))];
  out_counts[static_cast<std::size_t>(comm.rank())] = 0;
  std::vector<std::size_t> next(tasks);
  std::exclusive_scan(out_counts.begin(), out_counts.end(), next.begin(), std::size_t{0});
  LargeBuffer<std::uint32_t> out(std::accumulate(out_counts.begin(), out_counts.end(), std::size_t{0}));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Rank owner = ranking.owner_of(keys[i]);
    if (owner != comm.rank()) out[next[static_cast<std::size_t>(owner)]++] = items[i];
  }

  std::vector<std::size_t> in_counts(tasks);
  comm.alltoall(out_counts, in_counts);
  LargeBuffer<std::uint32_t> in(std::accumulate(in_counts.begin(), in_counts.end(), std::size_t{0}));
  comm.alltoallv(out.span(), out_counts, in.span(), in_counts);
  return in;
}

/// Whether the ranks of `keys` that came home are those of the keys' owners: owners compare. `received` are the keys
/// that move_to_owners has brought. Collective.
bool home_ranks_are_right(Comm& comm, std::span<const Key> keys, std::span<const Key> received,
                          std::span<const std::uint32_t> home_ranks, const Ranking& ranking) {
  const Ranks& ranks = ranking.ranks();
  const auto is_right = [&](Key key, std::uint32_t rank) { return ranks.contains(key) && ranks[key] == rank; };
  const LargeBuffer<std::uint32_t> received_ranks = move_to_owners(comm, keys, home_ranks, ranking);
  bool right = true;
  for (std::size_t i = 0; i < received.size(); ++i) right = right && is_right(received[i], received_ranks[i]);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (ranking.owner_of(keys[i]) == comm.rank()) right = right && is_right(keys[i], home_ranks[i]);
  }
  return right;
}

/// This task's part of all keys in order, made by putting each key where its rank says.
class SortedPart {
 public:
  SortedPart(std::size_t keys, std::uint64_t first_rank, const Ranks& ranks)
      : ranks_(ranks),
        first_rank_(first_rank),
        equal_keys_placed_(static_cast<std::size_t>(ranks.range().size())),
        places_(keys) {
    std::fill_n(places_.data(), keys, empty);
  }

  /// Equal keys go one after the other. False if the place does not exist or is taken.
  bool put(Key key) {
    if (!ranks_.contains(key)) return false;
    std::uint32_t& equal_keys = equal_keys_placed_[key - static_cast<std::size_t>(ranks_.range().begin)];
    const std::uint64_t place = ranks_[key] - first_rank_ + equal_keys++;
    if (place >= places_.size() || places_[place] != empty) return false;
    places_[place] = key;
    return true;
  }
  [[nodiscard]] std::span<const Key> keys() const { return places_.span(); }

 private:
  static constexpr Key empty = std::numeric_limits<Key>::max();  // above all keys

  const Ranks& ranks_;
  std::uint64_t first_rank_;
  std::vector<std::uint32_t> equal_keys_placed_;
  LargeBuffer<Key> places_;
};

/// What a task tells all others about its part.
struct Part {
  std::uint64_t keys = 0;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

std::vector<Part> gather_parts(Comm& comm, std::span<const Key> sorted) {
  std::array<std::uint64_t, 3> mine{sorted.size(), 0, 0};
  if (!sorted.empty()) mine = {sorted.size(), sorted.front(), sorted.back()};
  std::vector<std::uint64_t> all(mine.size() * static_cast<std::size_t>(comm.size()));
  comm.allgather(mine, all);
  std::vector<Part> parts;
  for (std::size_t i = 0; i < all.size(); i += mine.size()) parts.push_back({all[i], all[i + 1], all[i + 2]});
  return parts;
}

/// Whether the first key of `self` is not below the last key of the tasks before it.
bool follows_lower_parts(std::span<const Part> parts, std::size_t self) {
  if (parts[self].keys == 0) return true;
  return std::all_of(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(self),
                     [&](const Part& part) { return part.keys == 0 || part.last <= parts[self].first; });
}

}  // namespace

std::uint64_t verification_memory_bytes(const Parameters& problem, int tasks) {
  const auto all = static_cast<std::uint64_t>(tasks);
  return static_cast<std::uint64_t>(problem.keys()) * sizeof(Key) * (3 * all - 1) / all;
}

TestRanks ranks_in_range(const Ranks& ranks, const TestValues& test_values) {
  TestRanks known;
  for (std::size_t test = 0; test < tests; ++test) {
    if (ranks.contains(test_values[test])) known[test] = ranks[static_cast<Key>(test_values[test])];
  }
  return known;
}

int count_right_ranks(const Parameters& problem, int iteration, const TestRanks& known) {
  int right = 0;
  for (int test = 0; test < tests; ++test) {
    const auto expected = static_cast<std::uint64_t>(problem.expected_rank(test, iteration));
    if (known[static_cast<std::size_t>(test)] == expected) ++right;
  }
  return right;
}

bool check_order(Comm& comm, const Parameters& problem, std::span<const Key> keys, Ranking& ranking) {
  ranking.release_buffers();
  const auto is_mine = [&](Key key) { return ranking.owner_of(key) == comm.rank(); };
  const LargeBuffer<Key> received = move_to_owners(comm, keys, keys, ranking);
  const auto home_ranks = ranking.home_ranks();
  const bool home_right = !home_ranks || home_ranks_are_right(comm, keys, received.span(), *home_ranks, ranking);
  const auto kept = static_cast<std::size_t>(std::count_if(keys.begin(), keys.end(), is_mine));

  SortedPart part(received.size() + kept, sum_before(comm, received.size() + kept), ranking.ranks());
  bool all_placed = true;
  for (const Key key : received.span()) all_placed = part.put(key) && all_placed;
  for (const Key key : keys) all_placed = (!is_mine(key) || part.put(key)) && all_placed;

  const std::vector<Part> parts = gather_parts(comm, part.keys());
  const std::uint64_t all_keys = std::accumulate(parts.begin(), parts.end(), std::uint64_t{0},
                                                 [](std::uint64_t sum, const Part& p) { return sum + p.keys; });
  return home_right && all_placed && std::is_sorted(part.keys().begin(), part.keys().end()) &&
         all_keys == static_cast<std::uint64_t>(problem.keys()) &&
         follows_lower_parts(parts, static_cast<std::size_t>(comm.rank()));
}

}  // namespace nasvm::is

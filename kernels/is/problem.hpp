#pragma once
/// \file
/// The problem classes of IS: sizes, test keys and the ranks that they must have.
/// Source: The NAS Parallel Benchmarks, RNR-94-007, section 2.2.5 (kernel IS); official test ranks of the classes.
/// Class R is not NASA's: the reduced problem of White, Alund, Sunderam, "Performance of the NAS Parallel Benchmarks
/// on PVM-Based Networks", Table 4, class A's first 2^21 keys. Its test keys and ranks are ours, found by sorting.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace nasvm::is {

using Key = std::uint32_t;

inline constexpr std::uint64_t seed = 314159265;
inline constexpr int iterations = 10;
inline constexpr int tests = 5;

inline constexpr std::string_view class_letters = "SWABCDER";

/// Values of the test keys: those at the test positions at the time of a ranking.
using TestValues = std::array<std::uint64_t, tests>;

/// Where the test keys lie among a task's keys; empty for those that another task holds.
using HeldTests = std::array<std::optional<std::size_t>, tests>;

/// The ranks of the test keys, as far as a task knows them.
using TestRanks = std::array<std::optional<std::uint64_t>, tests>;

/// How the expected rank of a test key moves: by slope * iteration + offset.
struct Drift {
  int slope = 0;
  int offset = 0;
};

struct Parameters {
  char letter = 'S';
  int keys_log2 = 0;
  int max_key_log2 = 0;  ///< keys are below 2^max_key_log2
  int buckets_log2 = 0;
  std::array<std::int64_t, tests> test_positions{};
  std::array<std::int64_t, tests> test_ranks{};
  std::array<Drift, tests> drifts{};
  /// Test whose rank is less by one more from ranking 3 on and by another from ranking 5 on; -1: none.
  int stepping_test = -1;

  [[nodiscard]] std::int64_t keys() const { return std::int64_t{1} << keys_log2; }
  [[nodiscard]] std::int64_t max_key() const { return std::int64_t{1} << max_key_log2; }
  /// The rank that test key `test` must have in ranking number `iteration` (1 to 10).
  [[nodiscard]] std::int64_t expected_rank(int test, int iteration) const;
};

/// The parameters of a class; UsageError when there is none of that letter.
const Parameters& parameters(char letter);

}  // namespace nasvm::is

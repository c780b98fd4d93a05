#include "kernels/is/keys.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "kernels/common/parallel.hpp"
#include "kernels/common/random.hpp"

namespace nasvm::is {
namespace {

constexpr int uniforms_per_key = 4;

/// All in integers: four numbers of 46 bits add up to 48, and of those the leading bits are the key.
void generate(const Parameters& problem, std::int64_t first_position, std::span<Key> keys) {
  constexpr std::uint64_t a = NpbRandom::multiplier;
  constexpr std::uint64_t mask = NpbRandom::mask;
  constexpr std::uint64_t a2 = NpbRandom::power(a, 2);
  constexpr std::uint64_t a3 = NpbRandom::power(a, 3);
  constexpr std::uint64_t a4 = NpbRandom::power(a, 4);
  const int shift = 48 - problem.max_key_log2;
  NpbRandom random(seed);
  random.skip(uniforms_per_key * static_cast<std::uint64_t>(first_position));
  std::uint64_t x = random.state();
  for (Key& key : keys) {
    const std::uint64_t next = (x * a4) & mask;
    key = static_cast<Key>((((x * a) & mask) + ((x * a2) & mask) + ((x * a3) & mask) + next) >> shift);
    x = next;
  }
}

void set_key(Range positions, std::span<Key> keys, std::int64_t position, std::int64_t value) {
  if (!positions.contains(position)) return;
  keys[static_cast<std::size_t>(position - positions.begin)] = static_cast<Key>(value);
}

}  // namespace

LargeBuffer<Key> generate_keys(const Parameters& problem, Range positions, int threads) {
  LargeBuffer<Key> keys(static_cast<std::size_t>(positions.size()));
  for_parts(threads, [&](int thread) {
    const Range mine = share(positions.size(), threads, thread);
    generate(problem, positions.begin + mine.begin, part_of<Key>(keys.span(), mine));
  });
  return keys;
}

void change_keys(const Parameters& problem, int iteration, Range positions, std::span<Key> keys) {
  set_key(positions, keys, iteration, iteration);
  set_key(positions, keys, iteration + iterations, problem.max_key() - iteration);
}

bool correct_keys(const Parameters& problem, int iteration, Range positions, std::span<Key> keys, int threads) {
  constexpr std::int64_t piece_keys = 4096;  // few: what they must be stays in the first-level cache
  std::atomic<bool> right = true;
  for_parts(threads, [&](int thread) {
    const Range mine = share(positions, threads, thread);
    std::array<Key, piece_keys> memory{};
    for (std::int64_t begin = mine.begin; begin < mine.end; begin += piece_keys) {
      const Range piece{begin, std::min(begin + piece_keys, mine.end)};
      const std::span<Key> expected = std::span(memory).first(static_cast<std::size_t>(piece.size()));
      generate(problem, piece.begin, expected);
      for (int done = 1; done < iteration; ++done) change_keys(problem, done, piece, expected);
      const std::span<Key> found = part_of(keys, {piece.begin - positions.begin, piece.end - positions.begin});
      if (std::ranges::equal(found, expected)) continue;
      std::ranges::copy(expected, found.begin());
      right = false;
    }
  });
  return right;
}

HeldTests held_tests(const Parameters& problem, Range positions) {
  HeldTests held;
  for (std::size_t test = 0; test < tests; ++test) {
    const std::int64_t position = problem.test_positions[test];
    if (positions.contains(position)) held[test] = static_cast<std::size_t>(position - positions.begin);
  }
  return held;
}

TestValues held_test_values(std::span<const Key> keys, const HeldTests& held) {
  TestValues values{};
  for (std::size_t test = 0; test < tests; ++test) {
    if (const auto place = held[test]) values[test] = keys[*place];
  }
  return values;
}

}  // namespace nasvm::is

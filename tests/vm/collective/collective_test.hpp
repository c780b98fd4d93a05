#pragma once
/// \file
/// What the tests of collectives share: rank counts, lengths, contributions, an operation that needs rank order.
/// Catch2's assertions belong to the main thread, so ranks throw (`expect`) or leave results to compare there.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "vm/comm.hpp"

namespace nasvm::test {

inline constexpr std::array rank_counts{1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17};
/// Elements; the last takes the long algorithms with every element type, and divides evenly by no rank count.
inline constexpr std::array<std::size_t, 4> lengths{0, 1, 7, 69'999};

inline void expect(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error("expected: " + what);
}

/// Empty where the two are equal, otherwise the first difference: a vector of 69 999 elements is no message.
template <typename T>
std::string difference(const std::vector<T>& actual, const std::vector<T>& expected) {
  const auto [at, wanted] = std::mismatch(actual.begin(), actual.end(), expected.begin(), expected.end());
  if (at == actual.end() && wanted == expected.end()) return {};
  std::ostringstream text;
  text << "at " << at - actual.begin() << " of " << actual.size() << " (wanted " << expected.size() << ")";
  if (at != actual.end() && wanted != expected.end()) text << ": " << *at << ", wanted " << *wanted;
  return text.str();
}

inline std::size_t index(Rank rank) { return static_cast<std::size_t>(rank); }

/// Small integers, so that sums are exact in every element type.
template <typename T>
T contribution(Rank rank, std::size_t i) {
  return static_cast<T>((5 * index(rank) + 3 * i) % 7);
}

template <typename T>
std::vector<T> contributions(Rank rank, std::size_t length) {
  std::vector<T> values(length);
  for (std::size_t i = 0; i < length; ++i) values[i] = contribution<T>(rank, i);
  return values;
}

/// Composition of the maps x -> a x + b modulo 2^32, with a and b packed into 64 bits: exactly associative,
/// not commutative.
struct Compose {
  static constexpr bool commutative = false;
  std::uint64_t operator()(std::uint64_t f, std::uint64_t g) const {
    const std::uint64_t low = 0xffff'ffff;
    const std::uint64_t a = (f >> 32) * (g >> 32) & low;
    const std::uint64_t b = ((f >> 32) * (g & low) + f) & low;
    return a << 32 | b;
  }
};

inline std::uint64_t affine_map(Rank rank, std::size_t i) {
  const std::uint64_t a = 2 * (index(rank) * 1'234'567 + i) + 1;
  const std::uint64_t b = index(rank) * 7'654'321 + 13 * i + 5;
  return (a & 0xffff'ffff) << 32 | (b & 0xffff'ffff);
}

inline std::vector<std::uint64_t> affine_maps(Rank rank, std::size_t length) {
  std::vector<std::uint64_t> maps(length);
  for (std::size_t i = 0; i < length; ++i) maps[i] = affine_map(rank, i);
  return maps;
}

/// Ranks 0 .. ranks - 1 combined in rank order, element by element.
template <typename T, typename Op, typename Contribution>
std::vector<T> combined(Rank ranks, std::size_t length, Op op, Contribution of) {
  std::vector<T> result(length);
  for (std::size_t i = 0; i < length; ++i) {
    T value = of(0, i);
    for (Rank rank = 1; rank < ranks; ++rank) value = op(value, of(rank, i));
    result[i] = value;
  }
  return result;
}

/// Uneven counts with zeros among them; rank 0's is zero for odd seeds.
inline std::vector<std::size_t> uneven_counts(int ranks, std::size_t scale, std::size_t seed) {
  std::vector<std::size_t> counts(index(ranks));
  for (std::size_t rank = 0; rank < counts.size(); ++rank) counts[rank] = (rank + seed) % 3 * scale * (rank % 2 + 1);
  if (seed % 2 == 1) counts[0] = 0;
  return counts;
}

inline std::size_t sum_of(const std::vector<std::size_t>& counts) {
  std::size_t sum = 0;
  for (const std::size_t count : counts) sum += count;
  return sum;
}

/// The blocks of all ranks one after the other, as a gather delivers them.
template <typename T>
std::vector<T> all_contributions(const std::vector<std::size_t>& counts) {
  std::vector<T> all;
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    const auto block = contributions<T>(static_cast<Rank>(rank), counts[rank]);
    all.insert(all.end(), block.begin(), block.end());
  }
  return all;
}

}  // namespace nasvm::test

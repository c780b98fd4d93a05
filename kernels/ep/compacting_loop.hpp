#pragma once
/// \file
/// What the loops of EP with intrinsics have in common, whatever the vectors: accepted pairs are compacted before
/// anything is done with them, so nothing is computed in vain. It is compiled for the instructions that whoever
/// includes it has told the compiler it may use (`#pragma GCC target`), after the headers below.
///
/// Pairs go in quads, four vectors side by side, whose operations take turns: in one vector each would wait for the
/// one before. A Loop knows
///     lanes, Numbers                    numbers in a vector; the vector
///     States, streams                   generators side by side: stream j takes pairs j, j + streams, ...
///     states_of(states)                 from the 46-bit states of the streams
///     generate_pairs(states, pairs)     appends the accepted ones among the next `block_vectors` vectors of pairs;
///                                       returns the states after them
///     add_deviates(x, y, sums)          of a quad of accepted pairs
///     to_factors(t)                     a quad of t to their deviate factors sqrt(-2 ln t / t)

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "kernels/common/random.hpp"
#include "kernels/ep/compensated_sum.hpp"
#include "kernels/ep/tally.hpp"

namespace nasvm::ep {
namespace {

inline constexpr std::size_t quad = 4;

/// Vectors of pairs that are generated before the accepted ones among them are used.
inline constexpr std::size_t block_vectors = 32;

/// Per-annulus counts of each lane are packed into one word, six bits for each annulus.
inline constexpr std::uint64_t count_bits = 6;
inline constexpr std::uint64_t count_mask = (1 << count_bits) - 1;
static_assert(block_vectors + quad <= count_mask, "a packed count must hold all pairs of a lane in a block");
static_assert(count_bits * annuli <= 64);

/// Accepted pairs that wait for their deviates. A vector is stored whole, however few of its lanes are meant.
template <std::size_t lanes>
struct AcceptedPairs {
  alignas(64) double x[(block_vectors + quad + 1) * lanes];
  alignas(64) double y[(block_vectors + quad + 1) * lanes];
  std::size_t count = 0;
};

template <std::size_t lanes>
using Words [[gnu::vector_size(8 * lanes)]] = std::uint64_t;

/// What the lanes add up.
template <typename Loop>
struct LaneSums {
  typename Loop::Numbers sx;
  typename Loop::Numbers sy;
  Words<Loop::lanes> packed_counts;
};

/// Counts of the lanes by annulus.
template <typename Loop>
using LaneCounts = Words<Loop::lanes>[annuli];

template <typename Loop>
typename Loop::States first_states(std::uint64_t pairs_before) {
  std::array<std::uint64_t, Loop::streams> states;
  NpbRandom random(seed);
  random.skip(2 * pairs_before);
  for (std::uint64_t& state : states) {
    state = random.next_state();
    random.skip(1);
  }
  return Loop::states_of(states);
}

/// Adds the deviates of as many pairs as fill quads, and moves the rest to the front.
template <typename Loop>
[[gnu::always_inline]] inline LaneSums<Loop> use_pairs(AcceptedPairs<Loop::lanes>& pairs, LaneSums<Loop> sums,
                                                       LaneCounts<Loop>& counts) {
  constexpr std::size_t quad_pairs = quad * Loop::lanes;
  const std::size_t used = pairs.count / quad_pairs * quad_pairs;
  sums.packed_counts = Words<Loop::lanes>{};
  for (std::size_t i = 0; i < used; i += quad_pairs) sums = Loop::add_deviates(pairs.x + i, pairs.y + i, sums);
  for (std::size_t annulus = 0; annulus < annuli; ++annulus) {
    counts[annulus] += (sums.packed_counts >> (count_bits * annulus)) & count_mask;
  }
  pairs.count -= used;
  // Vector by vector: to a function that the compiler may call here, all vectors in registers would be lost.
  using Numbers = typename Loop::Numbers;
  for (std::size_t i = 0; i < quad_pairs; i += Loop::lanes) {
    *reinterpret_cast<Numbers*>(pairs.x + i) = *reinterpret_cast<const Numbers*>(pairs.x + used + i);
    *reinterpret_cast<Numbers*>(pairs.y + i) = *reinterpret_cast<const Numbers*>(pairs.y + used + i);
  }
  return sums;
}

/// The sum over the lanes of a vector, halves first.
template <typename Number, typename Vector>
Number sum_of_lanes(Vector vector) {
  constexpr std::size_t lanes = sizeof(Vector) / sizeof(Number);
  std::array<Number, lanes> sums;
  for (std::size_t i = 0; i < lanes; ++i) sums[i] = static_cast<Number>(vector[i]);
  for (std::size_t half = lanes / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) sums[i] += sums[i + half];
  }
  return sums[0];
}

template <typename Loop>
Tally tally_with(Range batches) {
  constexpr std::int64_t blocks_per_batch = batch_pairs / static_cast<std::int64_t>(block_vectors * Loop::lanes);
  static_assert(blocks_per_batch * static_cast<std::int64_t>(block_vectors * Loop::lanes) == batch_pairs);
  auto states = first_states<Loop>(static_cast<std::uint64_t>(batch_pairs * batches.begin));
  CompensatedSum sx;
  CompensatedSum sy;
  LaneCounts<Loop> counts{};
  AcceptedPairs<Loop::lanes> pairs;
  for (std::int64_t batch = batches.begin; batch < batches.end; ++batch) {
    LaneSums<Loop> sums{};
    for (std::int64_t block = 0; block < blocks_per_batch; ++block) {
      states = Loop::generate_pairs(states, pairs);
      sums = use_pairs<Loop>(pairs, sums, counts);
    }
    sx.add(sum_of_lanes<double>(sums.sx));
    sy.add(sum_of_lanes<double>(sums.sy));
  }
  Tally tally;
  for (std::size_t annulus = 0; annulus < annuli; ++annulus) {
    tally.counts[annulus] = sum_of_lanes<std::uint64_t>(counts[annulus]);
  }
  for (std::size_t i = 0; i < pairs.count; ++i) add_pair(pairs.x[i], pairs.y[i], tally.counts, sx, sy);
  tally.sx = sx.value();
  tally.sy = sy.value();
  return tally;
}

/// Replaces each t in (0, 1] by its deviate factor, for tests.
template <typename Loop>
void deviate_factors(std::span<double> t) {
  constexpr std::size_t quad_pairs = quad * Loop::lanes;
  alignas(64) std::array<double, quad_pairs> some;
  for (std::size_t begin = 0; begin < t.size(); begin += quad_pairs) {
    const std::span<double> part = t.subspan(begin, std::min(quad_pairs, t.size() - begin));
    some.fill(0.5);
    std::copy(part.begin(), part.end(), some.begin());
    Loop::to_factors(some.data());
    std::copy_n(some.begin(), part.size(), part.begin());
  }
}

}  // namespace
}  // namespace nasvm::ep

// The portable vectorised loop of EP. Lane j of a vector of generators takes pairs j, j + lanes, j + 2 lanes ... of a
// range: it starts at its first number and jumps over the other lanes' pairs. Rejected pairs go through the same
// operations as the others with t = 1, for which the deviates are zero.
//
// A block of pairs goes through four loops (one makes the pairs, two the factors, one adds up), with its vectors in
// the first-level cache between them. One loop for all would be one chain of some 45 dependent operations, of which
// the processor could overlap too few.

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/common/random.hpp"
#include "kernels/ep/compensated_sum.hpp"
#include "kernels/ep/simd_math.hpp"
#include "kernels/ep/tally.hpp"

namespace nasvm::ep {
namespace {

namespace simd = std::experimental;

/// Vectors of pairs in a block.
constexpr std::size_t block_vectors = 32;
constexpr std::int64_t blocks_per_batch = batch_pairs / static_cast<std::int64_t>(block_vectors * lanes);
static_assert(blocks_per_batch * static_cast<std::int64_t>(block_vectors * lanes) == batch_pairs);

using Block = std::array<Reals, block_vectors>;

/// Per-annulus counts of each lane are packed into one word, six bits for each annulus.
constexpr int count_bits = 6;
constexpr std::uint64_t count_mask = (1U << count_bits) - 1;
static_assert(block_vectors <= count_mask, "a packed count must hold all pairs of a lane in a block");

/// First numbers of the lanes, with the state shifted left so that overflow is the modulus.
Words first_states(std::uint64_t pairs_before) {
  std::array<std::uint64_t, lanes> states;
  NpbRandom random(seed);
  random.skip(2 * pairs_before);
  for (std::uint64_t& state : states) {
    state = random.next_state() << state_shift;
    random.skip(1);
  }
  return Words(states.data(), simd::element_aligned);
}

/// Pairs in (-1, 1)^2 and their squared distances t; t = 1 where that is larger. Returns the number of those.
std::uint64_t generate_pairs(Words& states, Block& x, Block& y, Block& t) {
  constexpr std::uint64_t jump = NpbRandom::power(NpbRandom::multiplier, 2 * lanes);
  int rejections = 0;
  for (std::size_t i = 0; i < block_vectors; ++i) {
    x[i] = centred_uniform(states);
    y[i] = centred_uniform(states * NpbRandom::multiplier);
    states *= jump;
    t[i] = x[i] * x[i] + y[i] * y[i];
    const auto rejected = t[i] > 1.0;
    where(rejected, t[i]) = 1.0;
    rejections += simd::popcount(rejected);
  }
  return static_cast<std::uint64_t>(rejections);
}

/// t becomes sqrt(-2 ln t / t).
void find_factors(Block& t) {
  Block w;
  for (std::size_t i = 0; i < block_vectors; ++i) w[i] = minus_two_log(t[i]);
  for (std::size_t i = 0; i < block_vectors; ++i) t[i] = w[i] * inverse_sqrt(w[i] * t[i]);
}

struct LaneSums {
  Reals sx = 0;
  Reals sy = 0;
};

/// Adds the deviates to `sums` and returns their packed counts.
Words add_deviates(const Block& x, const Block& y, const Block& factors, LaneSums& sums) {
  Words packed_counts = 0;
  for (std::size_t i = 0; i < block_vectors; ++i) {
    const Reals deviate_x = x[i] * factors[i];
    const Reals deviate_y = y[i] * factors[i];
    sums.sx += deviate_x;
    sums.sy += deviate_y;
    const Reals distance = simd::max(simd::abs(deviate_x), simd::abs(deviate_y));
    packed_counts += Words(1) << (count_bits * simd::static_simd_cast<Words>(distance));
  }
  return packed_counts;
}

using LaneCounts = std::array<Words, annuli>;

void unpack(Words packed_counts, LaneCounts& counts) {
  for (std::size_t annulus = 0; annulus < counts.size(); ++annulus) {
    counts[annulus] += (packed_counts >> (count_bits * static_cast<int>(annulus))) & Words(count_mask);
  }
}

}  // namespace

Tally tally_simd(Range batches) {
  Words states = first_states(static_cast<std::uint64_t>(batch_pairs * batches.begin));
  CompensatedSum sx;
  CompensatedSum sy;
  LaneCounts counts;
  counts.fill(Words(0));
  std::uint64_t rejections = 0;
  Block x, y, t;
  for (std::int64_t batch = batches.begin; batch < batches.end; ++batch) {
    LaneSums sums;
    for (std::int64_t block = 0; block < blocks_per_batch; ++block) {
      rejections += generate_pairs(states, x, y, t);
      find_factors(t);
      unpack(add_deviates(x, y, t, sums), counts);
    }
    sx.add(simd::reduce(sums.sx));
    sy.add(simd::reduce(sums.sy));
  }
  Tally tally{sx.value(), sy.value(), {}};
  for (std::size_t annulus = 0; annulus < counts.size(); ++annulus) {
    tally.counts[annulus] = simd::reduce(counts[annulus]);
  }
  tally.counts[0] -= rejections;  // they were counted with zero deviates
  return tally;
}

}  // namespace nasvm::ep

#include "kernels/ep/tally.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/common/parallel.hpp"
#include "kernels/common/random.hpp"
#include "kernels/ep/tally_x86.hpp"

namespace nasvm::ep {

void add_pair(double x, double y, Counts& counts, CompensatedSum& sx, CompensatedSum& sy) {
  const double t = x * x + y * y;
  const double factor = std::sqrt(-2 * std::log(t) / t);
  ++counts[static_cast<std::size_t>(std::max(std::fabs(x * factor), std::fabs(y * factor)))];
  sx.add(x * factor);
  sy.add(y * factor);
}

Instructions instructions_here() { return {avx2_available(), avx512_available(), ifma_available()}; }

TallyLoop fastest_loop(const Instructions& instructions) {
  return instructions.ifma     ? tally_ifma
         : instructions.avx512 ? tally_avx512
         : instructions.avx2   ? tally_avx2
                               : tally_simd;
}

Tally tally_tuned(Range batches) {
  static const TallyLoop best = fastest_loop(instructions_here());
  return best(batches);
}

Tally tally_reference(Range batches) {
  NpbRandom random(seed);
  random.skip(2 * static_cast<std::uint64_t>(batch_pairs * batches.begin));
  CompensatedSum sx;
  CompensatedSum sy;
  Tally tally;
  for (std::int64_t pair = 0; pair < batches.size() * batch_pairs; ++pair) {
    const double x = 2 * random.next() - 1;
    const double y = 2 * random.next() - 1;
    const double t = x * x + y * y;
    if (t <= 1) add_pair(x, y, tally.counts, sx, sy);
  }
  tally.sx = sx.value();
  tally.sy = sy.value();
  return tally;
}

Tally tally(TallyLoop loop, Range batches, int threads) {
  if (threads == 1) return loop(batches);
  std::vector<Tally> parts(static_cast<std::size_t>(threads));
  for_parts(threads, [&](int part) { parts[static_cast<std::size_t>(part)] = loop(share(batches, threads, part)); });
  Tally sum;
  for (const Tally& part : parts) sum += part;
  return sum;
}

}  // namespace nasvm::ep

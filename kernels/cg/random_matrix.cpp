#include "kernels/cg/random_matrix.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

namespace nasvm::cg {

VectorSequence::VectorSequence(const Parameters& problem)
    : order_(problem.order),
      nonzer_(static_cast<std::size_t>(problem.nonzer)),
      position_scale_(static_cast<double>(std::bit_ceil(static_cast<std::uint64_t>(problem.order)))),
      weight_ratio_(std::pow(condition, 1.0 / static_cast<double>(problem.order))),
      random_(seed) {
  random_.next();  // The specification takes one number from the generator before the matrix begins.
  vector_.entries.reserve(nonzer_ + 1);
}

const GeneratingVector& VectorSequence::next() {
  assert(next_number_ < order_);
  vector_.number = next_number_++;
  vector_.weight = next_weight_;
  next_weight_ *= weight_ratio_;
  draw_entries();
  force_diagonal();
  return vector_;
}

void VectorSequence::draw_entries() {
  vector_.entries.clear();
  while (vector_.entries.size() < nonzer_) {
    // Both numbers are consumed also when the draw is then rejected.
    const double value = random_.next();
    const auto position = static_cast<std::int64_t>(position_scale_ * random_.next());
    if (position < order_ && find(position) == nullptr) vector_.entries.push_back({position, value});
  }
}

void VectorSequence::force_diagonal() {
  if (VectorEntry* diagonal = find(vector_.number)) {
    diagonal->value = 0.5;
  } else {
    vector_.entries.push_back({vector_.number, 0.5});
  }
}

VectorEntry* VectorSequence::find(std::int64_t position) {
  const auto found = std::find_if(vector_.entries.begin(), vector_.entries.end(),
                                  [&](const VectorEntry& entry) { return entry.position == position; });
  return found == vector_.entries.end() ? nullptr : &*found;
}

}  // namespace nasvm::cg

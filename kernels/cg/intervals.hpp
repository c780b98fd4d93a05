#pragma once
/// \file
/// A set of indices made of intervals, and their numbering: the elements counted from 0 in ascending order, with a
/// gap behind each interval if one is wanted.

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/common/partition.hpp"

namespace nasvm::cg {

class IntervalSet {
 public:
  /// The intervals must be disjoint and ascending; empty ones are allowed. After each come `gap` numbers that belong
  /// to no element.
  explicit IntervalSet(std::vector<Range> intervals, std::int64_t gap = 0) : intervals_(std::move(intervals)) {
    first_.reserve(intervals_.size());
    for (const Range& interval : intervals_) {
      assert(first_.empty() || interval.begin >= intervals_[first_.size() - 1].end);
      first_.push_back(size_);
      size_ += interval.size() + gap;
    }
  }

  /// Numbers given, those of gaps included.
  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] const std::vector<Range>& intervals() const { return intervals_; }

  /// Number in the set of the first element of interval `i`.
  [[nodiscard]] std::int64_t first(std::size_t i) const { return first_[i]; }

  /// Number in the set of `index`, or -1 when it is not an element. Logarithmic in the number of intervals.
  [[nodiscard]] std::int64_t local(std::int64_t index) const {
    const auto after = std::upper_bound(intervals_.begin(), intervals_.end(), index,
                                        [](std::int64_t i, const Range& interval) { return i < interval.end; });
    if (after == intervals_.end() || index < after->begin) return -1;
    return first_[static_cast<std::size_t>(after - intervals_.begin())] + index - after->begin;
  }

 private:
  std::vector<Range> intervals_;
  std::vector<std::int64_t> first_;
  std::int64_t size_ = 0;
};

}  // namespace nasvm::cg

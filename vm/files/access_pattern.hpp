#pragma once
/// \file
/// Which blocks a task is going to read next, guessed from those that it has read: the same step twice in a row makes
/// a pattern (0, 1, 2; 7, 5, 3), which promises more steps of that length. What it promises grows with each time that
/// it holds, up to a bound, and is none after a step of another length. Pure arithmetic.

#include <algorithm>
#include <cstdint>
#include <vector>

namespace nasvm::files {

class AccessPattern {
 public:
  /// A task reads this block now. Returns those to ask for ahead, which have not been returned before in this
  /// pattern: within `blocks`, nearest first.
  std::vector<std::uint64_t> next(std::uint64_t block, std::uint64_t blocks) {
    if (begun_ && block == last_) return {};
    const std::int64_t step = begun_ ? static_cast<std::int64_t>(block - last_) : 0;
    const bool holds = step != 0 && step == step_;
    depth_ = holds ? std::min(depth_ * 2, deepest) : 1;
    if (!holds) asked_ = block;
    step_ = step;
    last_ = block;
    begun_ = true;
    std::vector<std::uint64_t> ahead;
    if (!holds) return ahead;
    // Behind what was asked for already, unless the task has passed that.
    std::int64_t from = static_cast<std::int64_t>(asked_ - block) / step;
    for (from = std::max<std::int64_t>(from, 0) + 1; from <= depth_; ++from) {
      const std::int64_t candidate = static_cast<std::int64_t>(block) + from * step;
      if (candidate < 0 || static_cast<std::uint64_t>(candidate) >= blocks) break;
      ahead.push_back(asked_ = static_cast<std::uint64_t>(candidate));
    }
    return ahead;
  }
  /// The last steps were alike: whole blocks are worth fetching.
  [[nodiscard]] bool holds() const { return depth_ > 1; }

  static constexpr std::int64_t deepest = 8;

 private:
  bool begun_ = false;
  std::uint64_t last_ = 0;
  std::int64_t step_ = 0;
  std::int64_t depth_ = 1;
  std::uint64_t asked_ = 0;
};

}  // namespace nasvm::files

#pragma once
/// \file
/// When a task tries to read straight from the system's page cache: where that is one copy, and this cache would have
/// to be filled from there first. Not for short accesses, for which a call of the system costs more than the cache;
/// and less and less often where the file is not in memory, since each try that fails costs a call, too. Pure
/// arithmetic.

#include <algorithm>
#include <cstddef>

namespace nasvm::files {

/// How many times as long an access has to be where this cache has memory ready: what it reads into memory for the
/// first time takes the system ten times as long.
inline constexpr std::size_t used_room_factor = 8;
/// The same where tasks share cores: a block then comes when its owner has a core, and not while this task reads.
inline constexpr std::size_t used_room_factor_in_crowd = 2;

class StraightReads {
 public:
  /// `least`: bytes of an access for which it is worth a call; 0: of none.
  [[nodiscard]] bool tries(std::size_t bytes, std::size_t least) {
    if (least == 0 || bytes < least) return false;
    if (waiting_ == 0) return true;
    --waiting_;
    return false;
  }
  void found() { pause_ = 0; }
  /// Not tried for 1, 3, 7, ... accesses then.
  void missed() {
    pause_ = std::min(2 * pause_ + 1, longest_pause);
    waiting_ = pause_;
  }

 private:
  static constexpr int longest_pause = 255;

  int pause_ = 0;
  int waiting_ = 0;
};

}  // namespace nasvm::files

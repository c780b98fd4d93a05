#pragma once
/// \file
/// How many cheap looks at the awaited peer there are for each look at everything, which costs a system call
/// (skip_poll of Foster, Geisler, Kesselman, Tuecke, Managing Multiple Communication Methods in High-Performance
/// Networked Computing Systems, section 5.1).
///
/// The number adapts: it doubles when a look at everything has found nothing, and halves when it has, within limits.
/// It counts on from wait to wait, so that many short waits starve nobody. Pure logic. Measured:
/// docs/decisions/waiting.md, "Looking" and "A fixed number of looks"; the limits themselves are chosen, not measured
/// one by one.

#include <algorithm>

namespace nasvm {

class SkipPoll {
 public:
  static constexpr unsigned least = 8;
  /// While the awaited peer is not reached through memory: then each look is a system call itself.
  static constexpr unsigned most_for_sockets = 64;
  /// When some peers are not reached through memory.
  static constexpr unsigned most_when_mixed = 128;
  /// The same in a program with more threads than cores: its tasks wait for a core for longer than so many looks
  /// take, and a wait that is longer ends in a sleep, which everything ends.
  static constexpr unsigned most_in_crowd = 1024;
  /// When all are, so that descriptors bring hardly anything.
  static constexpr unsigned most = 4096;

  /// 0: adaptive.
  explicit SkipPoll(unsigned fixed = 0) : fixed_(fixed), looks_(fixed != 0 ? fixed : least) {}

  /// Looks at an awaited peer in memory, that one at everything included; it may change from look to look.
  [[nodiscard]] unsigned for_memory() const { return looks_; }
  /// The same for an awaited peer behind a socket, as it is now.
  [[nodiscard]] unsigned for_sockets() const { return fixed_ != 0 ? fixed_ : std::min(looks_, most_for_sockets); }

  /// For a task whose peers are reached through memory, all or some of them.
  [[nodiscard]] static unsigned limit(bool all_near, bool crowded) {
    if (all_near) return most;
    return crowded ? most_in_crowd : most_when_mixed;
  }
  /// The same while others wait for what it answers through descriptors, whatever it waits for itself. In a crowd
  /// each look offers the core, and so many of them take longer than a look at everything.
  [[nodiscard]] static unsigned limit_for_answers(bool crowded) { return crowded ? least : most_for_sockets; }
  /// A lower limit holds from now on.
  void keep_within(unsigned limit) {
    if (fixed_ == 0) looks_ = std::min(looks_, limit);
  }

  /// A look at everything has found something beside memory, or nothing.
  void looked_everywhere(bool found, unsigned limit) {
    if (fixed_ == 0) looks_ = found ? std::max(looks_ / 2, least) : std::min(looks_ * 2, limit);
  }

 private:
  unsigned fixed_;
  unsigned looks_;
};

}  // namespace nasvm

#pragma once
/// \file
/// Which members of a group have ended, where that is no end of the run, and who is told: the end that serves the
/// group at the moment, be it one of the set-up or of the protocol.

#include <string>
#include <vector>

#include "vm/broadcast/surroundings.hpp"
#include "vm/comm.hpp"

namespace nasvm::multicast {

/// A member that has ended while the group was open.
struct Loss {
  Rank rank = 0;
  std::string text{};  ///< how, for people: "was killed by signal 9 (Killed)"
};

class Losses {
 public:
  /// The members are those of `comm`, node 0 is `root`.
  Losses(Surroundings here, const Comm& comm, Rank root);

  /// From now on `end` is told; of those that are known at once. It lives until another one is named.
  void tell(End& end);
  /// Looks for news, and tells. True: there was some.
  bool look();
  /// Throws RunError, which names it, when the root is one of them.
  void check_root() const;
  [[nodiscard]] const std::vector<Loss>& known() const { return known_; }
  [[nodiscard]] bool has(Rank rank) const;

 private:
  void pass_on(const Loss& loss);

  Surroundings here_;
  std::vector<Rank> world_ranks_;  ///< of the members
  Rank root_;
  End* end_ = nullptr;
  std::size_t seen_ = 0;  ///< of those that the task has heard of
  std::vector<Loss> known_;
};

}  // namespace nasvm::multicast

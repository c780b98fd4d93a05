#pragma once
/// \file
/// A member's side of the network that a group's packets travel: sends for an end, and gives it what has come.

#include <functional>
#include <utility>

#include "vm/multicast/multicast.hpp"

namespace nasvm::multicast {

class Line : public Network {
 public:
  /// Serves `end` until `done()`, which is asked after everything that has happened. Blocks. Throws RunError when
  /// the machine fails.
  virtual void serve(End& end, const std::function<bool()>& done) = 0;
  /// Packets that were no member's.
  [[nodiscard]] virtual std::uint64_t rejected() const { return 0; }
  /// Packets for all, as often as they left beyond once: copies for those that multicast does not reach.
  [[nodiscard]] virtual Counts further() const { return {}; }
  /// Members may be lost while an end is served: `look` is asked whenever something has happened, and tells the end
  /// of them. True: it has been told.
  void watch(std::function<bool()> look) { look_ = std::move(look); }

 protected:
  [[nodiscard]] bool is_watched() const { return look_ != nullptr; }
  /// Has the end been told of a loss just now?
  bool look_for_losses() { return is_watched() && look_(); }

 private:
  std::function<bool()> look_{};
};

}  // namespace nasvm::multicast

#pragma once
/// \file
/// Turns of a program's threads (MPI-3.1, section 12.4): one at a time is in the library, and others get theirs while
/// it waits. Taken only where the program has been granted MPI_THREAD_MULTIPLE; others pay one comparison for each
/// call.

#include <mutex>

namespace nasvm::mpi {

class Turns {
 public:
  /// From here on threads take turns.
  void begin() { shared_ = true; }
  [[nodiscard]] bool shared() const { return shared_; }

  /// Lets others in, for a moment, while this thread waits; `rounds`: how often it has already. Later rounds give the
  /// processor away for longer. Only by the thread whose turn it is.
  void let_others_in(unsigned rounds);

 private:
  friend class Turn;
  bool shared_ = false;
  std::mutex mutex_;
};

/// Made before everything else, and never gone: threads may call while the process ends.
inline constinit Turns all_turns{};
inline Turns& turns() { return all_turns; }

/// This thread's turn. The program's functions that the library calls may call it again.
class Turn {
 public:
  Turn() {
    if (turns().shared()) take();
  }
  ~Turn() {
    if (taken_) give_back();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  void take();
  void give_back();
  bool taken_ = false;
};

}  // namespace nasvm::mpi

#pragma once
/// \file
/// A while that a thread keeps off one of its cores, for another one to have it (vm/waiting/stand_apart.hpp).

#include <sys/types.h>

#include <vector>

namespace nasvm::engine {

class AwayFromCore {
 public:
  AwayFromCore() = default;
  AwayFromCore(const AwayFromCore&) = delete;
  AwayFromCore& operator=(const AwayFromCore&) = delete;
  ~AwayFromCore() { come_back(); }

  /// The calling thread leaves that core. False: there is no other one, or the system refuses. Threads and processes
  /// that it starts meanwhile keep off it, too.
  bool leave(int core);
  /// The thread that has left may use the core again, whichever thread says so; nothing happens when somebody else
  /// has chosen its cores meanwhile, or nobody has left.
  void come_back();

 private:
  pid_t thread_ = 0;  ///< 0: none has left
  std::vector<int> before_;
  std::vector<int> kept_;
};

}  // namespace nasvm::engine

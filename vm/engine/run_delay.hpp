#pragma once
/// \file
/// How long this thread has been able to run while another had its core: what the kernel's scheduler counts for each
/// thread (Documentation/scheduler/sched-stats.rst, /proc/<pid>/schedstat, second number).

#include <chrono>

#include "vm/net/fd.hpp"

namespace nasvm {

class RunDelay {
 public:
  /// Of the calling thread.
  RunDelay();
  /// Since the thread began; takes under a microsecond. Always zero where the kernel does not count it.
  [[nodiscard]] std::chrono::nanoseconds total() const;

 private:
  net::Fd file_;
};

}  // namespace nasvm

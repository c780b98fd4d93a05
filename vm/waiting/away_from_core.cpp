#include "vm/waiting/away_from_core.hpp"

#include <unistd.h>

#include <utility>

namespace nasvm {

bool AwayFromCore::leave(int core) {
  come_back();
  if (::sched_getaffinity(0, sizeof before_, &before_) != 0) return false;
  kept_ = before_;
  CPU_CLR(core, &kept_);
  if (CPU_COUNT(&kept_) == 0 || ::sched_setaffinity(0, sizeof kept_, &kept_) != 0) return false;
  thread_ = ::gettid();
  return true;
}

void AwayFromCore::come_back() {
  const pid_t thread = std::exchange(thread_, 0);
  cpu_set_t now;
  if (thread == 0 || ::sched_getaffinity(thread, sizeof now, &now) != 0 || !CPU_EQUAL(&now, &kept_)) return;
  (void)::sched_setaffinity(thread, sizeof before_, &before_);
}

}  // namespace nasvm

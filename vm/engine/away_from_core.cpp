#include "vm/engine/away_from_core.hpp"

#include <unistd.h>

#include <utility>

#include "vm/machine_topology.hpp"

namespace nasvm::engine {

bool AwayFromCore::leave(int core) {
  come_back();
  before_ = usable_core_numbers();
  kept_ = before_;
  std::erase(kept_, core);
  if (kept_.empty() || !bind_to_cores(kept_)) return false;
  thread_ = ::gettid();
  return true;
}

void AwayFromCore::come_back() {
  const pid_t thread = std::exchange(thread_, 0);
  if (thread != 0 && usable_core_numbers(thread) == kept_) (void)bind_to_cores(before_, thread);
}

}  // namespace nasvm::engine

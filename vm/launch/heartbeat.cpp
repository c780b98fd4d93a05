#include "vm/launch/heartbeat.hpp"

#include <algorithm>

namespace nasvm {

bool Heartbeat::beat(TimePoint now) {
  if (now - last_ < interval) return false;
  const bool paused = now - last_ > 3 * interval;
  last_ = now;
  if (paused) std::ranges::fill(heard_, now);
  return true;
}

}  // namespace nasvm

#include "vm/launch/heartbeat.hpp"

#include <algorithm>

namespace nasvm {

bool Heartbeat::beat(TimePoint now) {
  if (pauses_.look(now)) std::ranges::fill(heard_, now);
  if (now - last_ < interval) return false;
  last_ = now;
  return true;
}

}  // namespace nasvm

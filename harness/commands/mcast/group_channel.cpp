#include "harness/commands/mcast/group_channel.hpp"

#include "vm/status.hpp"

namespace nasvm {

std::unique_ptr<MulticastChannel> open_group(Task&, const McastOrder& order) {
  throw RunError("multicast groups between tasks are not in this program yet: " + order.protocol);
}

}  // namespace nasvm

#pragma once
/// \file
/// A multicast protocol between all tasks of a Comm: a static group, rank 0 its sender.

#include <memory>
#include <string>

#include "harness/commands/mcast/channel.hpp"
#include "vm/broadcast/static_group.hpp"
#include "vm/task.hpp"

namespace nasvm {

/// Collective over the task's world. Blocks until all have joined. Throws UsageError (a protocol that this program
/// has not), RunError.
std::unique_ptr<MulticastChannel> open_group(Task& task, const std::string& protocol,
                                             const multicast::GroupOptions& options);

}  // namespace nasvm

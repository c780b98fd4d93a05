#pragma once
/// \file
/// `nasvm hosts --multicast`: whom IP multicast reaches. One task of each host makes a group with the others, as
/// broadcasts do, and says what came of it.

#include <string>
#include <string_view>
#include <vector>

#include "harness/commands/hosts/survey.hpp"
#include "harness/session/machines.hpp"
#include "vm/task.hpp"

namespace nasvm {

inline constexpr std::string_view order_kind_reach = "reach";

/// The order that asks for it: nothing but its kind.
std::string reach_order();
/// The text of this task's HostReach, of a program with one task on each host, in their order. Collective.
std::string describe_reach(Task& task);

/// Asks one task of each host. Blocks; throws RunError when hosts do not answer each other at all.
std::vector<HostReach> reach_of_hosts(Machines& machines, const Machine::Options& options);

}  // namespace nasvm

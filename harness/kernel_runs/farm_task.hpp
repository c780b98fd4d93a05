#pragma once
/// \file
/// Tasks of a variant whose work is farmed out (KernelVariant::farmed): the one that the console starts, which leads,
/// and those that it spawns.

#include <string>
#include <string_view>

#include "harness/kernel_runs/task_report.hpp"
#include "vm/task.hpp"

namespace nasvm {

// The kinds of their orders, which have that of the kernel in them.
inline constexpr std::string_view order_kind_leader = "leader";
inline constexpr std::string_view order_kind_worker = "worker";

/// The order of the leader of so many workers.
std::string leader_order(const TaskOrder& order, int workers);

// Both carry out the task's order and return the text of its TaskReport. They block.
std::string lead_farm(Task& task);
std::string serve_farm(Task& task);

}  // namespace nasvm

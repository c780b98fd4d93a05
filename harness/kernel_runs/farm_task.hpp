#pragma once
/// \file
/// Tasks of a variant whose work is farmed out (KernelVariant::farmed): the one that the console starts, which leads,
/// and those that it spawns.

#include <string>
#include <string_view>

#include "vm/task.hpp"

namespace nasvm {

/// The order of a worker: the leader's, in a record of this kind.
inline constexpr std::string_view order_kind_worker = "worker";

/// Does the order, of whatever kind, name such a variant? Then its task leads.
bool is_farmed(std::string_view order_text);

// Both carry out the task's order and return the text of its TaskReport. They block.
std::string lead_farm(Task& task);
std::string serve_farm(Task& task);

}  // namespace nasvm

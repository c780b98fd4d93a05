#pragma once
/// \file
/// What the console and the tasks of a message system (vm/system/task.hpp) say to each other. The order goes through
/// the environment. Tasks write lines to standard error, each at once: the prefix, then a JSON object: {"rank",
/// "pid", "host"} when they have joined, {"rank", "exit", "text"} when they give up. In the end rank 0 writes one
/// line to standard output, and it alone writes there: the prefix, then a JSON array of what each rank has reported.

#include <string_view>

namespace nasvm::system_protocol {

/// The environment variable of the order: {"setup", "parameters", "own_cores"} (how many to bind to; 0: none), and
/// {"rank", "size"} where the launcher gives ranks.
inline constexpr const char* order_variable = "NASVM_TASK_ORDER";
inline constexpr std::string_view line_prefix = "nasvm-task ";

}  // namespace nasvm::system_protocol

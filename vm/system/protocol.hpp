#pragma once
/// \file
/// What the console and the tasks of a message system (vm/system/task.hpp) say to each other.
///
/// The order goes to each task through the environment, as JSON: {"setup", "parameters", "own_cores"}, and {"rank",
/// "size", "hosts"} where the launcher gives ranks; there is no secret in it. Tasks write lines to standard error,
/// each at once: a prefix, then a JSON object: {"rank", "pid", "host"} when they have joined, {"rank", "exit",
/// "text"} when they give up. In the end rank 0 writes one line to standard output, and it alone writes there: the
/// prefix, then a JSON array of what each rank has reported.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "vm/endpoint.hpp"
#include "vm/parameters.hpp"
#include "vm/status.hpp"

namespace nasvm::system_protocol {

/// The environment variable of the order.
inline constexpr const char* order_variable = "NASVM_TASK_ORDER";

struct Order {
  std::string setup;       ///< what the console says to all tasks of the program
  Parameters parameters;   ///< of the system
  int own_cores = 0;       ///< how many each task binds itself to; 0: none
  Rank rank = any_source;  ///< where the launcher gives ranks, else any_source
  int size = 0;            ///< number of tasks, where the launcher gives ranks
  int hosts = 1;           ///< of the system's own machine, where the launcher makes one
};

/// "NAME=value", for the environment of a task.
std::string to_variable(const Order& order);
/// The order of this process. Throws UsageError when there is none in its environment.
Order own_order();

/// A task has joined the program.
struct Joined {
  Rank rank = 0;
  long pid = 0;
  std::string host;
};
/// A task gives up; `rank` is -1 when it has not got one.
struct GaveUp {
  Rank rank = -1;
  Exit exit_status = Exit::broken;
  std::string text;
};

/// Lines, with their newline.
std::string to_line(const Joined& joined);
std::string to_line(const GaveUp& gave_up);
std::string to_line(const std::vector<std::string>& reports);

/// What a task has written to standard error, or rank 0 to standard output; none: the line is not of the protocol.
/// Something else may stand before it in the line.
std::optional<std::variant<Joined, GaveUp>> parse_task_line(const std::string& line);
std::optional<std::vector<std::string>> parse_reports(const std::string& line);

}  // namespace nasvm::system_protocol

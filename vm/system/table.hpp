#pragma once
/// \file
/// The table of message systems: systems that carry the messages of whole programs by themselves. They are started by
/// a launcher of their own, are not part of `auto` and not joined with transports. A new one is a folder and one row
/// (table.cpp); the command line, the tests and the build read it.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vm/launch/hostfile.hpp"
#include "vm/parameters.hpp"
#include "vm/system/processes.hpp"

namespace nasvm {

struct SystemRow {
  std::string_view name;  ///< also of its folder, and of its tasks' program: nasvm-NAME-task
  std::string_view description;
  std::string_view packages;  ///< Debian's, that the build and the runs need
  /// `rsh`: the user's remote shell (--rsh), or empty. Throws UsageError when the system is not installed, or does
  /// not reach the hosts.
  SystemStarter (*starter)(std::vector<HostSpec> hosts, const std::string& rsh);
  std::span<const ParameterRow> parameters;
};

std::span<const SystemRow> message_systems();
/// Null when there is none of that name.
const SystemRow* find_system(std::string_view name);

/// A message system with what the user set of its parameters.
struct SystemChoice {
  const SystemRow* row = nullptr;
  Parameters parameters;
};

/// Reads an order of the command line: the message system that it names ("mpi:over=tcp"); none when it is an order of
/// transports ("shm+direct", "auto"). Throws UsageError when it is neither.
std::optional<SystemChoice> system_of(std::string_view order);
/// Throws as system_of does.
bool is_message_system(std::string_view order);

/// The parameters of all message systems, one a line, for --help.
std::string describe_system_parameters();

}  // namespace nasvm

#pragma once
/// \file
/// What the user asked `nasvm vm` for.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/command_line.hpp"
#include "harness/cli/options.hpp"

namespace nasvm {

enum class VmAction : std::uint8_t { console, start, status, add, remove, ps, stop };

/// By action; the first is that of no word.
inline constexpr std::array<std::string_view, 7> vm_action_names{"",       "start", "status", "add",
                                                                 "remove", "ps",    "stop"};

struct VmOptions {
  VmAction action = VmAction::console;
  std::string name;                ///< of the machine; empty: none was given
  std::vector<std::string> hosts;  ///< of add and remove
  MachineOptions machine;          ///< of start; add has its hostfile
  std::string format = "table";
  std::vector<std::string> words;  ///< as typed
};

/// They receive their values, and are checked, once the line has been read.
void add_vm_options(CommandLine& line, VmOptions& options);

/// PVM's words for actions (conf, delete, halt) as ours; others stay as they are.
std::string_view own_word(std::string_view word);

}  // namespace nasvm

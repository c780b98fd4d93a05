#pragma once
/// \file
/// The state of kept machines as text.

#include <span>
#include <string>
#include <vector>

#include "vm/keeper/kept_machine.hpp"

namespace nasvm {

/// For people: hosts, what is done, what waits.
std::string machine_table(const keeper::State& state, std::size_t width = 0);
/// The tasks of the program that is running.
std::string tasks_table(const keeper::State& state, std::size_t width = 0);
/// A line for each machine: its name, and what there is to say of it.
struct MachineLine {
  std::string name;
  std::string text;
};
std::string machines_table(const std::vector<MachineLine>& machines, std::size_t width = 0);

/// The same as JSON of schema "nasvm-vm/1".
std::string machine_json(const keeper::State& state);

}  // namespace nasvm

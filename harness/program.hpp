#pragma once
/// \file
/// The program `nasvm` without its process: command line in, exit status out.

#include <span>
#include <string>

#include "harness/command.hpp"

namespace nasvm {

/// Does what the command line says; `arguments[0]` is the program's name. Every error becomes one line on
/// `console.err` and its exit status (docs/results.md); nothing is thrown.
int program(std::span<const std::string> arguments, const Tables& tables, const Console& console);

}  // namespace nasvm

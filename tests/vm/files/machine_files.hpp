#pragma once
/// \file
/// Programs that use shared files on the machine: where they put them, how they are started.

#include <string>
#include <string_view>
#include <vector>

#include "support/folder.hpp"
#include "support/task_bodies.hpp"

namespace nasvm::test {

/// Of tasks with that body (files_bodies.hpp).
inline Machine::Program files_program(std::string_view body, int size, std::string_view transport,
                                      const std::string& path, const std::vector<int>& numbers = {}) {
  Machine::Program program = program_of(body, size, transport);
  program.setup += "\n" + path;
  for (const int number : numbers) program.setup += "\n" + std::to_string(number);
  return program;
}

}  // namespace nasvm::test

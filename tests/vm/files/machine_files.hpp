#pragma once
/// \file
/// Programs that use shared files on the machine: where they put them, how they are started.

#include <stdlib.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "support/task_bodies.hpp"

namespace nasvm::test {

/// A folder on disk that goes with the test.
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "nasvm-files-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no folder for the test");
    path_ = pattern;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// Of tasks with that body (files_bodies.hpp).
inline Machine::Program files_program(std::string_view body, int size, std::string_view transport,
                                      const std::string& path, const std::vector<int>& numbers = {}) {
  Machine::Program program = program_of(body, size, transport);
  program.setup += "\n" + path;
  for (const int number : numbers) program.setup += "\n" + std::to_string(number);
  return program;
}

}  // namespace nasvm::test

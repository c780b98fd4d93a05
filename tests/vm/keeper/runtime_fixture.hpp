#pragma once
/// \file
/// A runtime folder of a test's own, so that no test meets machines of its user's.

#include <cstdlib>
#include <filesystem>
#include <string>

namespace nasvm::test {

class RuntimeFixture {
 public:
  RuntimeFixture() {
    std::string pattern = std::filesystem::temp_directory_path() / "nasvm-test-XXXXXX";
    folder = ::mkdtemp(pattern.data());
    ::setenv("XDG_RUNTIME_DIR", folder.c_str(), 1);
  }
  ~RuntimeFixture() {
    ::unsetenv("XDG_RUNTIME_DIR");
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  RuntimeFixture(const RuntimeFixture&) = delete;
  RuntimeFixture& operator=(const RuntimeFixture&) = delete;

  /// No machine has left anything.
  [[nodiscard]] bool is_empty() const { return std::filesystem::is_empty(folder); }

  std::string folder;
};

}  // namespace nasvm::test

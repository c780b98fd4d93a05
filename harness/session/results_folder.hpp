#pragma once
/// \file
/// The folder into which a command writes its results, other programs' files among them.

#include <filesystem>
#include <string_view>
#include <vector>

namespace nasvm {

class ResultsFolder {
 public:
  /// Makes it where it is not there. `path` is from the root on. Throws UsageError, which names the option.
  ResultsFolder(std::string_view option, const std::filesystem::path& path);
  /// Where nothing has come into it, it and the folders around it that were made are removed again.
  ~ResultsFolder();
  ResultsFolder(const ResultsFolder&) = delete;
  ResultsFolder& operator=(const ResultsFolder&) = delete;

 private:
  std::vector<std::filesystem::path> made_;  ///< the innermost first
};

}  // namespace nasvm

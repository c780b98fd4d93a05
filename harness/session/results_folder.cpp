#include "harness/session/results_folder.hpp"

#include <system_error>

#include <fmt/format.h>

#include "vm/status.hpp"

namespace nasvm {

ResultsFolder::ResultsFolder(std::string_view option, const std::filesystem::path& path) {
  std::error_code error;
  for (std::filesystem::path folder = path; !std::filesystem::exists(folder, error); folder = folder.parent_path()) {
    if (error || folder == folder.root_path()) break;
    made_.push_back(folder);
  }
  std::filesystem::create_directories(path, error);
  if (error) throw UsageError(fmt::format("{} {}: {}", option, path.string(), error.message()));
}

ResultsFolder::~ResultsFolder() {
  std::error_code error;
  for (const std::filesystem::path& folder : made_) {
    if (!std::filesystem::remove(folder, error)) return;  // something is in it
  }
}

}  // namespace nasvm

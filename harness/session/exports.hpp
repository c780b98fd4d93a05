#pragma once
/// \file
/// The files that commands which measure write beside their output.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/document/document.hpp"
#include "harness/session/output.hpp"

namespace nasvm {

/// Makes the whole text of a file from the results.
using Render = std::function<std::string(std::span<const Source> sources)>;

/// All exports of a run, open from the beginning.
class Exports {
 public:
  /// Which file gets which format.
  struct Target {
    std::string path;  ///< "" for none
    Render render;
  };

  /// Opens every file that is named. Throws UsageError.
  explicit Exports(std::vector<Target> targets);

  /// Writes the present state of the results into the files (not into pipes and devices), while there are more runs
  /// to come: what goes wrong now may be right at the end. As long as there are no results, files stay as they were.
  void update(std::span<const Source> sources) noexcept;
  /// Writes every file for the last time, all of them even if one fails; none when there are no results. Throws
  /// RunError for the first that fails.
  void finish(std::span<const Source> sources);

 private:
  struct Export {
    Render render;
    OutputFile file;
  };

  std::vector<Export> exports_;
};

}  // namespace nasvm

#pragma once
/// \file
/// The files that `nasvm run` writes beside its output.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/options.hpp"
#include "harness/output.hpp"
#include "harness/report/report.hpp"

namespace nasvm {

/// All exports of a run, open from the beginning.
class Exports {
 public:
  /// Opens every file that the options name. Throws UsageError.
  explicit Exports(const RunOptions& options);

  /// Writes the present state of the results into the files (not into pipes and devices). Throws RunError.
  void begin(std::span<const Source> sources);
  /// The same, while there are more runs to come: what goes wrong now may be right at the end.
  void update(std::span<const Source> sources) noexcept;
  /// Writes every file for the last time, all of them even if one fails. Throws RunError for the first that does.
  void finish(std::span<const Source> sources);

 private:
  struct Export {
    const Format* format;
    OutputFile file;
  };
  void add(const std::string& path, std::string_view format);

  std::vector<Export> exports_;
};

}  // namespace nasvm

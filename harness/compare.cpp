#include "harness/compare.hpp"

#include <algorithm>
#include <vector>

#include "harness/cases.hpp"
#include "harness/report/report.hpp"

namespace nasvm {

Exit compare(const CompareOptions& options, const Console& console) {
  std::vector<Source> sources;
  for (const std::string& file : options.files) sources.push_back({file, read_document(file)});
  console.out(find_format(options.format)->render(sources));
  const bool verified = std::all_of(sources.begin(), sources.end(), [](const Source& source) {
    const auto& runs = source.document.runs;
    return std::all_of(runs.begin(), runs.end(), [](const RunRecord& run) { return run.verified; });
  });
  return verified ? Exit::ok : Exit::failed;
}

}  // namespace nasvm

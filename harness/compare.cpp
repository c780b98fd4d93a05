#include "harness/compare.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "harness/cases.hpp"
#include "harness/p2p/report/report.hpp"
#include "harness/report/report.hpp"

namespace nasvm {

namespace {

bool is_p2p(const Source& source) { return !source.document.p2p.empty(); }

std::string rendered(const std::vector<Source>& sources, const std::string& format) {
  const auto p2p = std::find_if(sources.begin(), sources.end(), is_p2p);
  const auto other = std::find_if_not(sources.begin(), sources.end(), is_p2p);
  if (p2p != sources.end() && other != sources.end()) {
    throw UsageError(fmt::format("{} is of nasvm p2p, {} is not: compare like with like", p2p->file, other->file));
  }
  if (p2p != sources.end()) {
    if (const P2pFormat* found = find_p2p_format(format)) return found->render(sources, false);
  } else if (const Format* found = find_format(format)) {
    return found->render(sources);
  }
  throw UsageError(fmt::format("--format {}: not made for {}; table is", format, sources.front().file));
}

bool verified(const Document& document) {
  return std::all_of(document.runs.begin(), document.runs.end(), [](const RunRecord& run) { return run.verified; }) &&
         std::none_of(document.p2p.begin(), document.p2p.end(),
                      [](const P2pRecord& record) { return record.data == DataCheck::failed; });
}

}  // namespace

Exit compare(const CompareOptions& options, const Console& console) {
  std::vector<Source> sources;
  for (const std::string& file : options.files) sources.push_back({file, read_document(file)});
  console.out(rendered(sources, options.format));
  const bool good = std::all_of(sources.begin(), sources.end(),
                                [](const Source& source) { return verified(source.document); });
  return good ? Exit::ok : Exit::failed;
}

}  // namespace nasvm

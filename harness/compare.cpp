#include "harness/compare.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "harness/cases.hpp"
#include "harness/p2p/report/report.hpp"
#include "harness/report/report.hpp"

namespace nasvm {

namespace {

/// What results the document has, for messages.
std::string results_of(const Document& document) {
  const std::optional<P2pKind> kind = p2p_kind_of(document);
  if (!kind) return "nasvm run";
  return *kind == P2pKind::pair ? "nasvm p2p" : fmt::format("nasvm p2p {}", option_of(*kind));
}

std::string rendered(const std::vector<Source>& sources, const std::string& format) {
  const std::string results = results_of(sources.front().document);
  for (const Source& source : sources) {
    const std::string others = results_of(source.document);
    if (others == results) continue;
    throw UsageError(fmt::format("{} is of {}, {} of {}: compare like with like", sources.front().file, results,
                                 source.file, others));
  }
  if (p2p_kind_of(sources.front().document)) {
    if (const P2pFormat* found = find_p2p_format(format)) return found->render(sources, false);
  } else if (const Format* found = find_format(format)) {
    return found->render(sources);
  }
  throw UsageError(fmt::format("--format {}: not made for {}; table is", format, sources.front().file));
}

bool verified(const Document& document) {
  const auto right = [](const auto& record) { return record.data != DataCheck::failed; };
  return std::ranges::all_of(document.runs, &RunRecord::verified) && std::ranges::all_of(document.p2p, right) &&
         std::ranges::all_of(document.collectives, right);
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

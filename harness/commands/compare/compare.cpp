#include "harness/commands/compare/compare.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "harness/report/cases.hpp"
#include "harness/commands/p2p/report/report.hpp"
#include "harness/commands/peers/report/report.hpp"
#include "harness/report/formats.hpp"
#include "harness/commands/roofline/report/report.hpp"

namespace nasvm {

namespace {

using RenderSources = std::function<std::string(std::span<const Source>)>;

/// What made a document, and how its results are printed.
struct Kind {
  std::string_view command;
  bool (*made)(const Document& document);
  RenderSources (*find_renderer)(const std::string& format);  ///< empty when there is no such format
};

RenderSources find_renderer(const std::string& format, std::span<const Format> among) {
  const Format* found = find_format(format, among);
  return found == nullptr ? RenderSources() : RenderSources(found->render);
}

RenderSources find_p2p_renderer(const std::string& format) {
  const P2pFormat* found = find_p2p_format(format);
  if (found == nullptr) return {};
  return [found](std::span<const Source> sources) { return found->render(sources, false); };
}

/// The last fits every document.
constexpr std::array kinds{
    Kind{"p2p", [](const Document& document) { return p2p_kind_of(document).has_value(); }, find_p2p_renderer},
    Kind{"peers", [](const Document& document) { return !document.peers.empty(); },
         [](const std::string& format) { return find_renderer(format, peers_formats()); }},
    Kind{"roofline", [](const Document& document) { return !document.limits.empty(); },
         [](const std::string& format) { return find_renderer(format, roofline_formats()); }},
    Kind{"run", [](const Document&) { return true; },
         [](const std::string& format) { return find_renderer(format, formats()); }},
};

const Kind& kind_of(const Document& document) {
  return *std::ranges::find_if(kinds, [&](const Kind& kind) { return kind.made(document); });
}

/// The command that made the document, with the option that says which kind of results it has.
std::string command_of(const Document& document) {
  const std::optional<P2pKind> kind = p2p_kind_of(document);
  const bool special = kind && *kind != P2pKind::pair;
  return fmt::format("nasvm {}{}{}", kind_of(document).command, special ? " " : "", special ? option_of(*kind) : "");
}

std::string rendered(const std::vector<Source>& sources, const std::string& format) {
  const Source& first = sources.front();
  const std::string command = command_of(first.document);
  for (const Source& source : sources) {
    const std::string other = command_of(source.document);
    if (other == command) continue;
    throw UsageError(
        fmt::format("{} is of {}, {} of {}: compare like with like", first.file, command, source.file, other));
  }
  const RenderSources render = kind_of(first.document).find_renderer(format);
  if (!render) throw UsageError(fmt::format("--format {}: not made for {}; table is", format, first.file));
  return render(sources);
}

bool verified(const Document& document) {
  const auto right = [](const auto& record) { return record.data != DataCheck::failed; };
  return std::ranges::all_of(document.runs, &RunRecord::verified) && std::ranges::all_of(document.p2p, right) &&
         std::ranges::all_of(document.collectives, right) &&
         std::ranges::all_of(document.peers, &PeerRecord::verified);
}

bool has_results(const Document& document) {
  return !document.runs.empty() || p2p_kind_of(document) || !document.peers.empty() || !document.limits.empty();
}

}  // namespace

Exit compare(const CompareOptions& options, const Console& console) {
  std::vector<Source> sources;
  for (const std::string& file : options.files) {
    sources.push_back({file, read_document(file)});
    if (has_results(sources.back().document)) continue;
    throw UsageError(
        fmt::format("{}: has no results; compare takes what run, p2p, peers or roofline have exported "
                    "(--export-json)",
                    file));
  }
  console.out(rendered(sources, options.format));
  const bool good =
      std::all_of(sources.begin(), sources.end(), [](const Source& source) { return verified(source.document); });
  return good ? Exit::ok : Exit::failed;
}

}  // namespace nasvm

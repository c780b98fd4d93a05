#include "harness/session/exports.hpp"

#include <algorithm>
#include <utility>

#include "vm/status.hpp"

namespace nasvm {
namespace {

/// Results of an earlier run stay in their file until there are new ones.
bool is_empty(std::span<const Source> sources) {
  return std::ranges::none_of(sources, [](const Source& source) { return source.document.has_results(); });
}

}  // namespace

Exports::Exports(std::vector<Target> targets) {
  for (Target& target : targets) {
    if (!target.path.empty()) exports_.push_back({std::move(target.render), OutputFile(target.path)});
  }
}

void Exports::update(std::span<const Source> sources) noexcept {
  if (is_empty(sources)) return;
  try {
    for (Export& one : exports_) {
      if (one.file.is_rewritable()) one.file.rewrite(one.render(sources));
    }
  } catch (const std::exception&) {
    // finish() tries again and reports.
  }
}

void Exports::finish(std::span<const Source> sources) {
  if (is_empty(sources)) return;
  std::optional<RunError> first;
  for (Export& one : exports_) {
    try {
      one.file.rewrite(one.render(sources));
    } catch (const RunError& error) {
      if (!first) first = error;
    }
  }
  if (first) throw RunError(*first);
}

}  // namespace nasvm

#include "harness/exports.hpp"

#include "vm/status.hpp"

namespace nasvm {

Exports::Exports(const RunOptions& options) {
  add(options.export_json, "json");
  add(options.export_csv, "csv");
  add(options.export_markdown, "markdown");
}

void Exports::add(const std::string& path, std::string_view format) {
  if (!path.empty()) exports_.push_back({find_format(format), OutputFile(path)});
}

void Exports::begin(std::span<const Source> sources) {
  for (Export& one : exports_) {
    if (one.file.is_rewritable()) one.file.rewrite(one.format->render(sources));
  }
}

void Exports::update(std::span<const Source> sources) noexcept {
  try {
    begin(sources);
  } catch (const std::exception&) {
    // finish() tries again and reports.
  }
}

void Exports::finish(std::span<const Source> sources) {
  std::optional<RunError> first;
  for (Export& one : exports_) {
    try {
      one.file.rewrite(one.format->render(sources));
    } catch (const RunError& error) {
      if (!first) first = error;
    }
  }
  if (first) throw RunError(*first);
}

}  // namespace nasvm

#include "harness/commands/p2p/p2p.hpp"

#include <exception>
#include <memory>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "harness/session/attempt.hpp"
#include "harness/document/build_info.hpp"
#include "harness/report/cases.hpp"
#include "harness/session/exports.hpp"
#include "harness/document/machine_info.hpp"
#include "harness/commands/p2p/collective/collective.hpp"
#include "harness/commands/p2p/plan.hpp"
#include "harness/commands/p2p/report/report.hpp"
#include "harness/session/progress.hpp"
#include "harness/report/numbers.hpp"

namespace nasvm {
namespace {

Render renderer(const P2pOptions& options, std::string_view format) {
  return [&options, render = find_p2p_format(format)->renderer(options.kind)](std::span<const Source> sources) {
    return render(sources, options.full);
  };
}

Exports open_exports(const P2pOptions& options) {
  return Exports({{options.export_json, renderer(options, "json")},
                  {options.export_csv, renderer(options, "csv")},
                  {options.export_markdown, renderer(options, "markdown")}});
}

/// Adds records of one path to the document's; says whether their data arrived right.
template <typename Record>
bool add(std::vector<Record>& records, const P2pSpec& spec, std::vector<Record>& all) {
  bool right = true;
  for (Record& record : records) {
    record.transport = spec.path;
    record.repeat = spec.repeat;
    right = right && record.data != DataCheck::failed;
    all.push_back(std::move(record));
  }
  return right;
}

/// Adds records of two paths at once, which have their transports already.
void add_mixed(std::vector<MixedRecord>& records, const P2pSpec& spec, std::vector<MixedRecord>& all) {
  for (MixedRecord& record : records) {
    record.repeat = spec.repeat;
    record.skip_poll = spec.skip_poll;
    all.push_back(std::move(record));
  }
}

/// Carries out the plan; the results grow in `source`. Says whether all data arrived right.
bool carry_out(const std::vector<P2pSpec>& plan, P2pExecutor& executor, Source& source, Exports& exports,
               Progress& progress) {
  bool right = true;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    progress.show(fmt::format("p2p, {}", plan[i].path), i, plan.size());
    P2pReport report = executor.run(plan[i]);
    for (const std::string& complaint : report.complaints) {
      progress.note(fmt::format("{}: data arrived wrong: {}", plan[i].path, complaint));
    }
    right = add(report.records, plan[i], source.document.p2p) && right;
    right = add(report.collectives, plan[i], source.document.collectives) && right;
    add_mixed(report.mixed, plan[i], source.document.mixed);
    exports.update(std::span(&source, 1));
  }
  return right;
}

}  // namespace

void check_memory(const P2pOptions& options, std::uint64_t available_bytes) {
  if (!options.hostfile.empty()) return;
  for (const std::string& name : options.collectives) {
    const Collective& collective = *find_collective(name);
    for (const std::uint64_t bytes : collective.sizes_among(options.sizes)) {
      const std::uint64_t needed_bytes = collective.memory_bytes(bytes, options.np);
      if (needed_bytes <= available_bytes) continue;
      throw RunError(
          fmt::format("no memory: {} of {} bytes with {} tasks needs {} ({} bytes), {} ({} bytes) are "
                      "available; smaller sizes (-m) would fit",
                      name, bytes, options.np, bytes_text(needed_bytes), needed_bytes, bytes_text(available_bytes),
                      available_bytes));
    }
  }
}

Exit p2p(const P2pOptions& options, const P2pExecutorFactory& make_executor, const Console& console) {
  check_memory(options, available_memory_bytes());
  Exports exports = open_exports(options);
  Progress progress(console);
  std::unique_ptr<P2pExecutor> executor = make_executor(options);
  Source source{"", begin_document(options.command, executor->machine())};
  const std::span<const Source> sources(&source, 1);

  bool right = true;
  std::exception_ptr error;
  attempt(error, [&] { right = carry_out(make_p2p_plan(options), *executor, source, exports, progress); });
  progress.clear();
  attempt(error, [&] { executor.reset(); });
  attempt(error, [&] { exports.finish(sources); });
  if (!error || p2p_kind_of(source.document).has_value()) {
    attempt(error, [&] { console.out(renderer(options, options.format)(sources)); });
  }
  if (error) std::rethrow_exception(error);
  return right ? Exit::ok : Exit::failed;
}

}  // namespace nasvm

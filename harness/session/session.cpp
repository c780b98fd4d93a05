#include "harness/session/session.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

#include "harness/document/build_info.hpp"
#include "harness/session/attempt.hpp"
#include "harness/session/exports.hpp"

namespace nasvm {
namespace {

Exports open_exports(const Showing& showing) {
  const auto target = [&](const std::string& path, std::string_view format) {
    return Exports::Target{
        path, [&showing, format](std::span<const Source> sources) {
          return find_format(showing.formats, format, showing.view)->render({showing.view, sources, showing.columns});
        }};
  };
  return Exports({target(showing.output.export_json, "json"), target(showing.output.export_csv, "csv"),
                  target(showing.output.export_markdown, "markdown"), target(showing.output.export_svg, "svg")});
}

/// So that a document which is not complete says so, whatever ends the session.
void note_progress(Document& document, std::size_t done, std::size_t planned) {
  if (done < planned) document.interrupted = PartRecord{done, planned};
  else document.interrupted.reset();
}

void carry_out(Measurement& measurement, Source& source, Exports& exports, Progress& progress) {
  std::vector<std::string> steps = measurement.steps();
  note_progress(source.document, 0, steps.size());
  for (std::size_t done = 0; done < steps.size();) {
    progress.show(steps, done);
    measurement.carry_out(done, source.document, progress);
    if (++done == steps.size()) {
      std::ranges::move(measurement.more_steps(source.document, progress), std::back_inserter(steps));
    }
    note_progress(source.document, done, steps.size());
    exports.update(std::span(&source, 1));
  }
}

}  // namespace

Exit measure(Measurement& measurement, const Showing& showing, std::vector<std::string> command,
             const Console& console) {
  const Format& format = *find_format(showing.formats, showing.output.format, showing.view);
  Exports exports = open_exports(showing);
  Progress progress(console);
  Source source{"", begin_document(std::move(command), measurement.start())};
  const std::span<const Source> sources(&source, 1);
  measurement.add_facts(source.document);

  std::exception_ptr error;
  attempt(error, [&] { carry_out(measurement, source, exports, progress); });
  if (source.document.has_results()) attempt(error, [&] { measurement.judge(source.document); });
  progress.clear();
  attempt(error, [&] { measurement.stop(); });
  attempt(error, [&] { exports.finish(sources); });
  if (!error || source.document.has_results()) {
    attempt(error, [&] {
      console.out(format.render({showing.view, sources, showing.columns, console.out_columns}));
    });
  }
  if (error) std::rethrow_exception(error);
  measurement.advise(source, progress);
  return measurement.status();
}

}  // namespace nasvm

#include <fmt/format.h>

#include "harness/document/csv.hpp"
#include "harness/commands/roofline/bound.hpp"
#include "harness/commands/roofline/report/report.hpp"
#include "harness/commands/roofline/report/work_of.hpp"

namespace nasvm {
namespace {

constexpr std::string_view head =
    "file,kernel,class,np,threads,transport,variant,repeat,verified,time_s,operations,bytes,working_set_bytes,level,"
    "bound,compute_s,transfer_s,created\n";

std::string line(const Source& source, const RunRecord& run) {
  const Document& document = source.document;
  const WorkRecord* work = find_work(document, run.kernel, run.problem_class, run.np, run.variant);
  if (work == nullptr) return {};
  const Bound bound = bound_of(*work, run.np * run.threads, document.limits);
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(source.file),
                     csv_field(run.kernel), run.problem_class, run.np, run.threads, csv_field(run.transport),
                     csv_field(run.variant), run.repeat, run.verified,
                     run.verified ? fmt::format("{}", run.time_s) : "", work->operations, work->bytes,
                     work->working_set_bytes, bound.level, bound.what(), bound.compute_s, bound.transfer_s,
                     csv_field(document.created));
}

}  // namespace

std::string render_roofline_csv(std::span<const Source> sources) {
  std::string text(head);
  for (const Source& source : sources) {
    for (const RunRecord& run : source.document.runs) text += line(source, run);
  }
  return text;
}

}  // namespace nasvm

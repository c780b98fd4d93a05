#include "harness/commands/reproduce/lines.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "kernels/kernel.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

double known(double value) { return value > 0 ? value : unknown; }

ReproducedLine line_of(const PaperRow& row, std::string_view transport, const PaperTimes& times, double capacity) {
  return {std::string(paper_line),
          std::string(transport),
          known(times.time_s),
          known(row.volume_bytes()),
          known(static_cast<double>(row.messages)),
          known(times.comm_s),
          known(times.idle_s),
          communication_efficiency(row.volume_bytes(), times.comm_s, capacity),
          ""};
}

ReproducedLine line_of(const Case& one, double capacity) {
  const RunRecord& first = *one.records.front();
  const auto volume = static_cast<double>(first.comm.volume_bytes);
  const double comm_s = one.median_of([](const RunRecord& run) { return run.comm.time_max_s; });
  return {first.variant,
          one.transport,
          one.median_of(&RunRecord::time_s),
          volume,
          static_cast<double>(first.comm.messages),
          comm_s,
          one.median_of([](const RunRecord& run) { return run.comm.idle_max_s; }),
          communication_efficiency(volume, comm_s, capacity),
          one.wrong() ? "FAILED" : "yes"};
}

Reproduction begin_reproduction(const TestbedRecord& testbed, const RunRecord& run) {
  Reproduction begun{run.kernel, run.problem_class, run.np, find_paper_row(testbed.name, run.kernel), {}};
  const bool same_problem =
      begun.paper != nullptr && begun.paper->problem_class == run.problem_class && begun.paper->tasks == run.np;
  if (!same_problem) begun.paper = nullptr;
  if (begun.paper == nullptr) return begun;
  const double capacity = capacity_bytes_s(testbed, run.np);
  for (const auto& [transport, times] :
       {std::pair(paper_daemon, begun.paper->daemon), std::pair(paper_fsend, begun.paper->fsend)}) {
    if (times.time_s > 0) begun.lines.push_back(line_of(*begun.paper, transport, times, capacity));
  }
  return begun;
}

}  // namespace

const TestbedRecord& testbed_of(const Source& source) {
  const auto& all = source.document.records<TestbedRecord>();
  if (all.empty()) throw UsageError(fmt::format("{} is not of nasvm reproduce: it names no testbed", source.file));
  return all.front();
}

const ReproducedLine* Reproduction::find(std::string_view what, std::string_view transport) const {
  const auto found = std::ranges::find_if(
      lines, [&](const ReproducedLine& line) { return line.what == what && line.transport == transport; });
  return found == lines.end() ? nullptr : &*found;
}

const ReproducedLine* Reproduction::find(std::string_view what) const {
  const auto found = std::ranges::find(lines, what, &ReproducedLine::what);
  return found == lines.end() ? nullptr : &*found;
}

std::string usual_variant(std::string_view kernel) {
  const Kernel* found = find_kernel(kernel);
  return found == nullptr ? std::string() : std::string(found->variants.front().name);
}

const YardstickRecord* find_yardstick(const Source& source, const Reproduction& reproduction) {
  const auto& all = source.document.records<YardstickRecord>();
  const auto found = std::ranges::find_if(all, [&](const YardstickRecord& one) {
    return one.kernel == reproduction.kernel && one.problem_class == reproduction.problem_class &&
           one.np == reproduction.np && one.variant == paper_variant;
  });
  return found == all.end() ? nullptr : &*found;
}

std::vector<Reproduction> reproductions_of(const Source& source) {
  const TestbedRecord& testbed = testbed_of(source);
  std::vector<Reproduction> all;
  for (const Group& group : group_runs(std::span(&source, 1))) {
    const RunRecord& run = group.first();
    auto found = std::ranges::find_if(all, [&](const Reproduction& one) {
      return one.kernel == run.kernel && one.problem_class == run.problem_class && one.np == run.np;
    });
    if (found == all.end()) found = all.insert(found, begin_reproduction(testbed, run));
    for (const Case& one : group.cases) found->lines.push_back(line_of(one, capacity_bytes_s(testbed, run.np)));
  }
  return all;
}

}  // namespace nasvm

#include "harness/commands/regress/tolerances.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/commands/regress/saved.hpp"
#include "harness/document/read_text.hpp"

namespace nasvm {
namespace {

constexpr std::string_view tolerance_schema = "nasvm-tolerances/1";

}  // namespace

/// One case.
struct ToleranceEntry {
  std::string name;
  std::string figure;
  double percent = 0;
  Interval ratio{};  ///< of the build to itself
  std::uint64_t launches = 0;
};

static void describe(Fields& fields, ToleranceEntry& entry) {
  fields.text("case", entry.name);
  fields.text("figure", entry.figure);
  fields.real("tolerance_percent", entry.percent);
  fields.real("ratio", entry.ratio.estimate, Need::optional);
  fields.real("ratio_low", entry.ratio.low, Need::optional);
  fields.real("ratio_high", entry.ratio.high, Need::optional);
  fields.count("launches", entry.launches, Need::optional);
}

struct ToleranceFile {
  std::string schema{tolerance_schema};
  std::string created;
  MachineRecord machine;
  BuildRecord build;
  std::vector<ToleranceEntry> cases;
};

static void describe(Fields& fields, ToleranceFile& file) {
  fields.text("schema", file.schema);
  fields.text("created", file.created, Need::optional);
  fields.part("machine", file.machine);
  fields.part("build", file.build);
  fields.list("cases", file.cases);
}

std::string tolerance_file(const Judgement& judgement, const Document& document) {
  ToleranceFile file{std::string(tolerance_schema), document.created, document.machine, document.build, {}};
  for (const CaseVerdict& one : judgement.cases) {
    if (one.verdict != Finding::fine) continue;
    file.cases.push_back({one.name, std::string(one.figure.name), 100 * one.tolerance, one.ratio,
                          one.baseline_samples + one.candidate_samples});
  }
  return to_indented_json(description_of(file));
}

MachineRecord read_tolerances(const std::string& path, Tolerances& tolerances) {
  ToleranceFile file;
  file.schema.clear();
  from_json(read_text(path), path, [&](Fields& fields) { describe(fields, file); });
  if (file.schema != tolerance_schema) {
    throw UsageError(fmt::format("{}: schema is '{}'; expected a file of nasvm regress --calibrate, \"{}\"", path,
                                 file.schema, tolerance_schema));
  }
  if (file.cases.empty()) {
    throw UsageError(
        fmt::format("{}: has no cases; expected a file of nasvm regress --calibrate, with its list \"cases\"", path));
  }
  for (const ToleranceEntry& entry : file.cases) {
    const auto place = fmt::format("{}: {}, {}", path, entry.name, entry.figure);
    if (entry.percent <= 0) throw UsageError(fmt::format("{}: tolerance_percent is not above 0", place));
    const bool is_first = tolerances.by_case.emplace(std::pair(entry.name, entry.figure), entry.percent / 100).second;
    if (!is_first) throw UsageError(fmt::format("{}: stands there twice; leave one of them out", place));
  }
  return file.machine;
}

void check_calibrated_machine(const std::string& path, const MachineRecord& calibrated, const MachineRecord& here) {
  const std::string difference = machine_difference(calibrated, here);
  if (difference.empty()) return;
  throw UsageError(fmt::format("{}: was made on another machine: {}; calibrate here, or --force", path, difference));
}

}  // namespace nasvm

#include "harness/commands/regress/samples.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "harness/statistics.hpp"
#include "harness/text.hpp"

namespace nasvm {
namespace {

ComparedCase& case_of(std::vector<ComparedCase>& cases, const Compared& record) {
  const auto same = [&](const ComparedCase& one) {
    return one.name == record.name && one.figure.name == record.figure.name;
  };
  const auto found = std::ranges::find_if(cases, same);
  return found != cases.end() ? *found : cases.emplace_back(ComparedCase{record.name, record.figure, {}, {}});
}

void add_result(CaseSide& side, const Compared& record) {
  ++side.results;
  if (!record.right) ++side.wrong;
  auto& facts = side.facts.emplace_back();
  for (const Fact& fact : record.facts) facts[fact.name] = fact.value;
}

void add_sample(CaseSide& side, double value, const Sampled& sampled) {
  side.values.push_back(value);
  side.sampled.push_back(sampled);
}

std::vector<Compared> compared_of(const Source& source, std::span<const CommandRow> commands) {
  check_one_kind(source, commands);
  const View* view = view_of(source.document, commands);
  if (view == nullptr || view->compared == nullptr) {
    throw UsageError(
        fmt::format("{}: has no results that can be compared; expected a result document of nasvm {} (--export-json)",
                    source.file, maker_names(commands, can_be_compared)));
  }
  return view->compared(source.document);
}

/// The middle of those of one document that are alike.
void add_median(CaseSide& side, std::vector<const Compared*> records) {
  const auto apart = [](const Compared* record) { return record->sampled.changed; };
  if (!std::ranges::all_of(records, apart)) std::erase_if(records, apart);
  std::vector<double> values;
  values.reserve(records.size());
  for (const Compared* record : records) values.push_back(record->value);
  add_sample(side, median(values), records.front()->sampled);
}

/// The least and the largest value that a fact has on a side; none where no result has it.
struct Span {
  std::uint64_t least = 0;
  std::uint64_t largest = 0;

  [[nodiscard]] bool is_exact() const { return least == largest; }
};

std::optional<Span> span_of(const CaseSide& side, std::string_view fact) {
  std::optional<Span> span;
  for (const auto& facts : side.facts) {
    const auto found = facts.find(fact);
    if (found == facts.end()) continue;
    if (!span) span = Span{found->second, found->second};
    span->least = std::min(span->least, found->second);
    span->largest = std::max(span->largest, found->second);
  }
  return span;
}

/// Lines for facts of which `differs(before, now)` holds. What the baseline has not the same in every result does not
/// follow from the work alone, and is passed over.
template <typename Differs>
std::string fact_lines(const ComparedCase& one, Differs differs) {
  std::vector<std::string> lines;
  if (one.baseline.facts.empty()) return "";
  for (const auto& [name, value] : one.baseline.facts.front()) {
    const auto before = span_of(one.baseline, name);
    const auto now = span_of(one.candidate, name);
    if (!before || !now || !before->is_exact() || !differs(*before, *now)) continue;
    const std::string which = now->is_exact() ? "" : "up to ";
    lines.push_back(fmt::format("{} {} instead of {}", which + std::to_string(now->largest), name, before->largest));
  }
  return joined(lines, "; ");
}

}  // namespace

void add_results(std::vector<ComparedCase>& cases, CaseSide ComparedCase::*side, const Source& source,
                 SampleIs sample, std::span<const CommandRow> commands) {
  const std::vector<Compared> records = compared_of(source, commands);
  std::map<std::size_t, std::vector<const Compared*>> by_case;
  for (const Compared& record : records) {
    ComparedCase& one = case_of(cases, record);
    add_result(one.*side, record);
    if (sample == SampleIs::record) add_sample(one.*side, record.value, record.sampled);
    else by_case[static_cast<std::size_t>(&one - cases.data())].push_back(&record);
  }
  for (const auto& [position, own] : by_case) add_median(cases[position].*side, own);
}

std::vector<ComparedCase> cases_of(std::span<const Source> baseline, SampleIs baseline_sample,
                                   std::span<const Source> candidate, SampleIs candidate_sample,
                                   std::span<const CommandRow> commands) {
  std::vector<ComparedCase> cases;
  for (const Source& source : baseline)
    add_results(cases, &ComparedCase::baseline, source, baseline_sample, commands);
  for (const Source& source : candidate)
    add_results(cases, &ComparedCase::candidate, source, candidate_sample, commands);
  return cases;
}

std::string failure_of(const ComparedCase& one) {
  if (one.baseline.results == 0) return "";
  if (one.candidate.results == 0) return "missing from the new results";
  if (one.candidate.wrong > 0) {
    return fmt::format("verification failed in {} of {}", one.candidate.wrong, counted(one.candidate.results, "run"));
  }
  return fact_lines(one, [](const Span& before, const Span& now) { return now.largest > before.largest; });
}

std::string gain_of(const ComparedCase& one) {
  return fact_lines(one, [](const Span& before, const Span& now) { return now.largest < before.largest; });
}

bool facts_differ(const ComparedCase& one) {
  return !fact_lines(one, [](const Span& before, const Span& now) { return now.largest != before.largest; }).empty();
}

}  // namespace nasvm

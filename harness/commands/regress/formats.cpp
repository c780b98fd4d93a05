#include "harness/commands/regress/formats.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/document/fields.hpp"
#include "harness/report/columns.hpp"
#include "harness/report/numbers.hpp"
#include "harness/text.hpp"

namespace nasvm {

/// Bounds that are not known stand as 0.
void describe(Fields& fields, CaseVerdict& one) {
  static constexpr std::array<std::string_view, 4> names{"fine", "slower", "undecided", "failed"};
  const auto finite = [](double value) { return std::isfinite(value) ? value : 0; };
  std::string figure(one.figure.name);
  std::string unit(one.figure.unit);
  std::uint64_t baseline_samples = one.baseline_samples;
  std::uint64_t candidate_samples = one.candidate_samples;
  double low = finite(one.ratio.low);
  double high = finite(one.ratio.high);
  fields.text("case", one.name);
  fields.text("figure", figure);
  fields.text("unit", unit);
  fields.choice("verdict", one.verdict, {names});
  fields.text("reason", one.reason);
  fields.real("baseline", one.baseline);
  fields.real("new", one.candidate);
  fields.count("baseline_samples", baseline_samples);
  fields.count("new_samples", candidate_samples);
  fields.real("ratio", one.ratio.estimate);
  fields.real("ratio_low", low);
  fields.real("ratio_high", high);
  fields.real("tolerance", one.tolerance);
}

namespace {

bool is_measured(const CaseVerdict& one) { return one.ratio.estimate > 0; }

std::string interval_text(const Interval& ratio) {
  const std::string high = std::isfinite(ratio.high) ? fmt::format("{:.3f}", ratio.high) : "?";
  return ratio.low > 0 ? fmt::format("{:.3f}-{}", ratio.low, high) : "?-" + high;
}

/// Three digits, more of 1000 %.
std::string percent(double share) {
  return share < 9.995 ? fmt::format("{:.3g} %", 100 * share) : fmt::format("{:.0f} %", 100 * share);
}

/// "time of ft class A, 8 tasks, direct"
std::string title_of(const CaseVerdict& one) { return fmt::format("{}, {}", one.name, one.figure.name); }

std::string verdict_text(const CaseVerdict& one) {
  const bool loud = one.verdict == Finding::slower || one.verdict == Finding::failed;
  std::string text(to_text(one.verdict));
  if (loud) std::ranges::transform(text, text.begin(), [](char c) { return static_cast<char>(c - 'a' + 'A'); });
  return one.reason.empty() ? text : text + ": " + one.reason;
}

/// One sentence: "12.3 % worse (6.1 % to 18.0 %), tolerance 5 %".
std::string finding_of(const CaseVerdict& one) {
  if (!is_measured(one)) return one.reason;
  const auto change = [](double ratio) { return fmt::format("{:+.1f} %", 100 * (ratio - 1)); };
  const std::string low = one.ratio.low > 0 ? change(one.ratio.low) : "?";
  const std::string high = std::isfinite(one.ratio.high) ? change(one.ratio.high) : "?";
  return fmt::format("{} ({} to {}), tolerance {}; median {} {} instead of {} {}{}{}", change(one.ratio.estimate),
                     low, high, percent(one.tolerance), number_text(one.candidate), one.figure.unit,
                     number_text(one.baseline), one.figure.unit, one.reason.empty() ? "" : "; ", one.reason);
}

const ColumnsOf<CaseVerdict>& columns() {
  const auto measured = [](auto cell) {
    return [cell](const CaseVerdict& one) { return is_measured(one) ? cell(one) : std::string("-"); };
  };
  const auto median = [](double CaseVerdict::*value) {
    return [value](const CaseVerdict& one) {
      return one.*value > 0 ? fmt::format("{} {}", number_text(one.*value), one.figure.unit) : "-";
    };
  };
  static const ColumnsOf<CaseVerdict> all{
      {{"Case", "", Align::left}, title_of},
      {{"Base", "", Align::right}, median(&CaseVerdict::baseline)},
      {{"New", "", Align::right}, median(&CaseVerdict::candidate)},
      {{"Samples", "", Align::right},
       [](const CaseVerdict& one) { return fmt::format("{}+{}", one.baseline_samples, one.candidate_samples); }},
      {{"Ratio", "", Align::right},
       measured([](const CaseVerdict& one) { return fmt::format("{:.3f}", one.ratio.estimate); })},
      {{"Interval", "", Align::right}, measured([](const CaseVerdict& one) { return interval_text(one.ratio); })},
      {{"Tolerance", "", Align::right}, [](const CaseVerdict& one) { return percent(one.tolerance); }},
      {{"Verdict", "", Align::left}, verdict_text},
  };
  return all;
}

/// How sure an end of an interval is.
double level_of(double risk) { return risk > 0 ? 1 - risk : 0; }

/// What the columns are, for people.
std::vector<std::string> column_notes(const Judgement& judgement) {
  std::vector<std::string> notes{fmt::format(
      "Base, New: {}. Ratio: how many times worse the new one is, the middle of all ratios by ranks; not New / Base.",
      judgement.middles)};
  if (judgement.interval.high > 0) {
    const auto level = [](double risk) { return fmt::format("{:.5g} %", 100 * level_of(risk)); };
    notes.push_back(fmt::format("Interval: the ratio lies above its low end with {}, below its high end with {}.",
                                level(judgement.interval.low), level(judgement.interval.high)));
  }
  return notes;
}

Grid grid_of(const Judgement& judgement) {
  Grid grid;
  grid.heading = {fmt::format("Base: {}", judgement.baseline), fmt::format("New:  {}", judgement.candidate)};
  grid.columns = heads_of(columns());
  grid.blocks = {block_of(columns(), judgement.cases)};
  grid.notes = judgement.notes;
  for (std::string& line : column_notes(judgement)) grid.notes.push_back(std::move(line));
  grid.notes.insert(grid.notes.end(), judgement.conditions.begin(), judgement.conditions.end());
  grid.notes.insert(grid.notes.end(), judgement.rule.begin(), judgement.rule.end());
  grid.notes.push_back(summary_of(judgement));
  return grid;
}

std::string render_table(const Judgement& judgement) { return text_of(grid_of(judgement)); }

std::string render_markdown(const Judgement& judgement) { return markdown_of(grid_of(judgement)); }

std::string render_json(const Judgement& judgement) {
  return to_indented_json([&](Fields& fields) {
    Judgement copy = judgement;
    std::string schema = "nasvm-regress/1";
    int status = static_cast<int>(overall(judgement));
    fields.text("schema", schema);
    fields.text("baseline", copy.baseline);
    fields.text("new", copy.candidate);
    fields.integer("exit_status", status);
    fields.list("cases", copy.cases);
    fields.texts("notes", copy.notes);
    fields.texts("rule", copy.rule);
    fields.texts("conditions", copy.conditions);
    double low_level = level_of(judgement.interval.low);
    double high_level = level_of(judgement.interval.high);
    fields.real("ratio_low_level", low_level);
    fields.real("ratio_high_level", high_level);
  });
}

/// What is undecided counts as skipped, as a test that could not say anything.
std::string junit_case(const CaseVerdict& one) {
  std::string text = fmt::format(R"(    <testcase classname="nasvm.regress" name="{}")", xml_escaped(title_of(one)));
  if (one.figure.unit == "s" && one.candidate > 0) text += fmt::format(" time=\"{:.6f}\"", one.candidate);
  const std::string finding = xml_escaped(finding_of(one));
  switch (one.verdict) {
    case Finding::fine:
      return text + fmt::format(">\n      <system-out>{}</system-out>\n    </testcase>\n", finding);
    case Finding::undecided:
      return text + fmt::format(">\n      <skipped message=\"undecided: {}\"/>\n    </testcase>\n", finding);
    case Finding::slower:
    case Finding::failed:
      break;
  }
  return text + fmt::format(">\n      <failure type=\"{}\" message=\"{}\"/>\n    </testcase>\n", to_text(one.verdict),
                            finding);
}

std::string render_junit(const Judgement& judgement) {
  const std::size_t errors = judgement.broken.empty() ? 0 : 1;
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
      "  <testsuite name=\"nasvm regress\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n",
      judgement.cases.size() + errors, judgement.count(Finding::slower) + judgement.count(Finding::failed), errors,
      judgement.count(Finding::undecided));
  for (const CaseVerdict& one : judgement.cases) text += junit_case(one);
  if (errors != 0) {
    text += fmt::format(
        "    <testcase classname=\"nasvm.regress\" name=\"launches\">\n      <error message=\"{}\"/>\n    "
        "</testcase>\n",
        xml_escaped(judgement.broken));
  }
  return text + "  </testsuite>\n</testsuites>\n";
}

/// For workflow commands of GitHub: what would end a message, or a property, is escaped.
std::string escaped(std::string_view text, std::string_view special) {
  std::string result;
  for (const char c : text) {
    if (special.find(c) == std::string_view::npos) result += c;
    else result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return result;
}

std::string render_github(const Judgement& judgement) {
  std::string text;
  const auto add = [&text](std::string_view kind, std::string_view title, std::string_view message) {
    text += fmt::format("::{} title={}::{}\n", kind, escaped(title, "%\r\n:,"), escaped(message, "%\r\n"));
  };
  for (const CaseVerdict& one : judgement.cases) {
    if (one.verdict == Finding::fine) continue;
    add(one.verdict == Finding::undecided ? "warning" : "error",
        fmt::format("nasvm regress: {}", to_text(one.verdict)),
        fmt::format("{}: {}", title_of(one), finding_of(one)));
  }
  if (!judgement.broken.empty()) add("error", "nasvm regress: a launch failed", judgement.broken);
  add("notice", "nasvm regress", summary_of(judgement));
  return text;
}

/// One entry of github-action-benchmark's customSmallerIsBetter.
struct BenchmarkEntry {
  std::string name;
  std::string unit;
  double value = 0;
  std::string extra;
};

void describe(Fields& fields, BenchmarkEntry& entry) {
  fields.text("name", entry.name);
  fields.text("unit", entry.unit);
  fields.real("value", entry.value);
  fields.text("extra", entry.extra);
}

/// Bandwidths as time for 1 MB, rates as time for one message, since smaller is to be better.
BenchmarkEntry benchmark_entry(const CaseVerdict& one) {
  if (one.figure.better == Better::lower) {
    return {title_of(one), std::string(one.figure.unit), one.candidate, finding_of(one)};
  }
  const std::string unit = one.figure.unit == "MB/s" ? "us/MB" : "us";
  return {title_of(one) + " (inverse)", unit, 1e6 / one.candidate, finding_of(one)};
}

/// A list of objects, one a line; what gave no figure is left out.
std::string render_benchmark_action(const Judgement& judgement) {
  std::string text;
  for (const CaseVerdict& one : judgement.cases) {
    if (one.candidate <= 0) continue;
    const BenchmarkEntry entry = benchmark_entry(one);
    text += (text.empty() ? "\n  " : ",\n  ") + to_text(description_of(entry));
  }
  return "[" + text + "\n]\n";
}

/// For values of labels.
std::string label(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\' || c == '"') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

/// One metric in Prometheus' text format: `value(case)`, left out where it is 0 or less.
template <typename Value>
std::string metric(const Judgement& judgement, std::string_view name, std::string_view help, Value value) {
  std::string text = fmt::format("# HELP {} {}\n# TYPE {} gauge\n", name, help, name);
  for (const CaseVerdict& one : judgement.cases) {
    const double figure = value(one);
    if (figure < 0 || !std::isfinite(figure)) continue;
    text += fmt::format("{}{{case=\"{}\",figure=\"{}\",unit=\"{}\"}} {:.9g}\n", name, label(one.name),
                        one.figure.name, one.figure.unit, figure);
  }
  return text;
}

std::string render_prometheus(const Judgement& judgement) {
  const auto if_positive = [](double value) { return value > 0 ? value : -1; };
  return metric(judgement, "nasvm_regress_baseline", "Median of the baseline, in the unit of its label.",
                [&](const CaseVerdict& one) { return if_positive(one.baseline); }) +
         metric(judgement, "nasvm_regress_new", "Median of the new side, in the unit of its label.",
                [&](const CaseVerdict& one) { return if_positive(one.candidate); }) +
         metric(judgement, "nasvm_regress_ratio", "How many times worse the new side is.",
                [&](const CaseVerdict& one) { return if_positive(one.ratio.estimate); }) +
         metric(judgement, "nasvm_regress_tolerance", "How much worse does not matter, as a share.",
                [](const CaseVerdict& one) { return one.tolerance; }) +
         metric(judgement, "nasvm_regress_status", "0 fine, 1 slower or failed, 4 undecided.",
                [](const CaseVerdict& one) {
                  return static_cast<double>(overall({{}, {}, {one}}));
                }) +
         fmt::format(
             "# HELP nasvm_regress_exit_status Exit status of nasvm regress.\n"
             "# TYPE nasvm_regress_exit_status gauge\nnasvm_regress_exit_status {}\n",
             static_cast<int>(overall(judgement)));
}

constexpr std::array<JudgementFormat, 7> formats{{{"table", render_table},
                                                  {"json", render_json},
                                                  {"markdown", render_markdown},
                                                  {"junit", render_junit},
                                                  {"github", render_github},
                                                  {"benchmark-action", render_benchmark_action},
                                                  {"prometheus", render_prometheus}}};

}  // namespace

std::span<const JudgementFormat> judgement_formats() { return formats; }

}  // namespace nasvm

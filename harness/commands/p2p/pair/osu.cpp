#include "harness/commands/p2p/osu.hpp"

#include "harness/commands/p2p/pair/views.hpp"

namespace nasvm {
namespace {

using OsuFields = std::vector<OsuColumn<P2pRecord>>;
using Cases = std::vector<const CaseOf<P2pRecord>*>;

/// One program of theirs: its name, and what it prints for each size. Averages, as theirs are.
struct Test {
  std::string_view name;
  std::string_view above;  ///< a line above the titles
  OsuFields fields;
  OsuFields more_fields{};  ///< what -f adds
  bool (*meant)(const P2pRecord& record) = [](const P2pRecord& record) { return record.bytes != 0; };
};

/// Documents of others need not have the average: then it is what they have.
double latency_us(const P2pRecord& record) {
  return record.latency.mean_us == 0 ? record.latency.median_us : record.latency.mean_us;
}
double mb_s(const Bandwidth& bandwidth) {
  return bandwidth.mean_mb_s == 0 ? bandwidth.median_mb_s : bandwidth.mean_mb_s;
}

/// In the order of OsuProgram.
std::span<const Test> tests() {
  static const std::vector<Test> all{
      {"Latency",
       "",
       {{"Latency (us)", latency_us}},
       {{"Min Latency(us)", [](const P2pRecord& r) { return r.latency.min_us; }},
        {"Max Latency(us)", [](const P2pRecord& r) { return r.latency.max_us; }},
        {"Iterations", [](const P2pRecord& r) { return static_cast<double>(r.iterations); }, 0}},
       [](const P2pRecord&) { return true; }},
      {"Bandwidth", "", {{"Bandwidth (MB/s)", [](const P2pRecord& r) { return mb_s(r.bandwidth); }}}},
      {"Bi-Directional Bandwidth",
       "",
       {{"Bandwidth (MB/s)", [](const P2pRecord& r) { return mb_s(r.bidirectional); }}}},
      {"Multiple Bandwidth / Message Rate",
       "# [ pairs: 1 ]\n",
       {{"MB/s", [](const P2pRecord& r) { return mb_s(r.bandwidth); }},
        {"Messages/s", [](const P2pRecord& r) { return mb_s(r.bandwidth) * 1e6 / static_cast<double>(r.bytes); }}}},
  };
  return all;
}

/// The test's lines for one path of one document; empty when it has none.
std::string block(const Test& test, const Cases& cases, Columns columns) {
  OsuFields fields = test.fields;
  if (columns == Columns::all) fields.insert(fields.end(), test.more_fields.begin(), test.more_fields.end());
  std::string lines;
  bool checked = false;
  for (const CaseOf<P2pRecord>* one : cases) {
    const P2pRecord& record = *one->records.front();
    if (!test.meant(record)) continue;
    checked = record.data != DataCheck::none;
    lines += osu_size(std::to_string(record.bytes)) + osu_figures<P2pRecord>(*one, fields) +
             (checked ? osu_field(one->wrong() ? "Fail" : "Pass") : "") + "\n";
  }
  if (lines.empty()) return "";
  const std::string titles = osu_size("# Size") + osu_titles<P2pRecord>(fields);
  return std::string(test.above) + titles + (checked ? osu_field("Validation") : "") + "\n" + lines;
}

/// `text_of(cases, document, path)` for each path of each document.
template <typename TextOf>
std::string by_path(const Report& report, TextOf text_of) {
  const std::vector<GroupOf<P2pRecord>> groups = group_pairs(report.sources);
  std::string text;
  for (std::size_t source = 0; source < report.sources.size(); ++source) {
    const Document& document = report.sources[source].document;
    for (const std::string& path : paths_of(document)) {
      text += text_of(cases_of(groups, source, path), document, path);
    }
  }
  return text;
}

}  // namespace

std::string render_p2p_osu(const Report& report) {
  return by_path(report, [&](const Cases& cases, const Document& document, const std::string& path) {
    std::string text;
    for (const Test& test : tests()) {
      const std::string lines = block(test, cases, report.columns);
      if (!lines.empty()) text += osu_title(test.name, document, path) + lines + "\n";
    }
    return text;
  });
}

template <OsuProgram program>
std::string render_osu_program(const Report& report) {
  const Test& test = tests()[static_cast<std::size_t>(program)];
  return by_path(report, [&](const Cases& cases, const Document& document, const std::string& path) {
    const std::string lines = block(test, cases, report.columns);
    return lines.empty() ? "" : osu_program_title(test.name, document, path) + lines;
  });
}

template std::string render_osu_program<OsuProgram::latency>(const Report&);
template std::string render_osu_program<OsuProgram::bw>(const Report&);
template std::string render_osu_program<OsuProgram::bibw>(const Report&);
template std::string render_osu_program<OsuProgram::mbw_mr>(const Report&);

}  // namespace nasvm

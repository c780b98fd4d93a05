#include "harness/commands/p2p/osu.hpp"

#include "harness/commands/p2p/pair/views.hpp"

namespace nasvm {
namespace {

using OsuFields = std::vector<OsuColumn<P2pRecord>>;

/// One program of theirs: its name, and what it prints for each size. Averages, as theirs are.
struct Test {
  std::string_view name;
  std::string_view above;  ///< a line above the titles
  OsuFields fields;
  OsuFields more_fields{};  ///< what -f adds
  bool (*meant)(const P2pRecord& record) = [](const P2pRecord& record) { return record.bytes != 0; };
};

std::span<const Test> tests() {
  static const std::vector<Test> all{
      {"Latency",
       "",
       {{"Latency (us)", [](const P2pRecord& r) { return r.latency.mean_us; }}},
       {{"Min Latency(us)", [](const P2pRecord& r) { return r.latency.min_us; }},
        {"Max Latency(us)", [](const P2pRecord& r) { return r.latency.max_us; }},
        {"Iterations", [](const P2pRecord& r) { return static_cast<double>(r.iterations); }, 0}},
       [](const P2pRecord&) { return true; }},
      {"Bandwidth", "", {{"Bandwidth (MB/s)", [](const P2pRecord& r) { return r.bandwidth.mean_mb_s; }}}},
      {"Bi-Directional Bandwidth",
       "",
       {{"Bandwidth (MB/s)", [](const P2pRecord& r) { return r.bidirectional.mean_mb_s; }}}},
      {"Multiple Bandwidth / Message Rate",
       "# [ pairs: 1 ]\n",
       {{"MB/s", [](const P2pRecord& r) { return r.bandwidth.mean_mb_s; }},
        {"Messages/s",
         [](const P2pRecord& r) { return r.bandwidth.mean_mb_s * 1e6 / static_cast<double>(r.bytes); }}}},
  };
  return all;
}

/// The test's lines for one path of one document; empty when it has none.
std::string block(const Test& test, std::span<const CaseOf<P2pRecord>* const> cases, Columns columns) {
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

}  // namespace

std::string render_p2p_osu(const Report& report) {
  const std::span<const Source> sources = report.sources;
  const std::vector<GroupOf<P2pRecord>> groups = group_pairs(sources);
  std::string text;
  for (std::size_t source = 0; source < sources.size(); ++source) {
    const Document& document = sources[source].document;
    for (const std::string& path : paths_of(document)) {
      const auto cases = cases_of(groups, source, path);
      for (const Test& test : tests()) {
        const std::string lines = block(test, cases, report.columns);
        if (!lines.empty()) text += osu_title(test.name, document, path) + lines + "\n";
      }
    }
  }
  return text;
}

}  // namespace nasvm

#include "harness/commands/peers/view.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "harness/commands/peers/record.hpp"
#include "harness/document/csv.hpp"
#include "harness/kernel_runs/case_columns.hpp"
#include "harness/report/cases.hpp"
#include "harness/report/condition_lines.hpp"
#include "harness/report/distinct.hpp"
#include "harness/report/heading.hpp"
#include "harness/report/numbers.hpp"
#include "harness/statistics.hpp"
#include "harness/text.hpp"

namespace nasvm {
namespace {

/// One size of one kernel over one of our transports, with the peer's runs of the same work in its best way.
struct Pair {
  const Case* ours = nullptr;
  std::vector<const PeerRecord*> theirs;
  std::vector<const PeerRecord*> over_ours;  ///< the peer's program over that transport

  /// What both have done.
  [[nodiscard]] const RunRecord& run() const { return *ours->records.front(); }
  [[nodiscard]] bool peer_has_result() const {
    return !theirs.empty() && std::ranges::all_of(theirs, [](const PeerRecord* one) { return one->failure.empty(); });
  }
  [[nodiscard]] bool peer_verified() const {
    return peer_has_result() && std::ranges::all_of(theirs, [](const PeerRecord* one) { return one->verified; });
  }
  /// None where a result was wrong.
  [[nodiscard]] std::vector<double> our_times() const {
    return ours->wrong() ? std::vector<double>{} : ours->all(&RunRecord::time_s);
  }
  [[nodiscard]] std::vector<double> peer_times() const {
    std::vector<double> times;
    if (!peer_verified()) return times;
    for (const PeerRecord* one : theirs) times.push_back(one->time_s);
    return times;
  }
  /// None where one was wrong.
  [[nodiscard]] std::vector<double> over_times() const {
    std::vector<double> times;
    if (!std::ranges::all_of(over_ours, &PeerRecord::verified)) return times;
    for (const PeerRecord* one : over_ours) times.push_back(one->time_s);
    return times;
  }
  [[nodiscard]] double ratio() const { return median_of(peer_times()) / median_of(our_times()); }

  /// Not a number for no times.
  static double median_of(const std::vector<double>& times) {
    return times.empty() ? std::numeric_limits<double>::quiet_NaN() : median(times);
  }
};

/// Leaves, of the runs that count, those of the way with the shortest median; all where not every one has a verified
/// result.
void keep_best_way(std::vector<const PeerRecord*>& theirs) {
  std::map<PeerWay, std::vector<const PeerRecord*>> ways;
  for (const PeerRecord* one : theirs) ways[one->way].push_back(one);
  theirs.clear();
  for (auto& [way, runs] : ways) {
    keep_alike(runs);
    theirs.insert(theirs.end(), runs.begin(), runs.end());
  }
  if (!std::ranges::all_of(theirs, &PeerRecord::verified)) return;
  double best_s = std::numeric_limits<double>::infinity();
  for (const auto& [way, runs] : ways) {
    std::vector<double> times;
    for (const PeerRecord* run : runs) times.push_back(run->time_s);
    if (median(times) >= best_s) continue;
    best_s = median(times);
    theirs = runs;
  }
}

std::string way_of(const Pair& pair) {
  return pair.peer_verified() ? std::string(to_text(pair.theirs.front()->way)) : "-";
}

std::vector<Pair> pairs_of(std::span<const Group> groups, const Document& document) {
  std::vector<Pair> pairs;
  for (const Group& group : groups) {
    for (const Case& one : group.cases) {
      Pair& pair = pairs.emplace_back(Pair{&one, {}, {}});
      for (const PeerRecord& peer : document.records<PeerRecord>()) {
        const RunRecord& run = pair.run();
        const bool same = peer.kernel == run.kernel && peer.problem_class == run.problem_class && peer.np == run.np;
        if (!same) continue;
        if (peer.way != PeerWay::over_ours) pair.theirs.push_back(&peer);
        else if (peer.transport == one.transport) pair.over_ours.push_back(&peer);
      }
      keep_best_way(pair.theirs);
      keep_alike(pair.over_ours);
    }
  }
  return pairs;
}

std::string size_of(const Pair& pair) { return fmt::format("{}, np={}", pair.run().problem_class, pair.run().np); }
std::string kernel_of(const Pair& pair) { return pair.run().kernel; }
std::string title_of(const Pair& pair) { return kernel_title(pair.run()); }
std::string transport_of(const Pair& pair) { return pair.ours->transport; }

/// Ratios of one column; NaN where there is none.
double ratio_at(const std::vector<Pair>& pairs, const std::string& title, const std::string& transport,
                const std::string& size) {
  for (const Pair& pair : pairs) {
    const bool here = title_of(pair) == title && transport_of(pair) == transport && size_of(pair) == size;
    if (here) return pair.ratio();
  }
  return std::numeric_limits<double>::quiet_NaN();
}

/// NaN unless all are there.
double geometric_mean(const std::vector<double>& ratios) {
  double logarithms = 0;
  for (const double ratio : ratios) logarithms += std::log(ratio);
  return std::exp(logarithms / static_cast<double>(ratios.size()));
}

/// Rows of one transport: one for each kernel and variant that ran over it, and their mean where no kernel counts
/// twice.
Block ratio_block(const std::vector<Pair>& pairs, const std::string& transport, bool names_transport) {
  std::vector<Pair> own;
  std::ranges::copy_if(pairs, std::back_inserter(own),
                       [&](const Pair& pair) { return transport_of(pair) == transport; });
  const auto titles = distinct(own, title_of);
  const auto sizes = distinct(pairs, size_of);
  const auto begin = [&](const std::string& title) {
    return names_transport ? std::vector<std::string>{title, transport} : std::vector<std::string>{title};
  };
  Block block;
  for (const std::string& title : titles) {
    Row row{begin(title)};
    for (const std::string& size : sizes) row.cells.push_back(factor_text(ratio_at(pairs, title, transport, size)));
    block.rows.push_back(std::move(row));
  }
  if (titles.size() < 2 || titles.size() > distinct(own, kernel_of).size()) return block;
  Row mean{begin("mean"), true};
  for (const std::string& size : sizes) {
    std::vector<double> ratios;
    for (const std::string& title : titles) ratios.push_back(ratio_at(pairs, title, transport, size));
    mean.cells.push_back(factor_text(geometric_mean(ratios)));
  }
  block.rows.push_back(std::move(mean));
  return block;
}

/// "Peers: NPB 3.4 in NPB3.4-MPI/bin, compiled with -O3".
std::string peers_line(const Document& document) {
  std::set<std::string> builds;
  std::set<std::string> folders;
  for (const PeerRecord& peer : document.records<PeerRecord>()) {
    folders.insert(peer.program.substr(0, peer.program.rfind('/')));
    if (!peer.version.empty()) builds.insert(fmt::format("version {}, flags {}", peer.version, peer.flags));
  }
  return fmt::format("Peers:    {}; {}", joined(folders), joined(builds, "; "));
}

Grid ratio_grid(const Source& source, const std::vector<Pair>& pairs) {
  const auto transports = distinct(pairs, transport_of);
  Grid grid{heading_lines(std::span(&source, 1)), {{"Kernel", "", Align::left}}, {}, {}};
  grid.heading.push_back(peers_line(source.document));
  if (transports.size() > 1) grid.columns.push_back({"Transport", "", Align::left});
  for (const std::string& size : distinct(pairs, size_of)) grid.columns.push_back({size, ""});
  for (const std::string& transport : transports) {
    grid.blocks.push_back(ratio_block(pairs, transport, transports.size() > 1));
  }
  const bool has_means = std::ranges::any_of(
      grid.blocks, [](const Block& block) { return std::ranges::any_of(block.rows, &Row::is_ratio); });
  grid.notes.push_back(fmt::format("The peer's time divided by ours, medians: above 1 ours is faster.{}",
                                   has_means ? " Mean: geometric." : ""));
  return grid;
}

std::string verified_text(const Pair& pair) {
  std::string text = pair.ours->wrong() ? "FAILED" : "yes";
  if (!pair.peer_has_result()) return text + ", peer none";
  if (!pair.peer_verified()) return text + ", peer FAILED";
  return pair.ours->wrong() ? "FAILED, peer yes" : "both";
}

ColumnsOf<Pair> detail_columns() {
  const auto time = [](auto times) {
    return [times](const Pair& pair) { return number_text(Pair::median_of(std::invoke(times, pair))); };
  };
  const auto spread = [](auto times) {
    return [times](const Pair& pair) { return spread_text(std::invoke(times, pair), 1); };
  };
  ColumnsOf<Pair> columns = case_columns<Pair>(&Pair::run);
  columns.push_back({{"Ours", "(s)"}, time(&Pair::our_times)});
  columns.push_back({{"Spread", ""}, spread(&Pair::our_times)});
  columns.push_back({{"Peer", "(s)"}, time(&Pair::peer_times)});
  columns.push_back({{"Spread", ""}, spread(&Pair::peer_times)});
  columns.push_back({{"Run", "", Align::left}, way_of});
  columns.push_back({{"Peer/ours", ""}, [](const Pair& pair) { return factor_text(pair.ratio()); }});
  columns.push_back(
      {{"95 %", "interval"}, [](const Pair& pair) { return interval_text(pair.peer_times(), pair.our_times()); }});
  columns.push_back({{"Verified", "", Align::left}, verified_text});
  return columns;
}

std::vector<std::string> failures_of(const Document& document) {
  std::vector<std::string> lines;
  for (const PeerRecord& peer : document.records<PeerRecord>()) {
    if (peer.failure.empty()) continue;
    lines.push_back(fmt::format("{}: no result of the peer{}: {}",
                                size_text(peer.kernel, peer.problem_class, peer.np),
                                peer.transport.empty() ? "" : " over " + peer.transport, peer.failure));
  }
  return lines;
}

Grid detail_grid(const Source& source, const std::vector<Pair>& pairs) {
  const ColumnsOf<Pair> columns = detail_columns();
  Grid grid;
  grid.columns = heads_of(columns);
  std::string size;
  std::size_t most_runs = 1;
  for (const Pair& pair : pairs) {
    if (size_of(pair) != size) grid.blocks.emplace_back();
    size = size_of(pair);
    grid.blocks.back().rows.push_back(row_of(columns, pair));
    most_runs = std::max(most_runs, pair.ours->records.size());
  }
  grid.notes = failures_of(source.document);
  if (most_runs == 1) grid.notes.emplace_back(one_run_note);
  std::vector<Sampled> samples = samples_of<RunRecord>(source.document);
  for (const Sampled& sample : samples_of<PeerRecord>(source.document)) samples.push_back(sample);
  for (std::string& line : condition_lines(std::span(&samples, 1))) grid.notes.push_back(std::move(line));
  if (most_runs > 1) {
    grid.notes.push_back(fmt::format(
        "Medians of {} runs, ours and the peer's in alternating order. Spread: (longest - shortest) / median.",
        most_runs));
  }
  grid.notes.emplace_back("Run: the peer's way with the shorter median.");
  return grid;
}

/// What of the difference is transport, and what is kernel: the peer's program over ours has their kernel and our
/// transport.
std::optional<Grid> over_grid(const std::vector<Pair>& pairs) {
  const auto time = [](auto times) {
    return [times](const Pair& pair) { return number_text(Pair::median_of(std::invoke(times, pair))); };
  };
  const auto ratio = [](auto numerator, auto denominator) {
    return [=](const Pair& pair) {
      return factor_text(Pair::median_of(std::invoke(numerator, pair)) /
                         Pair::median_of(std::invoke(denominator, pair)));
    };
  };
  ColumnsOf<Pair> columns = case_columns<Pair>(&Pair::run);
  columns.push_back({{"Ours", "(s)"}, time(&Pair::our_times)});
  columns.push_back({{"Peer, our", "transport (s)"}, time(&Pair::over_times)});
  columns.push_back({{"Peer", "(s)"}, time(&Pair::peer_times)});
  columns.push_back({{"Kernel", ""}, ratio(&Pair::over_times, &Pair::our_times)});
  columns.push_back({{"Transport", ""}, ratio(&Pair::peer_times, &Pair::over_times)});
  Grid grid;
  grid.heading = {"The peer's programs over our transports"};
  grid.columns = heads_of(columns);
  grid.blocks.emplace_back();
  for (const Pair& pair : pairs) {
    if (!pair.over_ours.empty()) grid.blocks.front().rows.push_back(row_of(columns, pair));
  }
  if (grid.blocks.front().rows.empty()) return std::nullopt;
  grid.notes = {
      "Kernel: the peer's program over our transport / ours. Transport: the peer over Open MPI, in its best way / "
      "over "
      "our transport. Their product is peer/ours."};
  return grid;
}

}  // namespace

std::vector<Grid> peers_grids(std::span<const Source> sources, Columns) {
  std::vector<Grid> grids;
  for (const Source& source : sources) {
    const std::vector<Group> groups = group_runs(std::span(&source, 1));
    const std::vector<Pair> pairs = pairs_of(groups, source.document);
    grids.push_back(ratio_grid(source, pairs));
    grids.push_back(detail_grid(source, pairs));
    if (auto over = over_grid(pairs)) grids.push_back(std::move(*over));
  }
  return grids;
}

std::string peers_csv(std::span<const Source> sources) {
  std::vector<std::string> columns{"file",   "kernel", "class",   "np",      "program", "repeat",  "verified",
                                   "time_s", "mops",   "failure", "version", "flags",   "created", "way"};
  const auto is_over_ours = [](const PeerRecord& peer) { return peer.way == PeerWay::over_ours; };
  if (any_record<PeerRecord>(sources, is_over_ours)) columns.emplace_back("transport");
  const auto is_other_variant = [](const RunRecord& run) { return !is_default_variant(run.kernel, run.variant); };
  if (any_record<RunRecord>(sources, is_other_variant)) columns.emplace_back("variant");
  columns.emplace_back(changed_column);
  CsvTable table(std::move(columns));
  for (const Source& source : sources) {
    for (const RunRecord& run : source.document.records<RunRecord>()) {
      table.add(source, together({{{"program", "nasvm " + run.transport}}, cells_of(description_of(run))}));
    }
    for (const PeerRecord& peer : source.document.records<PeerRecord>()) {
      table.add(source, cells_of(description_of(peer)));
    }
  }
  return table.text();
}

}  // namespace nasvm

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "harness/commands/peers/report/report.hpp"
#include "harness/report/grid.hpp"
#include "harness/report/heading.hpp"
#include "harness/report/numbers.hpp"
#include "harness/statistics.hpp"
#include "harness/text.hpp"
#include "kernels/kernel.hpp"

namespace nasvm {
namespace {

constexpr std::string_view no_figure = "-";

/// One size of one kernel over one of our transports, with the peer's runs of the same work.
struct Pair {
  const Group* group = nullptr;
  const Case* ours = nullptr;
  std::vector<const PeerRecord*> theirs;

  [[nodiscard]] bool peer_has_result() const {
    return !theirs.empty() && std::ranges::all_of(theirs, [](const PeerRecord* one) { return one->failure.empty(); });
  }
  [[nodiscard]] bool peer_verified() const {
    return peer_has_result() && std::ranges::all_of(theirs, [](const PeerRecord* one) { return one->verified; });
  }
  [[nodiscard]] bool comparable() const { return ours->failed() == 0 && peer_verified(); }
  [[nodiscard]] std::vector<double> peer_times() const {
    std::vector<double> times;
    for (const PeerRecord* one : theirs) times.push_back(one->time_s);
    return times;
  }
  [[nodiscard]] double ratio() const { return median(peer_times()) / median(ours->times()); }
};

std::vector<Pair> pairs_of(std::span<const Group> groups, const Document& document) {
  std::vector<Pair> pairs;
  for (const Group& group : groups) {
    for (const Case& one : group.cases) {
      Pair pair{&group, &one, {}};
      for (const PeerRecord& peer : document.peers) {
        const bool same =
            peer.kernel == group.kernel && peer.problem_class == group.problem_class && peer.np == group.np;
        if (same) pair.theirs.push_back(&peer);
      }
      pairs.push_back(std::move(pair));
    }
  }
  return pairs;
}

std::string title_of(const std::string& name) {
  const Kernel* kernel = find_kernel(name);
  return kernel == nullptr ? name : std::string(kernel->title);
}

/// Every value once, in the order of its first appearance.
template <typename Value, typename Get>
std::vector<Value> distinct(const std::vector<Pair>& pairs, Get get) {
  std::vector<Value> values;
  for (const Pair& pair : pairs) {
    const Value value = get(pair);
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  return values;
}

std::string size_of(const Pair& pair) { return fmt::format("{}, np={}", pair.group->problem_class, pair.group->np); }
std::string kernel_of(const Pair& pair) { return pair.group->kernel; }
std::string transport_of(const Pair& pair) { return pair.ours->transport; }

/// Ratios of one column; NaN where there is none.
double ratio_at(const std::vector<Pair>& pairs, const std::string& kernel, const std::string& transport,
                const std::string& size) {
  for (const Pair& pair : pairs) {
    if (kernel_of(pair) == kernel && transport_of(pair) == transport && size_of(pair) == size && pair.comparable()) {
      return pair.ratio();
    }
  }
  return std::numeric_limits<double>::quiet_NaN();
}

/// NaN unless all are there.
double geometric_mean(const std::vector<double>& ratios) {
  double logarithms = 0;
  for (const double ratio : ratios) logarithms += std::log(ratio);
  return std::exp(logarithms / static_cast<double>(ratios.size()));
}

/// Rows of one transport: one for each kernel, and their mean.
Block ratio_block(const std::vector<Pair>& pairs, const std::string& transport, bool names_transport) {
  const auto kernels = distinct<std::string>(pairs, kernel_of);
  const auto sizes = distinct<std::string>(pairs, size_of);
  const auto begin = [&](const std::string& title) {
    return names_transport ? std::vector<std::string>{title, transport} : std::vector<std::string>{title};
  };
  Block block;
  for (const std::string& kernel : kernels) {
    Row row{begin(title_of(kernel))};
    for (const std::string& size : sizes) row.cells.push_back(factor_text(ratio_at(pairs, kernel, transport, size)));
    block.rows.push_back(std::move(row));
  }
  if (kernels.size() < 2) return block;
  Row mean{begin("mean"), true};
  for (const std::string& size : sizes) {
    std::vector<double> ratios;
    for (const std::string& kernel : kernels) ratios.push_back(ratio_at(pairs, kernel, transport, size));
    mean.cells.push_back(factor_text(geometric_mean(ratios)));
  }
  block.rows.push_back(std::move(mean));
  return block;
}

/// "Peers: NPB 3.4 in NPB3.4-MPI/bin, compiled with -O3".
std::vector<std::string> peer_lines(const Document& document) {
  std::set<std::string> builds;
  std::set<std::string> folders;
  for (const PeerRecord& peer : document.peers) {
    folders.insert(peer.program.substr(0, peer.program.rfind('/')));
    if (!peer.version.empty()) builds.insert(fmt::format("version {}, flags {}", peer.version, peer.flags));
  }
  return {fmt::format("Peers:    {}; {}", joined(folders), joined(builds, "; "))};
}

Grid ratio_grid(const Source& source, const std::vector<Pair>& pairs) {
  const auto transports = distinct<std::string>(pairs, transport_of);
  Grid grid{heading_lines(std::span(&source, 1)), {{"Kernel", "", Align::left}}, {}, {}};
  for (std::string& line : peer_lines(source.document)) grid.heading.push_back(std::move(line));
  if (transports.size() > 1) grid.columns.push_back({"Transport", "", Align::left});
  for (const std::string& size : distinct<std::string>(pairs, size_of)) grid.columns.push_back({size, ""});
  for (const std::string& transport : transports) {
    grid.blocks.push_back(ratio_block(pairs, transport, transports.size() > 1));
  }
  grid.notes.push_back("The peer's time divided by ours, medians: above 1 ours is faster. Mean: geometric.");
  return grid;
}

std::string spread_text(const std::vector<double>& times) {
  const Summary time = summarize(times);
  return times.size() < 2 || time.median <= 0 ? ""
                                              : fmt::format("{:.1f} %", 100 * (time.max - time.min) / time.median);
}

std::string verified_text(const Pair& pair) {
  std::string text = pair.ours->failed() == 0 ? "yes" : "FAILED";
  if (!pair.peer_has_result()) return text + ", peer none";
  if (!pair.peer_verified()) return text + ", peer FAILED";
  return pair.ours->failed() == 0 ? "both" : "FAILED, peer yes";
}

std::string interval_text(const Pair& pair) {
  const std::vector<double> peer = pair.peer_times();
  if (!pair.comparable() || peer.size() < 2 || pair.ours->runs.size() < 2) return "";
  const Interval ratio = ratio_of_medians(peer, pair.ours->times());
  return fmt::format("{:.2f}-{:.2f}", ratio.low, ratio.high);
}

Row detail_row(const Pair& pair) {
  Row row{{title_of(pair.group->kernel), std::string(1, pair.group->problem_class), std::to_string(pair.group->np),
           pair.ours->transport}};
  const auto add_times = [&row](bool there, const std::vector<double>& times) {
    row.cells.push_back(there ? number_text(median(times)) : std::string(no_figure));
    row.cells.push_back(there ? spread_text(times) : "");
  };
  add_times(pair.ours->failed() == 0, pair.ours->times());
  add_times(pair.peer_verified(), pair.peer_times());
  row.cells.push_back(pair.comparable() ? factor_text(pair.ratio()) : std::string(no_figure));
  row.cells.push_back(interval_text(pair));
  row.cells.push_back(verified_text(pair));
  return row;
}

std::vector<std::string> failures_of(const Document& document) {
  std::vector<std::string> lines;
  for (const PeerRecord& peer : document.peers) {
    if (peer.failure.empty()) continue;
    lines.push_back(fmt::format("{} class {}, {} {}: no result of the peer: {}", peer.kernel, peer.problem_class,
                                peer.np, peer.np == 1 ? "task" : "tasks", peer.failure));
  }
  return lines;
}

Grid detail_grid(const Source& source, const std::vector<Pair>& pairs) {
  Grid grid;
  grid.columns = {{"Kernel", "", Align::left},
                  {"Class", "", Align::left},
                  {"NP", ""},
                  {"Transport", "", Align::left},
                  {"Ours", "(s)"},
                  {"Spread", ""},
                  {"Peer", "(s)"},
                  {"Spread", ""},
                  {"Peer/ours", ""},
                  {"95 %", "interval"},
                  {"Verified", "", Align::left}};
  const Group* before = nullptr;
  for (const Pair& pair : pairs) {
    const bool new_size =
        before == nullptr || before->problem_class != pair.group->problem_class || before->np != pair.group->np;
    if (new_size) grid.blocks.emplace_back();
    grid.blocks.back().rows.push_back(detail_row(pair));
    before = pair.group;
  }
  std::size_t most_runs = 1;
  for (const Pair& pair : pairs) most_runs = std::max(most_runs, pair.ours->runs.size());
  grid.notes = failures_of(source.document);
  grid.notes.push_back(fmt::format(
      "Medians of {} runs, ours and the peer's in alternating order. Spread: (longest - shortest) / median.",
      most_runs));
  return grid;
}

std::string render(std::span<const Source> sources, std::string (*text_of_grid)(const Grid&)) {
  std::string text;
  for (const Source& source : sources) {
    const std::vector<Group> groups = group_runs(std::span(&source, 1));
    const std::vector<Pair> pairs = pairs_of(groups, source.document);
    if (!text.empty()) text += "\n";
    text += text_of_grid(ratio_grid(source, pairs)) + text_of_grid(detail_grid(source, pairs));
  }
  return text;
}

}  // namespace

std::string render_peers_table(std::span<const Source> sources) { return render(sources, text_of); }
std::string render_peers_markdown(std::span<const Source> sources) { return render(sources, markdown_of); }

}  // namespace nasvm

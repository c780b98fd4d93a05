#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "harness/commands/p2p/pair/views.hpp"
#include "harness/report/condition_lines.hpp"
#include "harness/report/heading.hpp"
#include "harness/report/numbers.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

using Pairs = std::span<const GroupOf<P2pRecord>>;

constexpr std::size_t sizes = table6_sizes.size();
constexpr std::array<std::string_view, sizes> column_names{"1 byte", "100 bytes", "10 kB", "1 MB"};

/// kB/s for each size; not a number where there is no figure.
using Throughput = std::array<double, sizes>;

/// What the paper measured on one platform. Source: White, Ålund and Sunderam, "Performance of the NAS Parallel
/// Benchmarks on PVM-Based Networks" (RNR-94-008), Table 6.
struct PaperPlatform {
  std::string_view name;
  Throughput daemon;
  Throughput fsend;
  Throughput ttcp;
};

constexpr std::array<PaperPlatform, 3> paper_platforms{{
    {"SS1+ Ethernet", {0.06, 12.88, 263.41, 358.48}, {0.49, 81.79, 902.42, 1003.87}, {0.65, 130.45, 965.04, 1125.24}},
    {"RS6000 FDDI",
     {0.09, 20.67, 374.04, 711.58},
     {0.82, 112.79, 1568.40, 2285.89},
     {1.85, 325.40, 2573.00, 2918.20}},
    {"SGI Gigaswitch",
     {0.21, 38.92, 406.04, 483.58},
     {1.11, 102.79, 3400.42, 9550.87},
     {2.15, 500.40, 9203.00, 9624.20}},
}};

/// Our names of what the paper compares.
constexpr std::string_view daemon_path = "daemon";
constexpr std::string_view direct_path = "direct";
constexpr std::string_view socket_path = "raw-tcp";

struct PathRow {
  std::string name;
  Throughput kb_s;
};

Row throughput_row(const std::string& platform, const PathRow& path) {
  Row row{{platform, path.name}};
  for (const double value : path.kb_s) row.cells.push_back(std::isfinite(value) ? fmt::format("{:.2f}", value) : "-");
  return row;
}

Row ratio_row(const PathRow& numerator, const PathRow& denominator) {
  Row row{{"", numerator.name + "/" + denominator.name}, true};
  for (std::size_t i = 0; i < sizes; ++i) row.cells.push_back(factor_text(numerator.kb_s[i] / denominator.kb_s[i]));
  return row;
}

/// The rows of a platform, and below them what the direct path gains over the daemons and leaves to the socket.
Block block_of(const std::string& platform, const std::vector<PathRow>& paths, std::string_view daemon,
               std::string_view direct, std::string_view socket) {
  Block block;
  for (const PathRow& path : paths) block.rows.push_back(throughput_row(block.rows.empty() ? platform : "", path));
  const auto find = [&](std::string_view name) { return std::ranges::find(paths, name, &PathRow::name); };
  for (const std::string_view other : {daemon, socket}) {
    if (find(direct) == paths.end() || find(other) == paths.end()) continue;
    block.rows.push_back(ratio_row(*find(direct), *find(other)));
  }
  return block;
}

Block paper_block(const PaperPlatform& platform) {
  return block_of(std::string(platform.name) + " (paper)",
                  {{"Daemon", platform.daemon}, {"Fsend", platform.fsend}, {"TTCP", platform.ttcp}}, "Daemon",
                  "Fsend", "TTCP");
}

/// By the latency that the other tables show.
double ping_pong_kb_s(const CaseOf<P2pRecord>& one) {
  const double latency_us = one.median_of([](const P2pRecord& record) { return record.latency.median_us; });
  return static_cast<double>(one.records.front()->bytes) / latency_us * 1e6 / 1e3;
}

double stream_kb_s(const CaseOf<P2pRecord>& one) {
  return one.median_of([](const P2pRecord& record) { return record.bandwidth.median_mb_s * 1e3; });
}

Block own_block(const std::string& platform, Pairs groups, std::size_t source, const Document& document,
                double (*figure)(const CaseOf<P2pRecord>&)) {
  std::vector<PathRow> paths;
  for (const std::string& path : paths_of(document)) {
    PathRow row{path, {}};
    row.kb_s.fill(std::numeric_limits<double>::quiet_NaN());
    for (const auto* one : cases_of(groups, source, path)) {
      const auto* const size = std::ranges::find(table6_sizes, one->records.front()->bytes);
      if (size != table6_sizes.end()) {
        row.kb_s[static_cast<std::size_t>(size - table6_sizes.begin())] = figure(*one);
      }
    }
    paths.push_back(std::move(row));
  }
  return block_of(platform, paths, daemon_path, direct_path, socket_path);
}

std::size_t most_repeats(Pairs groups) {
  std::size_t most = 1;
  for (const auto& group : groups) {
    for (const auto& one : group.cases) most = std::max(most, one.records.size());
  }
  return most;
}

void check_sizes(const Source& source) {
  std::vector<std::uint64_t> found;
  for (const P2pRecord& record : source.document.records<P2pRecord>()) found.push_back(record.bytes);
  if (has_table6_size(found)) return;
  throw UsageError(
      fmt::format("{}: has none of 1, 100, 10000 and 1000000 bytes, which the table shows; measure them "
                  "with nasvm p2p --table6",
                  source.file.empty() ? "--format table6" : source.file));
}

std::string own_name(std::span<const Source> sources, std::size_t source) {
  return sources.size() == 1 ? "this machine" : "file " + source_label(source);
}

}  // namespace

bool has_table6_size(std::span<const std::uint64_t> sizes) {
  return std::ranges::any_of(sizes, [](std::uint64_t size) { return std::ranges::count(table6_sizes, size) != 0; });
}

std::string render_p2p_table6(const Report& report) {
  const std::span<const Source> sources = report.sources;
  for (const Source& source : sources) check_sizes(source);
  const std::vector<GroupOf<P2pRecord>> groups = group_pairs(sources);
  Grid grid;
  grid.heading = heading_lines(sources);
  grid.heading.push_back("Throughput in kB/s (1 kB = 10^3 bytes)");
  grid.columns = {{"Platform", "", Align::left}, {"Path", "", Align::left}};
  for (const std::string_view name : column_names) grid.columns.push_back({std::string(name), "", Align::right});
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const Document& document = sources[i].document;
    grid.blocks.push_back(own_block(own_name(sources, i), groups, i, document, ping_pong_kb_s));
    grid.blocks.push_back(own_block(own_name(sources, i) + ", streams", groups, i, document, stream_kb_s));
  }
  for (const PaperPlatform& platform : paper_platforms) grid.blocks.push_back(paper_block(platform));
  grid.notes = {
      "First block: message by message, size divided by half a round trip; streams: many messages on their way.",
      "Paper: White, Ålund and Sunderam, Performance of the NAS Parallel Benchmarks on PVM-Based Networks,",
      "Table 6. Its Daemon is our daemon, its Fsend our direct, its TTCP our raw-tcp."};
  if (const std::size_t repeats = most_repeats(groups); repeats > 1) {
    grid.notes.push_back(fmt::format("Medians of {} runs, taken in alternating order.", repeats));
  }
  for (std::string& line : condition_lines<P2pRecord>(sources)) grid.notes.push_back(std::move(line));
  return text_of(grid, report.width);
}

}  // namespace nasvm

#include "harness/commands/exec/view.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "harness/commands/exec/record.hpp"
#include "harness/document/csv.hpp"
#include "harness/kernel_runs/rank_view.hpp"
#include "harness/kernel_runs/record.hpp"
#include "harness/kernel_runs/view.hpp"
#include "harness/report/numbers.hpp"

namespace nasvm {
namespace {

/// Functions below this share of a run's time are left out, unless they move data.
constexpr double least_share = 0.0001;

bool same_run(const CallRecord& call, const RunRecord& run) {
  return call.kernel == run.kernel && call.np == run.np && call.transport == run.transport &&
         call.repeat == run.repeat;
}

/// "52.31 %"
std::string share_text(double part, double whole) {
  return whole > 0 ? fmt::format("{:.2f}", 100 * part / whole) : "";
}

Block calls_block(const RunRecord& run, const std::vector<CallRecord>& calls) {
  Block block;
  for (const CallRecord& call : calls) {
    if (!same_run(call, run)) continue;
    if (call.bytes == 0 && call.time_s < least_share * run.time_s) continue;
    const bool first = block.rows.empty();
    block.rows.push_back(
        {{first ? run.kernel : "", first ? std::to_string(run.np) : "", first ? run.transport : "", call.function,
          std::to_string(call.calls), fmt::format("{:.3f}", call.time_min_s), fmt::format("{:.3f}", call.time_mean_s),
          fmt::format("{:.3f}", call.time_s), share_text(call.time_mean_s, run.time_s),
          fmt::format("{:.3f}", static_cast<double>(call.bytes) / 1e6)}});
  }
  return block;
}

Grid calls_grid(std::span<const Source> sources) {
  Grid grid;
  grid.heading = {"Calls of MPI"};
  grid.columns = {{"Program", "", Align::left},
                  {"NP", ""},
                  {"Transport", "", Align::left},
                  {"Function", "", Align::left},
                  {"Calls", ""},
                  {"Time (s)", "least"},
                  {"Time (s)", "mean"},
                  {"Time (s)", "most"},
                  {"Of run", "(%)"},
                  {"Given", "(MB)"}};
  for (const Source& source : sources) {
    for (const RunRecord& run : source.document.records<RunRecord>()) {
      if (run.repeat != 0) continue;
      Block block = calls_block(run, source.document.records<CallRecord>());
      if (!block.rows.empty()) grid.blocks.push_back(std::move(block));
    }
  }
  grid.notes = {
      "Of the first run. Calls: of all tasks. Time: of the task with the least and the most, and the mean of all; "
      "per "
      "cent of the time from MPI_Init to MPI_Finalize. Given: what the function was given to send."};
  return grid;
}

void append_lengths(Grid& grid, const RunRecord& run, const std::vector<LengthRecord>& lengths) {
  Block block;
  for (const LengthRecord& length : lengths) {
    const bool same = length.kernel == run.kernel && length.np == run.np && length.transport == run.transport &&
                      length.repeat == run.repeat;
    if (!same) continue;
    const bool first = block.rows.empty();
    const std::string range =
        length.bytes < 2 ? std::to_string(length.bytes) : fmt::format("{} to {}", length.bytes, 2 * length.bytes - 1);
    block.rows.push_back({{first ? run.kernel : "", first ? std::to_string(run.np) : "", first ? run.transport : "",
                           range, std::to_string(length.messages)}});
  }
  if (!block.rows.empty()) grid.blocks.push_back(std::move(block));
}

Grid lengths_grid(std::span<const Source> sources) {
  Grid grid;
  grid.heading = {"Messages from point to point, by length"};
  grid.columns = {
      {"Program", "", Align::left}, {"NP", ""}, {"Transport", "", Align::left}, {"Bytes", ""}, {"Messages", ""}};
  for (const Source& source : sources) {
    for (const RunRecord& run : source.document.records<RunRecord>()) {
      if (run.repeat == 0) append_lengths(grid, run, source.document.records<LengthRecord>());
    }
  }
  return grid;
}

/// How evenly tasks have worked, and how much of the time is not communication.
void append_balance(Grid& grid, std::span<const Source> sources) {
  for (const Source& source : sources) {
    for (const RunRecord& run : source.document.records<RunRecord>()) {
      if (run.repeat != 0 || run.time_s <= 0 || run.comm.by_rank.empty()) continue;
      double most = 0;
      double sum = 0;
      for (const RankRecord& rank : run.comm.by_rank) {
        const double computing = std::max(0.0, rank.region_s - rank.time_s);
        most = std::max(most, computing);
        sum += computing;
      }
      const double mean = sum / static_cast<double>(run.comm.by_rank.size());
      grid.notes.push_back(fmt::format(
          "{} over {}: load balance {} % (mean of the tasks' time outside of MPI / the longest), communication "
          "efficiency {} % (the longest / the run).",
          run.kernel, run.transport, share_text(mean, most), share_text(most, run.time_s)));
    }
  }
}

void append_calls(std::vector<Grid>& grids, std::span<const Source> sources) {
  grids.push_back(calls_grid(sources));
  append_balance(grids.back(), sources);
}

}  // namespace

std::vector<Grid> exec_grids(std::span<const Source> sources, Columns columns) {
  std::vector<Grid> grids = run_grids(sources, columns);
  append_calls(grids, sources);
  return grids;
}

std::vector<Grid> exec_rank_grids(std::span<const Source> sources, Columns columns) {
  std::vector<Grid> grids = rank_grids(sources, columns);
  append_calls(grids, sources);
  Grid lengths = lengths_grid(sources);
  if (!lengths.blocks.empty()) grids.push_back(std::move(lengths));
  return grids;
}

std::string exec_csv(std::span<const Source> sources) {
  return csv_of<CallRecord>(sources, {"file", "kernel", "np", "transport", "repeat", "function", "calls", "bytes",
                                      "time_s", "time_mean_s", "time_min_s"});
}

}  // namespace nasvm

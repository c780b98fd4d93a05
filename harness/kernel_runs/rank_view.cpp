#include "harness/kernel_runs/rank_view.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "harness/document/csv.hpp"
#include "harness/kernel_runs/run_cases.hpp"
#include "harness/kernel_runs/view.hpp"
#include "harness/report/columns.hpp"
#include "harness/report/distinct.hpp"
#include "harness/report/numbers.hpp"
#include "harness/text.hpp"

namespace nasvm {
namespace {

constexpr int widest_matrix = 32;  ///< rows and columns that can still be looked through
constexpr double mega = 1e6;
constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

double megabytes(std::uint64_t bytes) { return static_cast<double>(bytes) / mega; }

// --- tasks ---------------------------------------------------------------------------------------------------------

/// One figure of the tasks of a case.
struct TaskFigure {
  Column head;
  double (*value)(const RankRecord& task);
  bool is_time = false;  ///< not of wrong results
  bool is_whole = false;
};

constexpr auto task_figures() {
  return std::to_array<TaskFigure>({
      {{"Time", "(s)"}, [](const RankRecord& task) { return task.region_s > 0 ? task.region_s : not_known; }, true},
      {{"Comm. time", "(s)"}, [](const RankRecord& task) { return task.time_s; }, true},
      {{"Idle time", "(s)"}, [](const RankRecord& task) { return task.idle_s; }, true},
      {{"Sent", "(MB)"}, [](const RankRecord& task) { return megabytes(task.bytes_sent); }},
      {{"Received", "(MB)"}, [](const RankRecord& task) { return megabytes(task.bytes_received); }},
      {{"Messages", "sent"},
       [](const RankRecord& task) { return static_cast<double>(task.messages_sent); },
       false,
       true},
      {{"Messages", "received"},
       [](const RankRecord& task) { return static_cast<double>(task.messages_received); },
       false,
       true},
  });
}

/// The tasks of the case's first repeat, whose ranks and hosts are those of all.
const std::vector<RankRecord>& tasks_of(const Case& one) { return one.records.front()->comm.by_rank; }

/// A column: of each task the median over the repeats.
std::vector<std::string> cells_of(const Case& one, const TaskFigure& figure) {
  std::vector<double> medians;
  for (const RankRecord& task : tasks_of(one)) {
    std::vector<double> sample;
    for (const RunRecord* run : one.records) {
      const auto same = std::ranges::find(run->comm.by_rank, task.rank, &RankRecord::rank);
      if (same != run->comm.by_rank.end()) sample.push_back(figure.value(*same));
    }
    const bool hidden = figure.is_time && one.wrong();
    medians.push_back(hidden ? not_known : median(sample));
  }
  const int decimals = figure.is_whole ? 0 : decimals_for(medians);
  std::vector<std::string> cells;
  cells.reserve(medians.size());
  for (const double value : medians) cells.push_back(fixed_text(value, decimals));
  return cells;
}

/// What stands in front of the first task of a case.
std::vector<std::string> keys_of(const Case& one, std::size_t sources, bool with_class) {
  const RunRecord& run = *one.records.front();
  std::vector<std::string> keys{kernel_title(run)};
  if (with_class) keys.emplace_back(1, run.problem_class);
  keys.push_back(tasks_text(run));
  if (sources > 1) keys.push_back(source_label(one.source));
  keys.push_back(one.transport);
  return keys;
}

Block tasks_block(const Case& one, std::size_t sources, bool with_class) {
  Block block;
  const std::vector<std::string> keys = keys_of(one, sources, with_class);
  for (const RankRecord& task : tasks_of(one)) {
    Row row{block.rows.empty() ? keys : std::vector<std::string>(keys.size())};
    row.cells.push_back(std::to_string(task.rank));
    row.cells.push_back(task.host);
    block.rows.push_back(std::move(row));
  }
  for (const TaskFigure& figure : task_figures()) {
    const std::vector<std::string> cells = cells_of(one, figure);
    for (std::size_t i = 0; i < cells.size(); ++i) block.rows[i].cells.push_back(cells[i]);
  }
  return block;
}

Grid tasks_grid(const std::vector<Group>& groups, std::size_t sources) {
  Grid grid;
  grid.heading = {"Task by task"};
  const bool with_class = have_classes(groups);
  grid.columns = {{with_class ? "Kernel" : "Program", "", Align::left}};
  if (with_class) grid.columns.push_back({"Class", "", Align::left});
  grid.columns.push_back({"NP", ""});
  if (sources > 1) grid.columns.push_back({"File", "", Align::left});
  for (const Column& column : {Column{"Transport", "", Align::left}, {"Rank", ""}, {"Host", "", Align::left}}) {
    grid.columns.push_back(column);
  }
  for (const TaskFigure& figure : task_figures()) grid.columns.push_back(figure.head);
  for (const Group& group : groups) {
    for (const Case& one : group.cases) grid.blocks.push_back(tasks_block(one, sources, with_class));
  }
  grid.notes = {"Time: of the task's own timed region. Medians where there are several runs."};
  return grid;
}

// --- matrices ------------------------------------------------------------------------------------------------------

/// Who sent how much to whom: of tasks, or of hosts.
struct Matrix {
  struct Cell {
    std::uint64_t bytes = 0;
    std::uint64_t messages = 0;
  };

  std::vector<std::string> names;
  std::vector<std::vector<Cell>> cells;  ///< cells[from][to]
};

/// The row and column of each rank, and their names.
struct Places {
  std::map<int, std::size_t> of_rank;
  std::vector<std::string> names;
};

/// Can its matrix be looked through, of tasks or of hosts?
bool fits(const RunRecord& run) {
  const int hosts = hosts_used(run);
  return run.np <= widest_matrix || (hosts > 1 && hosts <= widest_matrix);
}

Places places_of(const RunRecord& run) {
  const std::vector<RankRecord>& tasks = run.comm.by_rank;
  const bool by_task = run.np <= widest_matrix;
  Places places{
      {}, distinct(tasks, [&](const RankRecord& task) { return by_task ? std::to_string(task.rank) : task.host; })};
  for (const RankRecord& task : tasks) {
    const auto found = std::ranges::find(places.names, by_task ? std::to_string(task.rank) : task.host);
    places.of_rank[task.rank] = static_cast<std::size_t>(found - places.names.begin());
  }
  return places;
}

Matrix matrix_of(const RunRecord& run) {
  const Places places = places_of(run);
  Matrix matrix{places.names, {}};
  matrix.cells.resize(places.names.size(), std::vector<Matrix::Cell>(places.names.size()));
  for (const PairRecord& pair : run.comm.by_pair) {
    const auto from = places.of_rank.find(pair.from);
    const auto to = places.of_rank.find(pair.to);
    if (from == places.of_rank.end() || to == places.of_rank.end()) continue;  // a worker that was lost
    Matrix::Cell& cell = matrix.cells[from->second][to->second];
    cell.bytes += pair.bytes;
    cell.messages += pair.messages;
  }
  return matrix;
}

/// One grid of a matrix; blank where nothing was sent.
Grid matrix_grid(const Matrix& matrix, std::string heading, double (*value)(const Matrix::Cell&), int decimals) {
  Grid grid;
  grid.heading = {std::move(heading)};
  grid.columns = {{"From", "", Align::left}};
  for (const std::string& name : matrix.names) grid.columns.push_back({name, ""});
  grid.blocks.emplace_back();
  for (std::size_t from = 0; from < matrix.cells.size(); ++from) {
    Row row{{matrix.names[from]}};
    for (const Matrix::Cell& cell : matrix.cells[from]) {
      row.cells.push_back(cell.messages == 0 ? "" : fixed_text(value(cell), decimals));
    }
    grid.blocks.front().rows.push_back(std::move(row));
  }
  return grid;
}

/// "Matrix: its pairs hold 93 % of the volume." where tasks have not named all their peers.
std::vector<std::string> share_lines(const RunRecord& run) {
  std::uint64_t bytes = 0;
  std::uint64_t messages = 0;
  for (const PairRecord& pair : run.comm.by_pair) {
    bytes += pair.bytes;
    messages += pair.messages;
  }
  if (messages >= run.comm.messages) return {};
  return {
      fmt::format("Each task names the {} peers to which it sent most: together {:.0f} % of the volume, {:.0f} % of "
                  "the messages.",
                  most_peers_named(run.np),
                  100 * static_cast<double>(bytes) / std::max(1.0, static_cast<double>(run.comm.volume_bytes)),
                  100 * static_cast<double>(messages) / static_cast<double>(run.comm.messages))};
}

void append_matrices(std::vector<Grid>& grids, const RunRecord& run, const std::string& what) {
  const Matrix matrix = matrix_of(run);
  const bool by_task = run.np <= widest_matrix;
  const std::string of =
      fmt::format("from {} (row) to {} (column)", by_task ? "task" : "host", by_task ? "task" : "host");
  std::vector<double> sizes;
  for (const auto& row : matrix.cells) {
    for (const Matrix::Cell& cell : row) sizes.push_back(megabytes(cell.bytes));
  }
  grids.push_back(matrix_grid(
      matrix, fmt::format("{}: MB {}", what, of), [](const Matrix::Cell& cell) { return megabytes(cell.bytes); },
      decimals_for(sizes)));
  grids.push_back(matrix_grid(
      matrix, fmt::format("{}: messages {}", what, of),
      [](const Matrix::Cell& cell) { return static_cast<double>(cell.messages); }, 0));
  grids.back().notes = share_lines(run);
}

/// The first repeat of a case.
const RunRecord& first_of(const Case& one) { return *one.records.front(); }

/// For each different matrix of a group: the cases that have it.
std::vector<std::vector<const Case*>> alike_in(const Group& group) {
  std::vector<std::vector<const Case*>> all;
  for (const Case& one : group.cases) {
    const auto same = std::ranges::find_if(all, [&](const auto& others) {
      return first_of(*others.front()).comm.by_pair == first_of(one).comm.by_pair;
    });
    if (same == all.end()) all.push_back({&one});
    else same->push_back(&one);
  }
  return all;
}

std::string name_of(const Case& one, std::size_t sources) {
  return sources > 1 ? fmt::format("{} in {}", one.transport, source_label(one.source)) : one.transport;
}

void append_matrices(std::vector<Grid>& grids, const Group& group, std::size_t sources) {
  for (const auto& cases : alike_in(group)) {
    std::vector<std::string> names;
    names.reserve(cases.size());
    for (const Case* one : cases) names.push_back(name_of(*one, sources));
    const std::string what = fmt::format("{}, {}", name_of(group), joined(names));
    const RunRecord& run = first_of(*cases.front());
    if (run.comm.by_pair.empty()) continue;
    if (fits(run)) append_matrices(grids, run, what);
    else grids.back().notes.push_back(what + ": too many tasks for a matrix here; --format csv has it.");
  }
}

/// Does a document lack what matrices are made of?
bool lacks_pairs(std::span<const Source> sources) {
  return std::ranges::any_of(sources, [](const Source& source) {
    return std::ranges::any_of(source.document.records<RunRecord>(), [](const RunRecord& run) {
      return run.comm.by_pair.empty() && run.comm.messages > 0;
    });
  });
}

/// "1:1024:16;3:8:1"
std::string sent_to_text(const RunRecord& run, int rank) {
  std::vector<std::string> parts;
  for (const PairRecord& pair : run.comm.by_pair) {
    if (pair.from == rank) parts.push_back(fmt::format("{}:{}:{}", pair.to, pair.bytes, pair.messages));
  }
  return joined(parts, ";");
}

/// Cells of the task's line that its record does not have under these names. Times of wrong results are hidden.
Cells own_cells(const RunRecord& run, const RankRecord& task) {
  Cells cells{{"sent_to", sent_to_text(run, task.rank)},
              {"communication_s", run.verified ? fmt::format("{}", task.time_s) : ""}};
  if (!run.verified) {
    for (const char* time : {"region_s", "idle_s"}) cells.push_back({time, ""});
  }
  return cells;
}

}  // namespace

std::vector<Grid> rank_grids(std::span<const Source> sources, Columns columns) {
  std::vector<Grid> grids = run_grids(sources, columns);
  const std::vector<Group> groups = group_runs(sources);
  grids.push_back(tasks_grid(groups, sources.size()));
  if (lacks_pairs(sources)) {
    grids.back().notes.emplace_back(
        "Not all of these runs were made with --by-rank: the documents do not say who sent how much to whom then.");
  }
  for (const Group& group : groups) append_matrices(grids, group, sources.size());
  return grids;
}

std::string rank_csv(std::span<const Source> sources) {
  std::vector<std::string> columns{"file",
                                   "kernel",
                                   "class",
                                   "np",
                                   "threads",
                                   "transport",
                                   "variant",
                                   "repeat",
                                   "verified",
                                   "rank",
                                   "host",
                                   "region_s",
                                   "communication_s",
                                   "idle_s",
                                   "bytes_sent",
                                   "bytes_received",
                                   "messages_sent",
                                   "messages_received",
                                   "sent_to",
                                   "created",
                                   "hosts",
                                   "version",
                                   "commit"};
  std::ranges::move(optional_run_columns(sources), std::back_inserter(columns));
  columns.emplace_back(changed_column);
  CsvTable table(std::move(columns));
  for (const Source& source : sources) {
    for (const RunRecord& run : source.document.records<RunRecord>()) {
      const Cells cells = nasvm::cells_of(description_of(run));
      for (const RankRecord& task : run.comm.by_rank) {
        table.add(source, together({own_cells(run, task), nasvm::cells_of(description_of(task)), cells}));
      }
    }
  }
  return table.text();
}

}  // namespace nasvm

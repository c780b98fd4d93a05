#include "harness/commands/io/views.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "harness/document/csv.hpp"
#include "harness/report/case_grid.hpp"
#include "harness/report/condition_lines.hpp"
#include "harness/report/distinct.hpp"
#include "harness/report/heading.hpp"
#include "harness/report/numbers.hpp"
#include "harness/text.hpp"

namespace nasvm {
namespace {

using Group = GroupOf<IoRecord>;
using Case = CaseOf<IoRecord>;

constexpr std::string_view own_method = "edonio";
constexpr std::string_view auto_method = "auto";
constexpr std::string_view auto_transport = "auto";

auto work_of(const IoRecord& record) {
  return std::tuple(record.pattern, record.np, record.grid, record.block_bytes, record.access_bytes, record.sync,
                    record.preload, record.cold);
}

bool has_usual_data_cache(const IoRecord& record) { return record.data_cache_bytes == usual_data_cache_bytes; }

bool has_folder(const IoRecord& record) { return !record.folder.empty(); }

/// "edonio, 64 MiB": the sizes of its caches tell runs apart.
std::string label_of(const IoRecord& record) {
  if (record.method != own_method && record.method != auto_method) return record.method;
  const std::string label = record.method + ", " + capacity_text(record.disk_cache_bytes);
  if (has_usual_data_cache(record)) return label;
  const std::string data = capacity_text(record.data_cache_bytes);
  return label + (data.empty() ? ", no data cache" : ", data cache " + data);
}

/// What was asked for beside pattern, numbers and sizes: "preloaded, no fsync".
std::string choices_text(const IoRecord& record) {
  std::vector<std::string_view> choices;
  if (record.preload) choices.emplace_back("preloaded");
  if (record.cold) choices.emplace_back("from disk");
  if (!record.sync) choices.emplace_back("no fsync");
  return joined(choices);
}

/// "100^3", or the block of each task.
std::string size_of(const IoRecord& record) {
  return record.grid > 0 ? fmt::format("{}^3", record.grid) : capacity_text(record.block_bytes);
}

bool stayed_cached(const IoRecord* record) { return record->kept_bytes > 0; }

std::vector<Group> groups_of(std::span<const Source> sources) {
  std::vector<Group> groups;
  for (std::size_t source = 0; source < sources.size(); ++source) {
    for (const IoRecord& record : sources[source].document.records<IoRecord>()) {
      auto group =
          std::ranges::find_if(groups, [&](const Group& one) { return work_of(one.first()) == work_of(record); });
      if (group == groups.end()) group = groups.insert(group, Group{});
      const std::string label = label_of(record);
      auto found = std::ranges::find_if(
          group->cases, [&](const Case& one) { return one.source == source && one.transport == label; });
      if (found == group->cases.end()) found = group->cases.insert(found, {source, label, {}});
      found->records.push_back(&record);
    }
  }
  for (Group& group : groups) {
    for (Case& one : group.cases) keep_alike(one.records);
    gather_transports(group);
  }
  return groups;
}

std::span<const FigureOf<IoRecord>> figures() {
  constexpr auto spread = Figure::Spread::percent;
  constexpr auto aligned = Figure::Digits::aligned;
  static const std::vector<FigureOf<IoRecord>> all{
      {{{"wopen", "(s)"}}, [](const IoRecord& r) { return r.time.open_to_write_s; }},
      {{{"write", "(s)"}}, [](const IoRecord& r) { return r.time.write_s; }},
      {{{"wclose", "(s)"}}, [](const IoRecord& r) { return r.time.close_written_s; }},
      {{{"ropen", "(s)"}}, [](const IoRecord& r) { return r.time.open_to_read_s; }},
      {{{"preload", "(s)"}}, [](const IoRecord& r) { return r.time.preload_s; }},
      {{{"read", "(s)"}}, [](const IoRecord& r) { return r.time.read_s; }},
      {{{"rclose", "(s)"}}, [](const IoRecord& r) { return r.time.close_read_s; }},
      {{{"All writing", "(s)"}, aligned, spread}, [](const IoRecord& r) { return r.write_side_s(); }},
      {{{"All reading", "(s)"}, aligned, spread}, [](const IoRecord& r) { return r.read_side_s(); }},
  };
  return all;
}

/// Of the file cache, with the first size of its cache.
const Case* own_case(const Group& group, std::size_t source) {
  const auto found = std::ranges::find_if(group.cases, [&](const Case& one) {
    return one.source == source && one.records.front()->method == own_method;
  });
  return found == group.cases.end() ? nullptr : &*found;
}

/// How much faster the file cache is than this case.
template <typename Side>
std::string faster_text(const Group& group, const Case& one, Side side) {
  const Case* own = own_case(group, one.source);
  if (own == nullptr || one.records.front()->method == own_method) return "";
  return factor_text(one.median_of(side) / own->median_of(side));
}

std::string cache_note(const std::vector<Group>& groups) {
  const auto is_cold = [](const Group& group) { return group.first().cold; };
  if (std::ranges::none_of(groups, is_cold)) return "Reads come from the page cache, where it has the file.";
  if (std::ranges::all_of(groups, is_cold)) {
    return "Reads come from disk: the page cache was told to forget the file (--drop-cache).";
  }
  return "Reads come from the page cache, where it has the file; of those from disk it was told to forget it "
         "(--drop-cache).";
}

/// Where the files of a document were, as far as it was asked for.
std::string folders_of(const Source& source) {
  std::vector<std::string> folders = distinct(source.document.records<IoRecord>(), &IoRecord::folder);
  std::erase(folders, "");
  return joined(folders);
}

}  // namespace

std::vector<std::string> folder_lines(std::span<const Source> sources) {
  const bool alike = distinct(sources, folders_of).size() == 1;
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < (alike ? 1 : sources.size()); ++i) {
    const std::string folders = folders_of(sources[i]);
    if (folders.empty()) continue;
    lines.push_back(fmt::format("The file{} was in {} (--dir).", alike ? "" : " of " + source_label(i), folders));
  }
  return lines;
}

std::vector<Grid> io_grids(std::span<const Source> sources, Columns) {
  const std::vector<Group> groups = groups_of(sources);
  CaseTable table;
  table.keys = {{"Pattern", "", Align::left},
                {"NP", "", Align::right},
                {"Grid", "/ block", Align::right},
                {"Access", "(bytes)", Align::right}};
  // One below the other, blocks would look the same without.
  const bool with_choices =
      distinct(groups, [](const Group& group) { return choices_text(group.first()); }).size() > 1;
  if (with_choices) table.keys.push_back({"With", "", Align::left});
  table.label = {"Method", "", Align::left};
  table.figures = figures_of<IoRecord>(figures());
  table.behind = {{"edonio writes", "faster", Align::right}, {"reads", "faster", Align::right}};
  bool synced = true;
  bool kept = false;
  bool chosen = false;
  for (const Group& group : groups) {
    CaseGroup& rows = table.groups.emplace_back();
    rows.keys = {group.first().pattern, std::to_string(group.first().np), size_of(group.first()),
                 std::to_string(group.first().access_bytes)};
    if (with_choices) rows.keys.push_back(choices_text(group.first()));
    for (const Case& one : group.cases) kept = kept || std::ranges::any_of(one.records, stayed_cached);
    for (const Case& one : group.cases) chosen = chosen || one.records.front()->method == auto_method;
    synced = synced && group.first().sync;
    for (const Case& one : group.cases) {
      CaseRow& row = rows.rows.emplace_back(row_of(one, figures()));
      row.behind.push_back(faster_text(group, one, &IoRecord::write_side_s));
      row.behind.push_back(faster_text(group, one, &IoRecord::read_side_s));
    }
  }
  Grid grid = grid_of(table, sources.size());
  grid.heading = heading_lines(sources);
  grid.notes = {
      "Phases between barriers, as in the paper's Tables 5.1 to 5.5: opening, writing and closing a new file,",
      "opening it again, filling caches, reading and closing. Faster: the other method's time for all writing (or "
      "reading) by that of edonio."};
  if (table.most_repeats() > 1) {
    grid.notes.push_back(
        fmt::format("Medians of {} runs, of each column by itself: phases need not add up to all writing (or "
                    "reading). Spread: (largest - smallest) / median.",
                    table.repeats_text()));
  }
  grid.notes.push_back(cache_note(groups));
  if (kept) grid.notes.emplace_back("It did not everywhere: in part, these are reads from memory (kept_bytes).");
  if (chosen) {
    grid.notes.emplace_back(
        "auto: edonio as programs have it: reads of 4 KiB and more come straight from the page cache (of 1 KiB, "
        "where tasks share cores; of 512 bytes, where its caches have no memory yet), where all owners are on one "
        "host and the file is there. edonio: all by its own.");
  }
  if (!synced)
    grid.notes.emplace_back("Some were written without fsync (--no-sync): the disk may not have them yet.");
  for (std::string& line : folder_lines(sources)) grid.notes.push_back(std::move(line));
  for (std::string& line : condition_lines<IoRecord>(sources)) grid.notes.push_back(std::move(line));
  return {std::move(grid)};
}

std::string io_csv(std::span<const Source> sources) {
  std::vector<std::string> columns{"file"};
  for (const Cell& cell : cells_of(description_of(IoRecord{}))) columns.push_back(cell.name);
  const auto has_other_data_cache = [](const IoRecord& record) { return !has_usual_data_cache(record); };
  if (any_record<IoRecord>(sources, has_other_data_cache)) columns.emplace_back("data_cache_bytes");
  if (any_record<IoRecord>(sources, has_folder)) columns.emplace_back("folder");
  return csv_of<IoRecord>(sources, std::move(columns));
}

std::vector<Compared> compared_io(const Document& document) {
  static constexpr FigureKind time{"time", "s"};
  std::vector<Compared> all;
  for (const IoRecord& record : document.records<IoRecord>()) {
    if (record.method != own_method) continue;
    std::string work = fmt::format("io {} of {} by {} in pieces of {} bytes, {}", record.pattern, size_of(record),
                                   counted(record.np, "task"), record.access_bytes, label_of(record));
    if (record.transport != auto_transport) work += ", " + record.transport;
    if (const std::string choices = choices_text(record); !choices.empty()) work += ", " + choices;
    all.push_back({work + ", writing", time, record.write_side_s(), is_right(record), {}, record.sampled});
    all.push_back({work + ", reading", time, record.read_side_s(), is_right(record), {}, record.sampled});
  }
  return all;
}

}  // namespace nasvm

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "harness/commands/p2p/service/views.hpp"
#include "harness/report/condition_lines.hpp"
#include "harness/text.hpp"

namespace nasvm {
namespace {

constexpr auto aligned = Figure::Digits::aligned;
constexpr auto spread = Figure::Spread::percent;

std::span<const P2pFigure<ServiceRecord>> all_figures() {
  static const std::vector<P2pFigure<ServiceRecord>> all{
      {{{{"Message", "(us)"}, aligned, spread}, [](const ServiceRecord& r) { return r.message_us; }}},
      {{{{"Request", "(us)"}, aligned, spread}, [](const ServiceRecord& r) { return r.request_us; }}},
      {{{{"Request /", "message"}, aligned, spread},
        [](const ServiceRecord& r) { return r.request_us / r.message_us; }}},
      {{{{"Sealed", "(us)"}, aligned}, [](const ServiceRecord& r) { return r.sealed_us; }}},
      {{{{"Thread", "(us)"}, aligned, spread}, [](const ServiceRecord& r) { return r.thread_us; }}},
      {{{{"Thread /", "message"}, aligned, spread},
        [](const ServiceRecord& r) { return r.thread_us / r.message_us; }}},
  };
  return all;
}

}  // namespace

std::vector<Grid> service_grids(std::span<const Source> sources, Columns columns) {
  const auto groups =
      group_by_size<ServiceRecord>(sources, [](const ServiceRecord&, const ServiceRecord&) { return true; });
  const std::vector<FigureOf<ServiceRecord>> figures = figures_among(all_figures(), columns);
  CaseTable table;
  table.keys = {{"Bytes", "", Align::right}};
  table.figures = figures_of<ServiceRecord>(figures);
  add_groups<ServiceRecord>(table, groups, figures,
                            [](const ServiceRecord& r) { return std::vector<std::string>{std::to_string(r.bytes)}; });
  Grid grid = grid_of(table, sources.size());
  grid.heading = heading_lines(sources);
  grid.notes = {
      "One way: half a round trip, median. Message: Comm's send and receive. Request: its handler makes one back "
      "(the",
      "paper's pphandle, Figure 5), in the task's thread; sealed: encrypted; thread: the asked task has one for "
      "handlers.",
  };
  add_binding_note<ServiceRecord>(grid.notes, groups, "Tasks were not bound to cores of their own.");
  if (table.most_repeats() > 1) grid.notes.push_back(repeats_note(table.repeats_text()) + ".");
  for (std::string& line : condition_lines<ServiceRecord>(sources)) grid.notes.push_back(std::move(line));
  return {std::move(grid)};
}

std::vector<Compared> compared_requests(const Document& document) {
  std::vector<Compared> all;
  for (const ServiceRecord& record : document.records<ServiceRecord>()) {
    const auto add = [&](std::string_view what, double us) {
      add_known(all, {fmt::format("{} of {}, {}{}", what, counted(record.bytes, "byte"), record.transport,
                                  binding_text(record.bound)),
                      latency_kind,
                      us,
                      is_right(record),
                      {},
                      record.sampled});
    };
    add("request", record.request_us);
    add("sealed request", record.sealed_us);
    add("request to a thread", record.thread_us);
    add("message beside requests", record.message_us);
  }
  return all;
}

std::string service_csv(std::span<const Source> sources) { return p2p_csv<ServiceRecord>(sources); }

}  // namespace nasvm

#include <fmt/format.h>

#include "harness/commands/p2p/coupled/views.hpp"
#include "harness/report/condition_lines.hpp"
#include "harness/text.hpp"

namespace nasvm {
namespace {

constexpr auto aligned = Figure::Digits::aligned;
constexpr auto spread = Figure::Spread::percent;
constexpr auto right = FigureOf<CoupledRecord>::Of::right;

std::span<const P2pFigure<CoupledRecord>> all_figures() {
  static const std::vector<P2pFigure<CoupledRecord>> all{
      {{{{"Step, mean", "(us)"}, aligned, spread}, [](const CoupledRecord& r) { return r.latency.mean_us; }}},
      {{{{"median", "(us)"}, aligned, spread}, [](const CoupledRecord& r) { return r.latency.median_us; }}},
      {{{{"p99", "(us)"}, aligned},
        [](const CoupledRecord& r) { return r.latency.p99_us; },
        right,
        has_p99<CoupledRecord>}},
      {{{{"least", "(us)"}, aligned}, [](const CoupledRecord& r) { return r.latency.min_us; }}, Columns::all},
      {{{{"most", "(us)"}, aligned}, [](const CoupledRecord& r) { return r.latency.max_us; }}, Columns::all},
  };
  return all;
}

}  // namespace

std::vector<Grid> coupled_grids(std::span<const Source> sources, Columns columns) {
  const auto groups = group_by_size<CoupledRecord>(
      sources, [](const CoupledRecord& a, const CoupledRecord& b) { return a.np == b.np; });
  const std::vector<FigureOf<CoupledRecord>> figures = figures_among(all_figures(), columns);
  CaseTable table;
  table.keys = {{"NP", "", Align::right}, {"Halo", "bytes", Align::right}};
  table.label = {"Transports", "", Align::left};
  table.figures = figures_of<CoupledRecord>(figures);
  add_groups<CoupledRecord>(table, groups, figures, [](const CoupledRecord& r) {
    return std::vector<std::string>{std::to_string(r.np), std::to_string(r.bytes)};
  });
  Grid grid = grid_of(table, sources.size());
  grid.heading = heading_lines(sources);
  grid.notes = {
      "Two components that compute at the same time, two thirds of the tasks and one; halos go inside each over the",
      "first transport, fields (four halos long) between the two over the second, once in a step. By hand: the "
      "second",
      "is looked at only where the components meet; forwarder: the daemons receive for their tasks. Table 3 of the",
      "paper on Nexus.",
  };
  add_binding_note<CoupledRecord>(grid.notes, groups, "Tasks were not bound to cores of their own.");
  if (table.most_repeats() > 1) grid.notes.push_back(repeats_note(table.repeats_text()) + ".");
  if (lacks_p99<CoupledRecord>(groups)) grid.notes.emplace_back(no_p99_note);
  for (std::string& line : condition_lines<CoupledRecord>(sources)) grid.notes.push_back(std::move(line));
  return {std::move(grid)};
}

std::vector<Compared> compared_coupled(const Document& document) {
  std::vector<Compared> all;
  for (const CoupledRecord& record : document.records<CoupledRecord>()) {
    add_known(all, {fmt::format("coupled model, NP {}, halos of {}, {}{}", record.np, counted(record.bytes, "byte"),
                                record.transport, binding_text(record.bound)),
                    mean_latency_kind,
                    record.latency.mean_us,
                    is_right(record),
                    {},
                    record.sampled});
  }
  return all;
}

std::string coupled_csv(std::span<const Source> sources) { return p2p_csv<CoupledRecord>(sources); }

}  // namespace nasvm

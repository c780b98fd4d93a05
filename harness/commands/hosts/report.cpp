#include "harness/commands/hosts/report.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "harness/document/csv.hpp"
#include "harness/report/columns.hpp"
#include "harness/report/formats.hpp"
#include "harness/report/numbers.hpp"
#include "harness/text.hpp"

namespace nasvm {
namespace {

/// "0-3, 8": runs of neighbours taken together.
std::string ranks_text(const std::vector<int>& ranks) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < ranks.size();) {
    std::size_t end = begin + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    const int first = ranks[begin], last = ranks[end - 1];
    parts.push_back(first == last ? std::to_string(first) : fmt::format("{}-{}", first, last));
    begin = end;
  }
  return parts.empty() ? "none" : joined(parts);
}

/// The system, or which earlier host is the same computer.
std::string computer_text(const Survey& survey, const SurveyedHost& host) {
  const auto first = std::ranges::find(survey.hosts, host.computer, &SurveyedHost::computer);
  return first->index == host.index ? host.kernel : fmt::format("that of host {}", first->index);
}

ColumnsOf<SurveyedHost> host_columns(const Survey& survey) {
  using Host = SurveyedHost;
  constexpr Align left = Align::left;
  return {
      {{"Host", ""}, [](const Host& host) { return std::to_string(host.index); }},
      {{"Name", "", left}, &Host::name},
      {{"Address", "", left}, &Host::address},
      {{"Cores", ""}, [](const Host& host) { return std::to_string(host.cores); }},
      {{"Memory", ""}, [](const Host& host) { return bytes_text(host.memory_bytes); }},
      {{"Processor", "", left}, &Host::cpu},
      {{"System", "", left}, [&survey](const Host& host) { return computer_text(survey, host); }},
      {{"Daemon", "", left},
       [](const Host& host) { return fmt::format("up, nasvmd {}, pid {}", host.daemon_version, host.daemon_pid); }},
      {{"Tasks", "", left}, [](const Host& host) { return ranks_text(host.ranks); }}};
}

Grid hosts_grid(const Survey& survey) {
  const auto columns = host_columns(survey);
  return {{fmt::format("Virtual machine: {}, {}", counted(survey.hosts.size(), "host"), counted(survey.np, "task"))},
          heads_of(columns),
          {block_of(columns, survey.hosts)},
          {}};
}

/// Tasks that reach each other in the same way.
struct Alike {
  const PairMethod* first;
  std::size_t pairs;
};

bool alike(const PairMethod& a, const PairMethod& b) {
  return a.from_host == b.from_host && a.to_host == b.to_host && a.method == b.method && a.order == b.order;
}

/// Each pair by itself if it is to have a line of its own.
std::vector<Alike> grouped(const Methods& methods, bool all_pairs) {
  std::vector<Alike> groups;
  for (const PairMethod& pair : methods.pairs) {
    const auto found =
        all_pairs ? groups.end()
                  : std::ranges::find_if(groups, [&pair](const Alike& group) { return alike(*group.first, pair); });
    if (found == groups.end()) groups.push_back({&pair, 1});
    else ++found->pairs;
  }
  return groups;
}

/// Those that stand before the chosen one, with their reasons.
std::string passed_over(const PairMethod& pair) {
  std::vector<std::string> texts;
  for (const Consideration& one : pair.order) {
    if (one.transport == pair.method) break;
    texts.push_back(one.transport + ": " + one.why_not);
  }
  return texts.empty() ? "none: it stands first" : joined(texts, "; ");
}

/// Those that stand behind it.
std::string behind(const PairMethod& pair) {
  std::vector<std::string> texts;
  const auto chosen = std::ranges::find(pair.order, pair.method, &Consideration::transport);
  for (auto one = chosen; one != pair.order.end(); ++one) {
    if (one == chosen) continue;
    texts.push_back(one->transport + ": " + (one->why_not.empty() ? "would do, stands behind" : one->why_not));
  }
  return texts.empty() ? "none" : joined(texts, "; ");
}

ColumnOf<Alike> tasks_column(bool all_pairs) {
  if (!all_pairs) return {{"Pairs", ""}, [](const Alike& group) { return std::to_string(group.pairs); }};
  return {{"Tasks", "", Align::left},
          [](const Alike& group) { return fmt::format("{} to {}", group.first->from, group.first->to); }};
}

ColumnsOf<Alike> method_columns(const Survey& survey, bool all_pairs) {
  const auto host = [&survey](int PairMethod::*position) {
    return [&survey, position](const Alike& group) {
      const SurveyedHost& one = survey.hosts[static_cast<std::size_t>(group.first->*position)];
      return fmt::format("{} {}", one.index, one.name);
    };
  };
  return {{{"From host", "", Align::left}, host(&PairMethod::from_host)},
          {{"To host", "", Align::left}, host(&PairMethod::to_host)},
          tasks_column(all_pairs),
          {{"Method", "", Align::left}, [](const Alike& group) { return group.first->method; }},
          {{"Passed over", "", Align::left}, [](const Alike& group) { return passed_over(*group.first); }},
          {{"Behind it", "", Align::left}, [](const Alike& group) { return behind(*group.first); }}};
}

Grid methods_grid(const Survey& survey, const Methods& methods, bool all_pairs) {
  const auto columns = method_columns(survey, all_pairs);
  Grid grid{{fmt::format("Methods, order {}:", methods.transport)},
            heads_of(columns),
            {block_of(columns, grouped(methods, all_pairs))},
            {}};
  if (!all_pairs) {
    grid.notes = {"Pairs: of tasks, each direction by itself; the sender chooses. --all-pairs lists them."};
  }
  if (methods.pairs.empty()) grid.notes = {"One task has nobody to talk to."};
  return grid;
}

std::string reach_text(const HostReach& reach, std::size_t hosts) {
  if (hosts == 1) return "not needed: the only host";
  const std::string why_not = reach.why_not.empty() ? "" : " (" + reach.why_not + ")";
  if (reach.host == 0) {
    return reach.reached ? "asks the others" : "asks the others, and reaches none: unicast" + why_not;
  }
  return reach.reached ? "reached" : "not reached: unicast" + why_not;
}

/// What a broadcast's protocol takes for that path when the user sets nothing.
std::vector<std::string> chosen_notes(const HostReach& asking) {
  return {"What nak takes after the probe when nothing is set:",
          fmt::format("packets of {} B, {} on their way at most (receivers hold {} KiB);", asking.packet_bytes,
                      asking.window, asking.room_bytes >> 10),
          fmt::format("a first time-out of {} ms (round trip {} ms).", fixed_text(1e3 * asking.patience_s, 2),
                      fixed_text(1e3 * asking.round_trip_s, 2))};
}

Grid reach_grid(const Survey& survey) {
  const ColumnsOf<HostReach> columns{
      {{"Host", ""}, [](const HostReach& reach) { return std::to_string(reach.host); }},
      {{"Name", "", Align::left},
       [&survey](const HostReach& reach) { return survey.hosts[static_cast<std::size_t>(reach.host)].name; }},
      {{"Interface", "", Align::left}, &HostReach::interface},
      {{"IP multicast", "", Align::left},
       [&survey](const HostReach& reach) { return reach_text(reach, survey.hosts.size()); }},
      {{"Packet", ""}, [](const HostReach& reach) { return std::to_string(reach.packet_bytes); }}};
  return {{"Multicast from host 0; packets in bytes of payload, without headers and tag:"},
          heads_of(columns),
          {block_of(columns, survey.reach)},
          survey.reach.size() > 1 ? chosen_notes(survey.reach.front()) : std::vector<std::string>{}};
}

}  // namespace

std::string survey_table(const Survey& survey, bool all_pairs, std::size_t width) {
  std::vector<Grid> grids{hosts_grid(survey)};
  for (const Methods& methods : survey.methods) grids.push_back(methods_grid(survey, methods, all_pairs));
  if (!survey.reach.empty()) grids.push_back(reach_grid(survey));
  return text_of(grids, width);
}

std::string survey_csv(const Survey& survey) {
  if (survey.methods.empty()) {
    CsvTable table({"index", "name", "address", "cpu", "cores", "memory_bytes", "kernel", "computer", "state", "pid",
                    "version", "tasks"});
    for (const SurveyedHost& host : survey.hosts) {
      table.add({}, together({cells_of(description_of(host)), {{"tasks", ranks_text(host.ranks)}}}));
    }
    return table.text();
  }
  CsvTable table({"transport", "from", "to", "from_host", "to_host", "method"});
  for (const Methods& methods : survey.methods) {
    for (const PairMethod& pair : methods.pairs) {
      table.add({}, together({cells_of(description_of(methods)), cells_of(description_of(pair))}));
    }
  }
  return table.text();
}

std::string survey_json(const Survey& survey) { return to_indented_json(description_of(survey)); }

}  // namespace nasvm

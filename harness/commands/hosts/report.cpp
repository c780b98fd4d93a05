#include "harness/commands/hosts/report.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/report/grid.hpp"
#include "harness/report/numbers.hpp"
#include "harness/text.hpp"

namespace nasvm {
namespace {

using Json = nlohmann::ordered_json;

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
std::string computer_text(const Survey& survey, std::size_t index) {
  for (std::size_t other = 0; other < index; ++other) {
    if (survey.hosts[other].computer == survey.hosts[index].computer) return fmt::format("that of host {}", other);
  }
  return survey.hosts[index].kernel;
}

Grid hosts_grid(const Survey& survey) {
  Grid grid;
  grid.heading = {fmt::format("Virtual machine: {} {}, {} {}", survey.hosts.size(),
                              survey.hosts.size() == 1 ? "host" : "hosts", survey.np,
                              survey.np == 1 ? "task" : "tasks")};
  grid.columns = {{"Host", "", Align::right},  {"Name", "", Align::left},    {"Address", "", Align::left},
                  {"Cores", "", Align::right}, {"Memory", "", Align::right}, {"Processor", "", Align::left},
                  {"System", "", Align::left}, {"Daemon", "", Align::left},  {"Tasks", "", Align::left}};
  Block block;
  for (std::size_t i = 0; i < survey.hosts.size(); ++i) {
    const SurveyedHost& host = survey.hosts[i];
    block.rows.push_back(
        {{std::to_string(i), host.name, host.address, std::to_string(host.cores), bytes_text(host.memory_bytes),
          host.cpu, computer_text(survey, i),
          fmt::format("up, nasvmd {}, pid {}", host.daemon_version, host.daemon_pid), ranks_text(host.ranks)},
         false});
  }
  grid.blocks.push_back(std::move(block));
  return grid;
}

/// Tasks that reach each other in the same way.
struct Alike {
  std::size_t from_host, to_host;
  PeerMethod method;  ///< its `peer` means nothing
  std::vector<std::pair<int, int>> pairs;
};

std::size_t host_of(const Survey& survey, int rank) {
  const auto has_it = [&](const SurveyedHost& host) {
    return std::ranges::find(host.ranks, rank) != host.ranks.end();
  };
  const auto found = std::ranges::find_if(survey.hosts, has_it);
  return static_cast<std::size_t>(found - survey.hosts.begin());
}

std::vector<Alike> grouped(const Survey& survey, const SurveyedMethods& methods, bool all_pairs) {
  std::vector<Alike> groups;
  for (std::size_t rank = 0; rank < methods.tasks.size(); ++rank) {
    const int from = static_cast<int>(rank);
    for (PeerMethod method : methods.tasks[rank].peers) {
      const std::pair<int, int> pair{from, method.peer};
      const std::size_t from_host = host_of(survey, from), to_host = host_of(survey, method.peer);
      method.peer = 0;
      auto found = std::ranges::find_if(groups, [&](const Alike& group) {
        return group.from_host == from_host && group.to_host == to_host && group.method == method;
      });
      if (found == groups.end() || all_pairs) {
        found = groups.insert(groups.end(), {from_host, to_host, std::move(method), {}});
      }
      found->pairs.push_back(pair);
    }
  }
  return groups;
}

/// Those that stand before the chosen one, with their reasons.
std::string passed_over(const PeerMethod& method) {
  std::vector<std::string> texts;
  for (const Consideration& one : method.order) {
    if (one.transport == method.chosen) break;
    texts.push_back(one.transport + ": " + one.why_not);
  }
  return texts.empty() ? "none: it stands first" : joined(texts, "; ");
}

/// Those that stand behind it.
std::string behind(const PeerMethod& method) {
  std::vector<std::string> texts;
  const auto chosen = std::ranges::find(method.order, method.chosen, &Consideration::transport);
  for (auto one = chosen; one != method.order.end(); ++one) {
    if (one == chosen) continue;
    texts.push_back(one->why_not.empty() ? one->transport + ": would do, stands behind"
                                         : one->transport + ": " + one->why_not);
  }
  return texts.empty() ? "none" : joined(texts, "; ");
}

std::string host_label(const Survey& survey, std::size_t host) {
  return fmt::format("{} {}", host, survey.hosts[host].name);
}

std::string pairs_text(const Alike& group, bool all_pairs) {
  if (!all_pairs) return std::to_string(group.pairs.size());
  return fmt::format("{} to {}", group.pairs.front().first, group.pairs.front().second);
}

Grid methods_grid(const Survey& survey, const SurveyedMethods& methods, bool all_pairs) {
  Grid grid;
  grid.heading = {fmt::format("Methods, order {}:", methods.transport)};
  grid.columns = {{"From host", "", Align::left},
                  {"To host", "", Align::left},
                  {all_pairs ? "Tasks" : "Pairs", "", all_pairs ? Align::left : Align::right},
                  {"Method", "", Align::left},
                  {"Passed over", "", Align::left},
                  {"Behind it", "", Align::left}};
  Block block;
  for (const Alike& group : grouped(survey, methods, all_pairs)) {
    block.rows.push_back(
        {{host_label(survey, group.from_host), host_label(survey, group.to_host), pairs_text(group, all_pairs),
          group.method.chosen, passed_over(group.method), behind(group.method)},
         false});
  }
  grid.blocks.push_back(std::move(block));
  if (!all_pairs) {
    grid.notes = {"Pairs: of tasks, each direction by itself; the sender chooses. --all-pairs lists them."};
  }
  if (grid.blocks.front().rows.empty()) grid.notes = {"One task has nobody to talk to."};
  return grid;
}

Json json_of(const SurveyedHost& host, std::size_t index) {
  return {{"index", index},
          {"name", host.name},
          {"address", host.address},
          {"cpu", host.cpu},
          {"cores", host.cores},
          {"memory_bytes", host.memory_bytes},
          {"kernel", host.kernel},
          {"computer", host.computer},
          {"daemon", {{"state", "up"}, {"pid", host.daemon_pid}, {"version", host.daemon_version}}},
          {"tasks", host.ranks}};
}

Json json_of(const Survey& survey, const SurveyedMethods& methods) {
  Json pairs = Json::array();
  for (std::size_t rank = 0; rank < methods.tasks.size(); ++rank) {
    for (const PeerMethod& method : methods.tasks[rank].peers) {
      Json order = Json::array();
      for (const Consideration& one : method.order) {
        order.push_back({{"transport", one.transport},
                         {"applicable", one.why_not.empty()},
                         {"why_not", one.why_not.empty() ? Json() : Json(one.why_not)}});
      }
      pairs.push_back({{"from", rank},
                       {"to", method.peer},
                       {"from_host", host_of(survey, static_cast<int>(rank))},
                       {"to_host", host_of(survey, method.peer)},
                       {"method", method.chosen},
                       {"order", std::move(order)}});
    }
  }
  return {{"transport", methods.transport}, {"pairs", std::move(pairs)}};
}

}  // namespace

std::string survey_table(const Survey& survey, bool all_pairs) {
  std::string text = text_of(hosts_grid(survey));
  for (const SurveyedMethods& methods : survey.methods) {
    text += "\n" + text_of(methods_grid(survey, methods, all_pairs));
  }
  return text;
}

std::string survey_json(const Survey& survey) {
  Json hosts = Json::array();
  for (std::size_t i = 0; i < survey.hosts.size(); ++i) hosts.push_back(json_of(survey.hosts[i], i));
  Json json{{"schema", "nasvm-hosts/1"}, {"np", survey.np}, {"hosts", std::move(hosts)}};
  if (!survey.methods.empty()) json["methods"] = Json::array();
  for (const SurveyedMethods& methods : survey.methods) json["methods"].push_back(json_of(survey, methods));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace nasvm

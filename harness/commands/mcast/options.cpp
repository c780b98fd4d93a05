#include "harness/commands/mcast/options.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "harness/cli/groups.hpp"
#include "harness/cli/sizes.hpp"
#include "harness/cli/values.hpp"
#include "harness/text.hpp"
#include "vm/status.hpp"
#include "vm/system/table.hpp"

namespace nasvm {
namespace {

constexpr std::string_view default_sizes = "1k,64k,2M";
constexpr std::string_view default_receivers = "4";
constexpr double default_sample_time_s = 0.2;
constexpr int most_sample_time_ms = 600'000;
constexpr int most_iterations = 1'000'000;
constexpr int most_ttl = 255;

/// What was typed for options that depend on each other. Empty: not given.
struct Typed {
  std::vector<std::string> protocols;
  std::array<SweptParameter, 4> swept{
      {{"--packet", "packet"}, {"-W", "window"}, {"--poll", "poll"}, {"--height", "height"}}};
  std::string receivers;
  std::string np;
  bool no_auth = false;
  std::optional<std::string> figures;
};

void choose_receivers(const Typed& typed, McastOptions& options) {
  if (!typed.np.empty() && !typed.receivers.empty()) {
    throw UsageError("--np and --receivers: --np N is --receivers N-1; leave one of them out");
  }
  if (!typed.np.empty()) options.receivers = {parse_count("--np", typed.np, 2, max_tasks) - 1};
  else
    options.receivers = parse_receivers(typed.receivers.empty() ? std::string(default_receivers) : typed.receivers);
}

std::vector<std::string> parse_systems(const std::string& list) {
  std::vector<std::string> systems = split(list, ',');
  for (const std::string& name : systems) {
    const auto entry = split_order(name).front().name;
    if (find_system(entry) == nullptr) {
      const auto known = names_of(message_systems());
      throw UsageError(
          fmt::format("--beside {}: no message system{}; there are {}", name, hint(entry, known), joined(known)));
    }
    (void)system_of(name);  // checks its parameters
  }
  refuse_repeats("--beside", list, systems, "more runs of each");
  return systems;
}

/// The papers' figures have their own lists of cases, and their own hosts.
void refuse_beside_figures(const CommandLine& line) {
  for (const char* other : {"--protocol",   "--receivers",
                            "--np",         "-m",
                            "--packet",     "-W",
                            "--poll",       "--height",
                            "-c",           "-f",
                            "--ttl",        "--transport",
                            "--beside",     "--hostfile",
                            "--host",       "--launcher",
                            "--rsh",        "--copy",
                            "--interface",  "--vm",
                            "--format",     "--export-json",
                            "--export-csv", "--export-markdown",
                            "--sample-time"}) {
    if (!line.given(other)) continue;
    throw UsageError(fmt::format("--figures and {}: figures have that of their own; leave one of them out", other));
  }
}

void refuse_without_figures(const CommandLine& line) {
  for (const char* other : {"--quick", "--out", "--lab"}) {
    if (line.given(other)) throw UsageError(fmt::format("{} is for --figures: add that", other));
  }
}

void add_protocol_options(CommandLine& line, McastOptions& options, Typed& typed,
                          std::span<const multicast::Row> rows) {
  for (const multicast::Row& row : rows) typed.protocols.emplace_back(row.name);
  add_protocols_option(line, typed.protocols, rows);
  const std::array<OptionText, 4> texts{
      {{"--packet", "LIST", "bytes of payload in a packet, such as 1472,8k (default: the protocol's)"},
       {"-W,--window", "LIST", "packets that may be under way (default: the protocol's)"},
       {"--poll", "LIST", "packets from one poll to the next (default: the protocol's)"},
       {"--height", "LIST", "receivers below each other in a linear tree (default: the protocol's)"}}};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    add_parsed(line, texts[i], "", [&swept = typed.swept[i]](const std::string& list) {
      if (list.empty()) return;
      swept.values = split(list, ',');
      refuse_repeats(swept.option, list, swept.values);
    });
  }
  add_parsed(
      line,
      {"--beside", "LIST",
       fmt::format("also a broadcast by message systems, each answered by one byte: {}", message_system_names())},
      "", [&options](const std::string& list) {
        if (!list.empty()) options.beside = parse_systems(list);
      });
}

void add_group_options(CommandLine& line, McastOptions& options, Typed& typed) {
  line.option({"--receivers", "LIST", fmt::format("numbers of receivers (default: {})", default_receivers)},
              typed.receivers);
  line.option({"--np", "N", "tasks: a sender and N-1 receivers"}, typed.np);
  add_parsed(
      line,
      {"-m,--sizes", "MIN:MAX", "message sizes in bytes, each double the last, or a list (a comma: just these)"},
      std::string(default_sizes), [&options](const std::string& text) { options.sizes = parse_sizes_or_list(text); });
  line.flag({"--no-auth", "", "packets without authentication"}, typed.no_auth);
  add_count(line, {"--ttl", "N", "routers that multicast packets may pass, and one"}, options.ttl, 1, most_ttl);
  add_parsed(line, {"--transport", "NAME", "what carries messages between two tasks, such as those of fanout"},
             options.transport, [&options](const std::string& order) {
               if (is_message_system(order)) {
                 throw UsageError(fmt::format("--transport {}: carries whole programs; --beside measures it", order));
               }
               options.transport = order;
             });
}

void add_effort_options(CommandLine& line, McastOptions& options) {
  options.effort.sample_time_s = default_sample_time_s;
  const auto count = [&line](const OptionText& text, std::optional<std::int64_t>& value, int least) {
    add_parsed(line, text, "", [&value, name = text.first_name(), least](const std::string& typed) {
      if (!typed.empty()) value = parse_count(name, typed, least, most_iterations);
    });
  };
  count({"-i,--iterations", "N", "messages of each size (default: 20 at least, as time allows)"},
        options.effort.iterations, 1);
  count({"-x,--warmup", "N", "messages before those (default: until the pace is known)"}, options.effort.warmup, 0);
  add_parsed(line, {"--sample-time", "MS", "milliseconds for each size, where -i does not say (default: 200)"}, "",
             [&options](const std::string& typed) {
               if (typed.empty()) return;
               options.effort.sample_time_s = parse_count("--sample-time", typed, 1, most_sample_time_ms) / 1000.0;
             });
  line.flag({"-c,--check", "", "compare what arrives with what was sent"}, options.effort.check_data);
}

void add_figure_options(CommandLine& line, McastOptions& options, Typed& typed) {
  line.option_or({"--figures", "[LIST]",
                  fmt::format("the papers' figures in a lab of its own, as a report: {} (--figures alone: all)",
                              joined(names_of(mcast_figures())))},
                 std::string(all_figures_name), typed.figures);
  line.flag({"--quick", "", "of --figures: eight receivers, fewer cases: does it work here?"}, options.figures.quick);
  line.option({"--out", "FOLDER", "of --figures: for the report, its pictures and figures.json"},
              options.figures.folder);
  line.option({"--lab", "FILE", "of --figures: the script that makes the hosts (default: scripts/lab)"},
              options.figures.lab);
}

}  // namespace

std::vector<int> parse_receivers(const std::string& list) {
  std::vector<int> receivers;
  for (const std::string& text : split(list, ',')) {
    receivers.push_back(parse_count("--receivers", text, 1, max_tasks - 1));
  }
  refuse_repeats("--receivers", list, receivers);
  return receivers;
}

void add_mcast_options(CommandLine& line, McastOptions& options, std::span<const std::string_view> formats,
                       std::span<const multicast::Row> rows) {
  const auto typed = std::make_shared<Typed>();
  const auto full = std::make_shared<bool>(false);
  add_protocol_options(line, options, *typed, rows);
  add_group_options(line, options, *typed);
  add_effort_options(line, options);
  line.flag({"-f,--full", "", "all columns"}, *full);
  add_figure_options(line, options, *typed);
  add_runs_option(line, options.runs, "runs of each protocol and number of receivers, in alternating order");
  add_machine_options(line, options.machine);
  add_timeout_option(line, options.timeout_s);
  add_output_options(line, options.output, formats, {"run, protocol and size", "the table in Markdown to this file"});
  line.afterwards([&line, &options, typed, full, rows] {
    if (*full) options.columns = Columns::all;
    options.authenticated = !typed->no_auth;
    choose_receivers(*typed, options);
    if (typed->figures) {
      refuse_beside_figures(line);
      options.figures.chosen = parse_figures(*typed->figures);
      return;
    }
    refuse_without_figures(line);
    Sweep sweep = make_sweep(typed->protocols, typed->swept, rows);
    options.variants = std::move(sweep.variants);
    options.remarks = std::move(sweep.remarks);
  });
}

}  // namespace nasvm

#include "harness/commands/p2p/options.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "harness/cli/groups.hpp"
#include "harness/cli/sizes.hpp"
#include "harness/cli/values.hpp"
#include "harness/commands/p2p/collective/collective.hpp"
#include "harness/commands/p2p/coupled/model.hpp"
#include "harness/commands/p2p/mixed/measure.hpp"
#include "harness/commands/p2p/pair/views.hpp"
#include "harness/commands/p2p/pair/yardstick.hpp"
#include "harness/session/machines.hpp"
#include "harness/text.hpp"
#include "vm/status.hpp"
#include "vm/system/table.hpp"
#include "vm/transport/table.hpp"

namespace nasvm {
namespace {

constexpr std::string_view default_sizes = "0:4M";
constexpr std::string_view default_collective_sizes = "8:1M";
/// Sizes of the paper's Figure 7, and its range of skip_poll.
constexpr std::array<std::uint64_t, 2> mixed_sizes{0, 10'000};
constexpr std::string_view default_skips = "adaptive,1,2,4,8,16,32,64,128,256,512,1024,2048,4096";
constexpr std::string_view default_mixed = "shm,direct";
constexpr std::string_view default_service = "shm,direct,daemon";
constexpr std::string_view default_service_sizes = "8:64k";
constexpr double mixed_sample_time_s = 0.03;

constexpr std::uint64_t coupled_bytes = 4096;
constexpr int coupled_tasks = 6;
constexpr double coupled_sample_time_s = 0.2;
/// Those of the paper's Table 3, as far as they differ here.
constexpr std::string_view default_coupled_skips = "adaptive,1,5,20,100,1000,10000";
/// Collectives of all tasks, one after the other, with calls that need many messages: longer than a pair's pattern.
constexpr double collective_sample_time_s = 0.02;
constexpr int most_sample_time_ms = 600'000;
constexpr int most_iterations = 10'000'000;
constexpr int most_window = 65'536;
constexpr int most_buffers = 65'536;

/// What was typed for options whose meaning, or default, depends on the kind. Empty: not given.
struct Typed {
  std::string sizes;
  std::string collective;
  std::string np;
  std::string skips;
  std::string sample_time;
  bool mixed = false;
  bool service = false;
  bool coupled = false;
  bool table6 = false;
};

bool is_yardstick(const std::string& path) { return find_yardstick(path) != nullptr; }

/// Reads what depends on others of the options, in the order in which they depend on each other.
class KindChoice {
 public:
  KindChoice(const CommandLine& line, const Typed& typed, P2pOptions& options)
      : line_(line), typed_(typed), options_(options) {}

  void choose_kind() {
    choose_one();
    refuse_foreign();
    options_.between_hosts = machine_options(options_.machine).hosts.size() > 1;
    if (options_.kind == P2pKind::mixed) choose_mixed();
    if (options_.kind == P2pKind::service) choose_service();
    if (options_.kind == P2pKind::coupled) choose_coupled();
    if (options_.kind == P2pKind::collective) choose_collectives();
    choose_paths_between_hosts();
    if (!typed_.sample_time.empty()) {
      options_.effort.sample_time_s =
          parse_count("--sample-time", typed_.sample_time, 1, most_sample_time_ms) / 1000.0;
    }
  }

  void choose_sizes() {
    if (typed_.table6) {
      if (!typed_.sizes.empty()) throw UsageError("--table6 has the sizes of the paper's table: leave out -m");
      options_.sizes.assign(table6_sizes.begin(), table6_sizes.end());
      const bool usual = !line_.given("--format") && options_.output.format == OutputOptions().format;
      if (usual) options_.output.format = "table6";
    } else if (options_.kind == P2pKind::service && typed_.sizes.empty()) {
      options_.sizes = parse_sizes(std::string(default_service_sizes));
    } else if (options_.kind == P2pKind::mixed && typed_.sizes.empty()) {
      options_.sizes.assign(mixed_sizes.begin(), mixed_sizes.end());
    } else if (options_.kind == P2pKind::coupled && typed_.sizes.empty()) {
      options_.sizes.assign(1, coupled_bytes);
    } else {
      const std::string_view usual = options_.kind == P2pKind::pair ? default_sizes : default_collective_sizes;
      const std::string text = typed_.sizes.empty() ? std::string(usual) : typed_.sizes;
      options_.sizes = takes_one_size() ? parse_size_or_sizes(text) : parse_sizes_or_list(text);
      std::ranges::sort(options_.sizes);
    }
    check_table6_sizes();
    check_collective_sizes();
    check_coupled_sizes();
    check_yardstick_sizes();
  }

 private:
  /// What has no sizes of the OSU programs does not take a number as the last of many.
  [[nodiscard]] bool takes_one_size() const {
    return options_.kind == P2pKind::mixed || options_.kind == P2pKind::service || options_.kind == P2pKind::coupled;
  }

  void check_table6_sizes() const {
    if (options_.kind != P2pKind::pair || options_.output.format != "table6") return;
    if (has_table6_size(options_.sizes)) return;
    throw UsageError(
        "--format table6: shows 1, 100, 10000 and 1000000 bytes, and none of the sizes is one of them; "
        "--table6 measures these");
  }

  /// They leave out empty messages, which must not be all there are.
  void check_yardstick_sizes() const {
    if (options_.sizes != std::vector<std::uint64_t>{0} || !std::ranges::all_of(options_.paths, is_yardstick)) return;
    throw UsageError(fmt::format("-m 0: {} has no empty messages: give sizes from 1 on", options_.paths.front()));
  }

  void choose_one() {
    const std::array<std::pair<bool, P2pKind>, 4> asked{{{typed_.mixed, P2pKind::mixed},
                                                         {typed_.coupled, P2pKind::coupled},
                                                         {typed_.service, P2pKind::service},
                                                         {!typed_.collective.empty(), P2pKind::collective}}};
    for (const auto& [is_asked, kind] : asked) {
      if (!is_asked) continue;
      if (options_.kind != P2pKind::pair) {
        throw UsageError(fmt::format("{} and {}: one at a time", option_of(options_.kind), option_of(kind)));
      }
      options_.kind = kind;
    }
  }

  /// What means nothing to this kind was given by mistake.
  void refuse_foreign() const {
    using enum P2pKind;
    struct Special {
      std::string name;
      std::vector<P2pKind> kinds;
    };
    const std::array<Special, 6> special{{{"--table6", {pair}},
                                          {"-W", {pair}},
                                          {"--buffers", {pair}},
                                          {"-f", {pair, collective, coupled}},
                                          {"--np", {collective, coupled}},
                                          {"--skip-poll", {mixed, coupled}}}};
    for (const auto& [name, kinds] : special) {
      if (std::ranges::count(kinds, options_.kind) != 0 || !line_.given(name)) continue;
      if (options_.kind == pair) {
        std::vector<std::string_view> names;
        for (const P2pKind kind : kinds) names.push_back(option_of(kind));
        throw UsageError(fmt::format("{} is for {}: add that", name, joined(names, " or ")));
      }
      throw UsageError(fmt::format("{} means nothing to {}: leave it out", name, option_of(options_.kind)));
    }
  }

  void choose_collectives() {
    drop_yardsticks();
    options_.collectives = parse_collectives(typed_.collective);
    if (!typed_.np.empty()) options_.np = parse_count("--np", typed_.np, 1, max_tasks);
    options_.effort.sample_time_s = collective_sample_time_s;
  }

  void choose_mixed() {
    choose_two(default_skips);
    options_.np = mixed_tasks;
    options_.effort.sample_time_s = mixed_sample_time_s;
    if (options_.effort.check_data) throw UsageError("--mixed does not compare data: leave out -c");
  }

  void choose_coupled() {
    choose_two(default_coupled_skips);
    options_.np = typed_.np.empty() ? coupled_tasks : parse_count("--np", typed_.np, coupled_least_tasks, max_tasks);
    options_.effort.sample_time_s = coupled_sample_time_s;
    if (options_.effort.check_data) throw UsageError("--coupled always looks at what arrives: leave out -c");
  }

  void choose_two(std::string_view usual_skips) {
    if (!line_.given("--transport")) options_.paths = parse_paths(std::string(default_mixed));
    drop_yardsticks();
    options_.skips = parse_skips(typed_.skips.empty() ? std::string(usual_skips) : typed_.skips);
    check_two();
  }

  void check_coupled_sizes() const {
    if (options_.kind != P2pKind::coupled || std::ranges::min(options_.sizes) >= coupled_least_bytes) return;
    throw UsageError(
        fmt::format("-m {}: halos of --coupled have {} bytes or more", typed_.sizes, coupled_least_bytes));
  }

  void choose_service() {
    if (!line_.given("--transport")) options_.paths = parse_paths(std::string(default_service));
    drop_yardsticks();
    options_.effort.sample_time_s = mixed_sample_time_s;
    for (const std::string& path : options_.paths) {
      if (const auto system = system_of(path); system.has_value()) {
        throw UsageError(
            fmt::format("--transport {}: {} carries whole programs, and no requests", path, system->row->name));
      }
    }
    if (options_.effort.check_data) throw UsageError("--service does not compare data: leave out -c");
  }

  /// Two orders that a task can have at the same time.
  void check_two() const {
    const std::string_view kind = option_of(options_.kind);
    if (options_.paths.size() != 2) {
      throw UsageError(
          fmt::format("{} takes two transports, a cheap and an expensive one: --transport {}", kind, default_mixed));
    }
    for (const std::string& path : options_.paths) {
      if (path == "auto") {
        throw UsageError(
            fmt::format("--transport auto: {} needs two transports by name, such as {}", kind, default_mixed));
      }
      const auto system = system_of(path);
      if (!system.has_value()) continue;
      throw UsageError(fmt::format("--transport {}: {} carries a whole program by itself and cannot be one of two",
                                   path, system->row->name));
    }
  }

  /// Yardsticks connect two tasks and no more: where they are only meant by default, they go.
  void drop_yardsticks() {
    const auto yardstick = std::ranges::find_if(options_.paths, is_yardstick);
    if (yardstick == options_.paths.end()) return;
    if (line_.given("--transport")) {
      throw UsageError(fmt::format("--transport {}: a yardstick connects two tasks and no more; leave it out, or {}",
                                   *yardstick, option_of(options_.kind)));
    }
    std::erase_if(options_.paths, is_yardstick);
  }

  /// Where the tasks are on different hosts, paths must be able to get there; where they are only meant by default,
  /// they go.
  void choose_paths_between_hosts() {
    if (!options_.between_hosts) return;
    const auto stays = [](const std::string& path) {
      const Yardstick* yardstick = find_yardstick(path);
      return yardstick != nullptr && !yardstick->crosses_hosts;
    };
    if (!line_.given("--transport")) {
      std::erase_if(options_.paths, stays);
      // Shared memory: hosts that are one computer have it, too, but nobody lists these to measure it.
      if (options_.kind == P2pKind::service) std::erase(options_.paths, "shm");
    }
    const auto found = std::ranges::find_if(options_.paths, stays);
    if (found == options_.paths.end()) return;
    throw UsageError(
        fmt::format("--transport {}: works on one host only; leave it out, or the list of hosts", *found));
  }

  /// Every collective must have one of the sizes.
  void check_collective_sizes() const {
    for (const std::string& name : options_.collectives) {
      const Collective& collective = *find_collective(name);
      if (!collective.sizes_among(options_.sizes).empty()) continue;
      throw UsageError(fmt::format("-m: {} works on numbers of {} bytes, and none of the sizes is a multiple of that",
                                   name, collective.element_bytes));
    }
  }

  const CommandLine& line_;
  const Typed& typed_;
  P2pOptions& options_;
};

/// A whole number without a default.
template <typename Number>
void add_optional_count(CommandLine& line, const OptionText& text, std::optional<Number>& value, int least,
                        int most) {
  add_parsed(line, text, "", [&value, name = text.first_name(), least, most](const std::string& typed) {
    if (!typed.empty()) value = parse_count(name, typed, least, most);
  });
}

void add_effort_options(CommandLine& line, P2pOptions& options, Typed& typed) {
  add_optional_count(line, {"-i,--iterations", "N", "iterations of each size (default: as time allows)"},
                     options.effort.iterations, 1, most_iterations);
  add_optional_count(line, {"-x,--warmup", "N", "iterations before those (default: until the pace is known)"},
                     options.effort.warmup, 0, most_iterations);
  line.option(
      {"--sample-time", "MS",
       "milliseconds for each size and pattern, where -i does not say (default: 4; of collectives 20; of --mixed and "
       "--service 30; of --coupled 200); longer where others use the machine, too"},
      typed.sample_time);
}

void add_message_options(CommandLine& line, P2pOptions& options, Typed& typed) {
  std::string usual = "daemon,direct," + joined(names_of(yardsticks()), ",");
  add_parsed(
      line,
      {"--transport", "LIST",
       fmt::format("what is measured: {} or auto, a plus for an order of preference; yardsticks: {}",
                   joined(names_of(transports())) + ", " + message_system_names(), joined(names_of(yardsticks())))},
      std::move(usual), [&options](const std::string& list) { options.paths = parse_paths(list); });
  line.option(
      {"-m,--sizes", "MIN:MAX",
       fmt::format("message sizes in bytes, each double the last; MAX alone: from 0 to it, with --mixed, --service "
                   "and --coupled just that size; a list with commas: just these (default: {}; of collectives "
                   "{}; of --mixed 0, 10000; of --service 8:64k; of --coupled 4096)",
                   default_sizes, default_collective_sizes)},
      typed.sizes);
  add_effort_options(line, options, typed);
  add_optional_count(
      line, {"-W,--window", "N", "messages on their way at once in a stream (default: 64, less for large messages)"},
      options.effort.window, 1, most_window);
  add_parsed(
      line,
      {"--buffers", "N", "buffers that messages use in turn, so that they need not stay in the cache (default: 1)"},
      "", [&options](const std::string& text) {
        if (!text.empty()) options.effort.buffers = parse_count("--buffers", text, 1, most_buffers);
      });
  line.flag({"-c,--check", "", "compare all received data with what was sent"}, options.effort.check_data);
}

void add_kind_options(CommandLine& line, Typed& typed) {
  line.flag({"--table6", "", "sizes and layout of the paper's Table 6, with its figures"}, typed.table6);
  line.option({"--collective", "LIST",
               fmt::format("measure collectives instead of a pair: {} or all", joined(names_of(collectives())))},
              typed.collective);
  line.option(
      {"--np", "N", fmt::format("tasks: of collectives (default: 2), of --coupled (default: {})", coupled_tasks)},
      typed.np);
  line.flag({"--mixed", "",
             fmt::format("measure two transports at once, a cheap and an expensive one (default: {}), as the paper's "
                         "ppmulti",
                         default_mixed)},
            typed.mixed);
  line.flag({"--service", "",
             fmt::format("measure remote service requests beside messages (default: {}), as the paper's pphandle",
                         default_service)},
            typed.service);
  line.flag({"--coupled", "",
             fmt::format("measure a model of two components, with one transport inside each and another between them "
                         "(default: {}), as the paper's coupled climate model",
                         default_mixed)},
            typed.coupled);
  line.option({"--skip-poll", "LIST",
               fmt::format("with --mixed (default: {}) and --coupled (default: {}): cheap looks for each look at "
                           "everything",
                           default_skips, default_coupled_skips)},
              typed.skips);
}

}  // namespace

void add_p2p_options(CommandLine& line, P2pOptions& options, std::span<const std::string_view> formats) {
  const auto typed = std::make_shared<Typed>();
  const auto full = std::make_shared<bool>(false);
  add_message_options(line, options, *typed);
  line.flag({"-f,--full", "", "all columns"}, *full);
  add_kind_options(line, *typed);
  add_runs_option(line, options.runs, "runs of each transport, in alternating order");
  add_binding_option(line, options.bind, "core: each task to a core of its own; none: where the system puts it");
  add_machine_options(line, options.machine, "measure between its first and its last host (collectives: on all)");
  add_timeout_option(line, options.timeout_s);
  add_output_options(line, options.output, formats, {"run and size", "the table in Markdown to this file"});
  line.afterwards([&line, &options, typed, full] {
    if (*full) options.columns = Columns::all;
    KindChoice choice(line, *typed, options);
    choice.choose_kind();
    choice.choose_sizes();
  });
}

}  // namespace nasvm

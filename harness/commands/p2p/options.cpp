#include "harness/commands/p2p/options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <set>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "harness/cli/values.hpp"
#include "harness/commands/p2p/collective/collective.hpp"
#include "harness/commands/p2p/mixed/measure.hpp"
#include "harness/commands/p2p/report/report.hpp"
#include "harness/commands/p2p/yardstick.hpp"
#include "harness/text.hpp"
#include "vm/status.hpp"
#include "vm/system/table.hpp"
#include "vm/transport/table.hpp"

namespace nasvm {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;
constexpr std::string_view default_sizes = "0:4M";
constexpr std::string_view default_collective_sizes = "8:1M";
/// Sizes of the paper's Figure 7, and its range of skip_poll.
constexpr std::array<std::uint64_t, 2> mixed_sizes{0, 10'000};
constexpr std::string_view default_skips = "adaptive,1,2,4,8,16,32,64,128,256,512,1024,2048,4096";
constexpr std::string_view default_mixed = "shm,direct";
constexpr double mixed_sample_time_s = 0.03;
constexpr int most_skip = 65'536;
/// Collectives of all tasks, one after the other, with calls that need many messages: longer than a pair's pattern.
constexpr double collective_sample_time_s = 0.02;
constexpr int most_iterations = 10'000'000;
constexpr int most_window = 65'536;
constexpr int most_buffers = 65'536;
constexpr int most_runs = 10'000;
constexpr double most_timeout_s = 1e7;

/// Columns of the paper's Table 6. Its kB and MB are powers of ten.
constexpr std::array<std::uint64_t, 4> table6_sizes{1, 100, 10'000, 1'000'000};

[[noreturn]] void refuse_sizes(const std::string& text) {
  throw UsageError(fmt::format(
      "-m {}: expected MIN:MAX in bytes, such as 8:4k or 0:64M, MIN no more than MAX, MAX up to 1G", text));
}

/// Bytes of "4k"; `all` is for the complaint.
std::uint64_t parse_bytes(const std::string& text, const std::string& all) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string ending(end, static_cast<const char*>(text.data() + text.size()));
  const bool known =
      ending.empty() || (ending.size() == 1 && std::string_view("kKmMgG").find(ending[0]) != std::string_view::npos);
  if (error != std::errc() || !known || value > most_bytes) refuse_sizes(all);
  if (ending.empty()) return value;
  const int shift = ending == "k" || ending == "K" ? 10 : ending == "m" || ending == "M" ? 20 : 30;
  if (value > (most_bytes >> shift)) refuse_sizes(all);
  return value << shift;
}

/// The values of the command line as typed.
struct Texts {
  std::string transport = "daemon,direct," + [] {
    std::string names = joined(names_of(yardsticks()));
    std::erase(names, ' ');
    return names;
  }();
  std::string sizes;
  std::string iterations;
  std::string warmup;
  std::string window;
  std::string buffers;
  std::string collective;
  std::string np;
  std::string skips;
  bool mixed = false;
  std::string runs = "3";
  std::string timeout = "3600";
  bool check = false;
  bool table6 = false;
  P2pOptions options;
};

CLI::Option& add(CLI::App& command, const std::string& name, std::string& value, const std::string& value_name,
                 const std::string& description) {
  CLI::Option* option = command.add_option(name, value, description)->type_name(value_name);
  return value.empty() ? *option : *option->capture_default_str();
}

void add_measuring_options(CLI::App& p2p, Texts& texts) {
  add(p2p, "--transport", texts.transport, "LIST",
      fmt::format("what is measured: {} or auto, a plus for an order of preference; yardsticks: {}",
                  joined(names_of(transports())) + ", " + message_system_names(), joined(names_of(yardsticks()))));
  add(p2p, "-m,--sizes", texts.sizes, "MIN:MAX",
      fmt::format(
          "message sizes in bytes, each double the last (default: {}; of collectives {}; of --mixed 0, 10000)",
          default_sizes, default_collective_sizes));
  add(p2p, "-i,--iterations", texts.iterations, "N", "iterations of each size (default: as time allows)");
  add(p2p, "-x,--warmup", texts.warmup, "N", "iterations before those (default: until the pace is known)");
  add(p2p, "-W,--window", texts.window, "N",
      "messages on their way at once in a stream (default: 64, less for large messages)");
  add(p2p, "--buffers", texts.buffers, "N",
      "buffers that messages use in turn, so that they need not stay in the cache (default: 1)");
  p2p.add_flag("-c,--check", texts.check, "compare all received data with what was sent");
  p2p.add_flag("-f,--full", texts.options.full, "all columns");
  p2p.add_flag("--table6", texts.table6, "sizes and layout of the paper's Table 6, with its figures");
  add(p2p, "--collective", texts.collective, "LIST",
      fmt::format("measure collectives instead of a pair: {} or all", joined(names_of(collectives()))));
  add(p2p, "--np", texts.np, "N", "tasks that take part in collectives (default: 2)");
  p2p.add_flag(
      "--mixed", texts.mixed,
      fmt::format("measure two transports at once, a cheap and an expensive one (default: {}), as the paper's "
                  "ppmulti",
                  default_mixed));
  add(p2p, "--skip-poll", texts.skips, "LIST",
      fmt::format("with --mixed: cheap looks for each look at everything (default: {})", default_skips));
  add(p2p, "--runs", texts.runs, "N", "runs of each transport, in alternating order");
  add(p2p, "--bind", texts.options.bind, "NAME",
      "core: each task to a core of its own; none: where the system puts it");
  add(p2p, "--hostfile", texts.options.hostfile, "FILE",
      "measure between its first and its last host (collectives: on all)");
  add(p2p, "--timeout", texts.timeout, "SECONDS", "time that one run may take");
}

void add_output_options(CLI::App& p2p, P2pOptions& options) {
  add(p2p, "--format", options.format, "NAME", "what to print: " + joined(names_of(p2p_formats())));
  add(p2p, "--export-json", options.export_json, "FILE", "also write the result document to this file");
  add(p2p, "--export-csv", options.export_csv, "FILE", "also write one line per run and size to this file");
  add(p2p, "--export-markdown", options.export_markdown, "FILE", "also write the table in Markdown to this file");
}

/// Where the tasks are on different hosts, yardsticks must be able to get there.
void check_hosts(const P2pOptions& options) {
  if (options.hostfile.empty()) return;
  for (const std::string& path : options.paths) {
    const Yardstick* yardstick = find_yardstick(path);
    if (yardstick != nullptr && !yardstick->crosses_hosts) {
      throw UsageError(fmt::format("--transport {}: works on one host only; leave it out, or --hostfile", path));
    }
  }
}

/// Which options were given rather than left at their defaults.
struct Given {
  bool transport = false;
  bool format = false;
};

void choose_sizes(P2pOptions& options, const Texts& texts, const Given& given) {
  if (options.kind == P2pKind::mixed && texts.sizes.empty()) {
    options.sizes.assign(mixed_sizes.begin(), mixed_sizes.end());
    return;
  }
  if (!texts.table6) {
    const bool pair = options.kind == P2pKind::pair;
    const std::string_view usual = pair ? default_sizes : default_collective_sizes;
    options.sizes = parse_sizes(texts.sizes.empty() ? std::string(usual) : texts.sizes);
    return;
  }
  if (!texts.sizes.empty()) throw UsageError("--table6 has the sizes of the paper's table: leave out -m");
  options.sizes.assign(table6_sizes.begin(), table6_sizes.end());
  if (!given.format) options.format = "table6";
}

/// Yardsticks connect two tasks and no more: where they are only meant by default, they go.
void drop_yardsticks(P2pOptions& options, const Given& given) {
  const auto is_yardstick = [](const std::string& path) { return find_yardstick(path) != nullptr; };
  const auto yardstick = std::ranges::find_if(options.paths, is_yardstick);
  if (yardstick == options.paths.end()) return;
  if (given.transport) {
    throw UsageError(fmt::format("--transport {}: a yardstick connects two tasks and no more; leave it out, or {}",
                                 *yardstick, option_of(options.kind)));
  }
  std::erase_if(options.paths, is_yardstick);
}

/// What means nothing to this kind was given by mistake.
void refuse_foreign(const Texts& texts, P2pKind kind) {
  struct Foreign {
    bool given;
    std::string_view name;
    P2pKind of;
  };
  for (const Foreign& one : {Foreign{texts.table6, "--table6", P2pKind::pair},
                             {!texts.window.empty(), "-W", P2pKind::pair},
                             {!texts.buffers.empty(), "--buffers", P2pKind::pair},
                             {!texts.np.empty(), "--np", P2pKind::collective},
                             {!texts.skips.empty(), "--skip-poll", P2pKind::mixed}}) {
    if (!one.given || one.of == kind) continue;
    if (kind == P2pKind::pair) {
      throw UsageError(fmt::format("{} is for {}: add that", one.name, option_of(one.of)));
    }
    throw UsageError(fmt::format("{} means nothing to {}: leave it out", one.name, option_of(kind)));
  }
}

/// Two orders that a task can have at the same time.
void check_mixed(const P2pOptions& options) {
  if (options.paths.size() != 2) {
    throw UsageError(
        fmt::format("--mixed takes two transports, a cheap and an expensive one: --transport {}", default_mixed));
  }
  for (const std::string& path : options.paths) {
    if (path == "auto")
      throw UsageError("--transport auto: --mixed needs two transports by name, such as shm,direct");
    const auto system = system_of(path);
    if (!system.has_value()) continue;
    throw UsageError(fmt::format("--transport {}: {} carries a whole program by itself and cannot be one of two",
                                 path, system->row->name));
  }
  if (options.effort.check_data) throw UsageError("--mixed does not compare data: leave out -c");
}

void choose_kind(P2pOptions& options, const Texts& texts, const Given& given) {
  if (texts.mixed && !texts.collective.empty()) throw UsageError("--mixed and --collective: one at a time");
  options.kind = texts.mixed ? P2pKind::mixed : texts.collective.empty() ? P2pKind::pair : P2pKind::collective;
  refuse_foreign(texts, options.kind);
  if (options.kind == P2pKind::pair) return;
  if (texts.mixed && !given.transport) options.paths = parse_paths(std::string(default_mixed));
  drop_yardsticks(options, given);
  if (options.kind == P2pKind::collective) {
    options.collectives = parse_collectives(texts.collective);
    options.np = texts.np.empty() ? 2 : parse_count("--np", texts.np, 1, max_tasks);
    options.effort.sample_time_s = collective_sample_time_s;
    return;
  }
  options.skips = parse_skips(texts.skips.empty() ? std::string(default_skips) : texts.skips);
  options.np = mixed_tasks;
  options.effort.sample_time_s = mixed_sample_time_s;
  check_mixed(options);
}

/// Every collective must have one of the sizes.
void check_collective_sizes(const P2pOptions& options) {
  for (const std::string& name : options.collectives) {
    const Collective& collective = *find_collective(name);
    if (!collective.sizes_among(options.sizes).empty()) continue;
    throw UsageError(fmt::format("-m: {} works on numbers of {} bytes, and none of the sizes is a multiple of that",
                                 name, collective.element_bytes));
  }
}

void check_format(const P2pOptions& options) {
  const P2pFormat* format = find_p2p_format(options.format);
  if (format == nullptr) {
    throw UsageError(
        fmt::format("--format {}: not known; known are {}", options.format, joined(names_of(p2p_formats()))));
  }
  if (format->renderer(options.kind) == nullptr) {
    throw UsageError(fmt::format("--format {}: not made for {}; table is", options.format, option_of(options.kind)));
  }
}

P2pOptions finish(const Texts& texts, const Given& given, std::span<const std::string> arguments) {
  P2pOptions options = texts.options;
  options.paths = parse_paths(texts.transport);
  options.effort.check_data = texts.check;
  choose_kind(options, texts, given);
  if (!given.transport && !options.hostfile.empty()) {
    std::erase_if(options.paths, [](const std::string& path) {
      const Yardstick* yardstick = find_yardstick(path);
      return yardstick != nullptr && !yardstick->crosses_hosts;
    });
  }
  check_hosts(options);
  if (!texts.iterations.empty()) options.effort.iterations = parse_count("-i", texts.iterations, 1, most_iterations);
  if (!texts.warmup.empty()) options.effort.warmup = parse_count("-x", texts.warmup, 0, most_iterations);
  if (!texts.buffers.empty()) options.effort.buffers = parse_count("--buffers", texts.buffers, 1, most_buffers);
  if (!texts.window.empty()) options.effort.window = parse_count("-W", texts.window, 1, most_window);
  options.runs = parse_count("--runs", texts.runs, 1, most_runs);
  options.timeout_s = parse_real("--timeout", texts.timeout, 0, most_timeout_s);
  if (options.bind != "core" && options.bind != "none") {
    throw UsageError(fmt::format("--bind {}: not known; known are core, none", options.bind));
  }
  choose_sizes(options, texts, given);
  check_collective_sizes(options);
  check_format(options);
  check_different({options.export_json, options.export_csv, options.export_markdown});
  options.command.assign(arguments.begin(), arguments.end());
  return options;
}

}  // namespace

std::vector<std::uint64_t> parse_sizes(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string least = colon == std::string::npos ? "0" : text.substr(0, colon);
  std::string most = colon == std::string::npos ? text : text.substr(colon + 1);
  if (most.empty() && colon != std::string::npos) most = "4M";
  const std::uint64_t last = parse_bytes(most, text);
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t size = parse_bytes(least, text); size <= last; size = std::max<std::uint64_t>(1, 2 * size)) {
    sizes.push_back(size);
  }
  if (sizes.empty()) refuse_sizes(text);
  return sizes;
}

std::vector<std::string> parse_collectives(const std::string& list) {
  std::vector<std::string> names = split(list, ',');
  if (list == "all") {
    names.clear();
    for (const Collective& collective : collectives()) names.emplace_back(collective.name);
  }
  for (const std::string& name : names) {
    if (find_collective(name) == nullptr) {
      throw UsageError(
          fmt::format("--collective {}: not known; known are {}, all", name, joined(names_of(collectives()))));
    }
  }
  if (std::set<std::string>(names.begin(), names.end()).size() != names.size()) {
    throw UsageError(fmt::format("--collective {}: one is given twice; for more runs there is --runs", list));
  }
  return names;
}

std::vector<int> parse_skips(const std::string& list) {
  std::vector<int> skips;
  for (const std::string& text : split(list, ',')) {
    skips.push_back(text == "adaptive" ? 0 : parse_count("--skip-poll", text, 0, most_skip));
  }
  if (std::set<int>(skips.begin(), skips.end()).size() != skips.size()) {
    throw UsageError(fmt::format("--skip-poll {}: one is given twice; for more runs there is --runs", list));
  }
  return skips;
}

std::vector<std::string> parse_paths(const std::string& list) {
  std::vector<std::string> paths = split(list, ',');
  for (const std::string& path : paths) {
    if (find_yardstick(path) != nullptr) continue;
    try {
      (void)system_of(path);  // checks it
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}; yardsticks: {}", error.what(), joined(names_of(yardsticks()))));
    }
  }
  if (std::set<std::string>(paths.begin(), paths.end()).size() != paths.size()) {
    throw UsageError(fmt::format("--transport {}: one is given twice; for more runs of each there is --runs", list));
  }
  return paths;
}

std::function<P2pOptions(std::span<const std::string>)> add_p2p(CLI::App& app) {
  const auto texts = std::make_shared<Texts>();  // CLI11 keeps references until the command line has been read
  CLI::App& p2p =
      *app.add_subcommand("p2p", "latency and bandwidth between two tasks, or collectives, per transport and size");
  add_measuring_options(p2p, *texts);
  add_output_options(p2p, texts->options);
  p2p.footer(
      "Sizes: 4k, 2M, 1G are powers of 1024. A yardstick is a bare socket between the same two tasks.\n\n"
      "Example:\n  nasvm p2p --transport daemon,direct,raw-tcp -m 1:1M --runs 5\n  nasvm p2p --table6\n"
      "  nasvm p2p --collective allreduce,alltoall --np 8 --transport auto,mpi --runs 5\n"
      "  nasvm p2p --mixed --transport shm,direct --skip-poll adaptive,1,16,256");
  return [texts, &p2p](std::span<const std::string> arguments) {
    return finish(*texts, {p2p.count("--transport") > 0, p2p.count("--format") > 0}, arguments);
  };
}

}  // namespace nasvm

#include "harness/commands/hosts/options.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "harness/cli/values.hpp"
#include "harness/text.hpp"
#include "vm/status.hpp"
#include "vm/system/table.hpp"
#include "vm/transport/table.hpp"

namespace nasvm {
namespace {

constexpr std::array<std::string_view, 2> formats{"table", "json"};

/// The values of the command line as typed.
struct Texts {
  std::string np = "4";
  std::string transport;
  HostsOptions options;
};

void add_options(CLI::App& hosts, Texts& texts) {
  HostsOptions& options = texts.options;
  hosts.add_flag("--methods", options.methods,
                 "which transport each pair of tasks uses, and why each other one was passed over");
  hosts.add_option("--np", texts.np, fmt::format("number of tasks, 1 to {}", max_tasks))
      ->type_name("N")
      ->capture_default_str();
  hosts
      .add_option("--transport", texts.transport,
                  fmt::format("with --methods: orders of {}, joined by a plus, or auto (the default); a comma: each",
                              joined(transport_names())))
      ->type_name("LIST");
  hosts.add_flag("--all-pairs", options.all_pairs, "with --methods: one line for each pair of tasks");
  hosts.add_option("--hostfile", options.hostfile, "hosts, one 'name slots=N' a line (default: this host)")
      ->type_name("FILE");
  hosts
      .add_option("--launcher", options.launcher, fmt::format("who starts the daemons: {}", joined(launcher_names())))
      ->type_name("NAME")
      ->capture_default_str();
  hosts.add_option("--format", options.format, fmt::format("what to print: {}", joined(formats)))
      ->type_name("NAME")
      ->capture_default_str();
  hosts.footer(
      "Example:\n  nasvm hosts --hostfile hosts --np 8\n"
      "  nasvm hosts --methods --np 8 --transport auto,direct+daemon");
}

void check_transports(const std::vector<std::string>& orders) {
  for (const std::string& order : orders) {
    const auto system = system_of(order);
    if (!system.has_value()) continue;
    throw UsageError(
        fmt::format("--transport {}: {} carries every message by itself, so there is nothing to choose; "
                    "give an order of {}",
                    order, system->row->name, joined(transport_names())));
  }
}

HostsOptions finish(const Texts& texts) {
  HostsOptions options = texts.options;
  if (!options.methods && (!texts.transport.empty() || options.all_pairs)) {
    const char* given = texts.transport.empty() ? "--all-pairs" : "--transport";
    throw UsageError(fmt::format("{} is for --methods: add it", given));
  }
  options.np = parse_count("--np", texts.np, 1, max_tasks);
  if (!texts.transport.empty()) options.transports = parse_transports(texts.transport);
  check_transports(options.transports);
  check_launcher(options.launcher);
  if (std::ranges::find(formats, options.format) == formats.end()) {
    throw UsageError(fmt::format("--format {}: not known; known are {}", options.format, joined(formats)));
  }
  return options;
}

}  // namespace

std::function<HostsOptions()> add_hosts(CLI::App& app) {
  const auto texts = std::make_shared<Texts>();  // CLI11 keeps references until the command line has been read
  add_options(*app.add_subcommand("hosts", "the virtual machine: hosts, daemons, methods per pair of tasks"), *texts);
  return [texts] { return finish(*texts); };
}

}  // namespace nasvm

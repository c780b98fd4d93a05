#include "harness/commands/hosts/options.hpp"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "harness/cli/groups.hpp"
#include "harness/cli/values.hpp"
#include "harness/text.hpp"
#include "vm/status.hpp"
#include "vm/system/table.hpp"
#include "vm/transport/table.hpp"

namespace nasvm {
namespace {

constexpr std::array<std::string_view, 3> formats{"table", "json", "csv"};

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

/// What is for --methods needs it.
void check_methods(const CommandLine& line, const HostsOptions& options) {
  if (options.methods || (!line.given("--transport") && !options.all_pairs)) return;
  const char* given = line.given("--transport") ? "--transport" : "--all-pairs";
  throw UsageError(fmt::format("{} is for --methods: add it", given));
}

void check_multicast(const HostsOptions& options) {
  if (options.multicast && options.format == "csv") {
    throw UsageError("--multicast is not for --format csv; take table or json");
  }
}

}  // namespace

void add_hosts_options(CommandLine& line, HostsOptions& options) {
  line.flag({"--methods", "", "which transport each pair of tasks uses, and why each other one was passed over"},
            options.methods);
  line.afterwards([&] {
    check_methods(line, options);
    check_multicast(options);
  });
  line.flag({"--multicast", "", "which hosts IP multicast reaches, by which interface, and with how long packets"},
            options.multicast);
  add_count(line, {"--np", "N", fmt::format("number of tasks, 1 to {}", max_tasks)}, options.np, 1, max_tasks);
  add_parsed(line,
             {"--transport", "LIST",
              fmt::format("with --methods: orders of {}, joined by a plus, or auto (the default); a comma: each",
                          joined(transport_names()))},
             "", [&](const std::string& list) {
               if (!list.empty()) options.transports = parse_transports(list);
               check_transports(options.transports);
             });
  line.flag({"--all-pairs", "", "with --methods: one line for each pair of tasks"}, options.all_pairs);
  add_machine_options(line, options.machine);
  add_choice(line, {"--format", "NAME", fmt::format("what to print: {}", joined(formats))}, options.format,
             {formats.begin(), formats.end()});
  line.footer(
      "Example:\n  nasvm hosts --hostfile hosts --np 8\n"
      "  nasvm hosts --methods --np 8 --transport auto,direct+daemon\n"
      "  nasvm hosts --hostfile hosts --multicast");
}

}  // namespace nasvm

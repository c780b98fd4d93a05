#include "harness/cli/groups.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "harness/cli/values.hpp"
#include "harness/text.hpp"
#include "vm/keeper/runtime_folder.hpp"
#include "vm/status.hpp"

namespace nasvm {

void add_host_options(CommandLine& line, MachineOptions& options, const std::string& hostfile) {
  line.option({"--hostfile", "FILE", hostfile}, options.hostfile);
  line.option({"--host", "LIST", "hosts and their slots instead, such as a:2,b:2"}, options.hosts);
  const std::vector<std::string_view> names = names_of(options.launchers);
  add_parsed(line,
             {"--launcher", "NAME",
              fmt::format("who starts the daemons: {} (default: srun in a Slurm job, ssh where a host is another "
                          "computer, else local)",
                          joined(names))},
             "", [&options, names](const std::string& name) {
               if (!name.empty()) check_one_of("--launcher", name, names);
               options.launcher = name;
             });
  line.option({"--rsh", "COMMAND", "remote shell of launcher ssh, with its options (default: NASVM_RSH, else ssh)"},
              options.rsh);
  line.flag({"--copy", "", "bring this build's programs to the hosts, for this command only"}, options.copy);
  line.option({"--interface", "NAME", "network interface that all hosts talk over, or a network such as 10.1.0.0/16"},
              options.interface);
  line.afterwards([&options] {
    if (!options.hostfile.empty() && !options.hosts.empty()) {
      throw UsageError("--hostfile and --host: both name the hosts; leave one of them out");
    }
  });
}

void add_machine_options(CommandLine& line, MachineOptions& options, const std::string& hostfile) {
  add_host_options(line, options, hostfile);
  line.option_or({"--vm", "[NAME]", "use the machine that nasvm vm start keeps under that name (--vm alone: last)"},
                 std::string(keeper::usual_name), options.vm);
  line.afterwards([&line, &options] {
    if (!options.vm.has_value()) return;
    for (const char* other : {"--hostfile", "--host", "--launcher", "--rsh", "--copy", "--interface"}) {
      if (!line.given(other)) continue;
      throw UsageError(fmt::format(
          "--vm and {}: a kept machine has its hosts already; leave one of them out (nasvm vm add has more hosts)",
          other));
    }
    keeper::check_name(*options.vm);
  });
}

namespace {

constexpr std::string_view svg = "svg";

/// An export to "-" is printed instead of what --format is otherwise.
void print_export(const CommandLine& line, OutputOptions& options, std::string& path, const std::string& format) {
  if (path != "-") return;
  if (line.given("--format") && options.format != format) {
    throw UsageError(fmt::format("--export-{} -: standard output has --format {} already; leave one of them out",
                                 format, options.format));
  }
  options.format = format;
  path.clear();
}

}  // namespace

void add_output_options(CommandLine& line, OutputOptions& options, std::span<const std::string_view> formats,
                        const ExportTexts& texts) {
  add_choice(line, {"--format", "NAME", "what to print: " + joined(formats)}, options.format,
             {formats.begin(), formats.end()});
  line.option({"--export-json", "FILE", "also write the result document to this file (-, of any export: print it)"},
              options.export_json);
  line.option({"--export-csv", "FILE", fmt::format("also write one line per {} to this file", texts.csv_line)},
              options.export_csv);
  line.option({"--export-markdown", "FILE", "also write " + texts.markdown}, options.export_markdown);
  const bool has_plot = std::ranges::find(formats, svg) != formats.end();
  if (has_plot) line.option({"--export-svg", "FILE", "also write the plot to this file"}, options.export_svg);
  line.afterwards([&line, &options] {
    check_different({options.export_json, options.export_csv, options.export_markdown, options.export_svg});
    print_export(line, options, options.export_json, "json");
    print_export(line, options, options.export_csv, "csv");
    print_export(line, options, options.export_markdown, "markdown");
    print_export(line, options, options.export_svg, std::string(svg));
  });
}

void add_view_options(CommandLine& line, std::string& view, std::vector<std::string_view> names) {
  line.option({"--view", "NAME", "other tables of the same runs: " + joined(names)}, view);
  const auto by_rank_given = std::make_shared<bool>(false);
  line.flag({"--by-rank", "", "below the table each task, and who sent how much to whom (--view by-rank)"},
            *by_rank_given);
  line.afterwards([&line, &view, names = std::move(names), by_rank_given] {
    if (line.given("--view")) check_one_of("--view", view, names);
    if (!*by_rank_given) return;
    if (line.given("--view") && view != by_rank_view) {
      throw UsageError(fmt::format("--by-rank: --view {} is asked for already; leave one of them out", view));
    }
    view = by_rank_view;
  });
}

void add_runs_option(CommandLine& line, int& runs, const std::string& description) {
  add_count(line, {"--runs", "N", description}, runs, 1, max_repeats);
}

void add_warmup_option(CommandLine& line, int& warmup) {
  add_count(line, {"--warmup", "N", "runs before those, not recorded"}, warmup, 0, max_repeats);
}

void add_binding_option(CommandLine& line, Binding& bind, const std::string& description) {
  add_parsed(line, {"--bind", "NAME", description}, std::string(binding_names[static_cast<std::size_t>(bind)]),
             [&bind](const std::string& name) {
               check_one_of("--bind", name, binding_names);
               bind = name == binding_names.front() ? Binding::core : Binding::none;
             });
}

void add_protocols_option(CommandLine& line, std::vector<std::string>& protocols,
                          std::span<const multicast::Row> rows) {
  add_parsed(
      line,
      {"--protocol", "LIST", fmt::format("multicast protocols: {}; a comma: measure each", joined(names_of(rows)))},
      joined(protocols, ","), [&protocols, rows](const std::string& list) {
        protocols = split(list, ',');
        for (const std::string& protocol : protocols) (void)multicast::parse_protocol(protocol, rows);
        refuse_repeats("--protocol", list, protocols, "more runs of each");
      });
}

void add_timeout_option(CommandLine& line, double& timeout_s) {
  add_real(line, {"--timeout", "SECONDS", "time that one run may take"}, fmt::format("{}", timeout_s), timeout_s, 0,
           max_timeout_s);
}

}  // namespace nasvm

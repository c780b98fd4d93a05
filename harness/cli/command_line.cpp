#include "harness/kernel_runs/options.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "harness/document/build_info.hpp"
#include "harness/cli/values.hpp"
#include "harness/commands/p2p/report/report.hpp"
#include "harness/report/formats.hpp"
#include "harness/commands/roofline/report/report.hpp"
#include "harness/text.hpp"
#include "vm/status.hpp"
#include "vm/transport/table.hpp"

namespace nasvm {
namespace {

constexpr int max_threads = 1024;
constexpr int max_repeats = 10000;
constexpr double max_timeout_s = 1e7;

constexpr std::array<std::string_view, 2> balances{"even", "pilot"};

template <std::size_t N>
void check_one_of(std::string_view option, const std::string& text, const std::array<std::string_view, N>& known) {
  if (std::find(known.begin(), known.end(), text) == known.end()) {
    throw UsageError(fmt::format("{} {}: not known; known are {}", option, text, joined(known)));
  }
}

void check_variant(const RunOptions& options) {
  if (options.variant.empty()) return;
  for (const Kernel* kernel : options.kernels) {
    const auto& known = kernel->variants;
    if (std::find(known.begin(), known.end(), options.variant) == known.end()) {
      throw UsageError(fmt::format("--variant {}: kernel {} has {}", options.variant, kernel->name,
                                   known.empty() ? "no variants" : joined(known)));
    }
  }
}

/// The values of `nasvm run` as typed.
struct RunTexts {
  std::vector<std::string> kernels;
  std::string problem_class = "S";
  std::string np = "4";
  std::string transport = "daemon,direct";
  std::string threads = "1";
  std::string runs = "1";
  std::string warmup = "0";
  std::string timeout = "3600";
};

/// Adds an option whose value is text; what `value` holds now is the default that --help shows.
CLI::Option& add(CLI::App& command, const std::string& name, std::string& value, const std::string& value_name,
                 const std::string& description) {
  CLI::Option* option = command.add_option(name, value, description)->type_name(value_name);
  return value.empty() ? *option : *option->capture_default_str();
}

void add_machine_options(CLI::App& run, RunOptions& options) {
  add(run, "--hostfile", options.hostfile, "FILE", "hosts, one 'name slots=N' a line (default: this host)");
  add(run, "--launcher", options.launcher, "NAME",
      fmt::format("who starts the daemons: {}", joined(launcher_names())));
}

void add_output_options(CLI::App& run, RunOptions& options, std::span<const Format> known) {
  add(run, "--format", options.format, "NAME", "what to print: " + joined(names_of(known)));
  add(run, "--export-json", options.export_json, "FILE", "also write the result document to this file");
  add(run, "--export-csv", options.export_csv, "FILE", "also write one line per run to this file");
  add(run, "--export-markdown", options.export_markdown, "FILE", "also write the table in Markdown to this file");
}

/// Adds to `run` (or to a command that runs kernels as it does) all its options.
void add_run_options(CLI::App& run, RunOptions& options, RunTexts& texts, std::span<const Format> known) {
  run.add_option("KERNEL", texts.kernels, fmt::format("{} or all (the default)", kernel_names()))->type_name("");
  add(run, "--class", texts.problem_class, "LETTER", "problem class: " + class_names());
  add(run, "--np", texts.np, "N", fmt::format("number of tasks, 1 to {}", max_tasks));
  add(run, "--transport", texts.transport, "LIST",
      fmt::format("{} or auto, or alone {}; a comma: measure each; a plus: one order of preference",
                  joined(transport_names()), message_system_names()));
  add(run, "--threads", texts.threads, "N", "threads inside each task");
  add(run, "--runs", texts.runs, "N", "measured runs of each kernel and transport");
  add(run, "--warmup", texts.warmup, "N", "runs before those, not recorded");
  add(run, "--variant,--engine", options.variant, "NAME",
      "variant of the kernel, for ft its engine (default: its first in nasvm info)");
  add(run, "--balance", options.balance, "NAME", "EP: even, or pilot (work in proportion to measured speed)");
  add(run, "--bind", options.bind, "NAME",
      "core: each task to cores of its own where there are enough; none: where the system puts it");
  add(run, "--timeout", texts.timeout, "SECONDS", "time that one run may take");
  add_machine_options(run, options);
  add_output_options(run, options, known);
}

void add_run(CLI::App& app, RunOptions& options, RunTexts& texts) {
  CLI::App& run = *app.add_subcommand("run", "run kernels over transports and print what each cost");
  add_run_options(run, options, texts, formats());
  run.footer(
      "Parameters of transports (direct:spin=0+daemon):\n" + describe_parameters() +
      "\nExample:\n  nasvm run ft mg --class A --np 8 --transport daemon,direct --runs 5 --export-json a.json");
}

void add_roofline(CLI::App& app, RooflineOptions& options, RunTexts& texts) {
  texts.problem_class = "A";
  texts.np = "1";
  texts.transport = "auto";
  texts.runs = "3";
  texts.warmup = "1";
  CLI::App& roofline =
      *app.add_subcommand("roofline", "what kernels reach of the machine's limits, which are measured first");
  add_run_options(roofline, options.run, texts, roofline_formats());
  roofline.footer("Example:\n  nasvm roofline mg cg --class B --np 2 --export-json roofline.json");
}

void finish_run(RunOptions& options, const RunTexts& texts) {
  options.kernels = parse_kernels(texts.kernels.empty() ? std::vector<std::string>{"all"} : texts.kernels);
  options.problem_class = parse_class(texts.problem_class, options.kernels);
  options.np = parse_count("--np", texts.np, 1, max_tasks);
  options.transports = parse_transports(texts.transport);
  options.threads = parse_count("--threads", texts.threads, 1, max_threads);
  if (options.bind != "core" && options.bind != "none") {
    throw UsageError(fmt::format("--bind {}: not known; known are core, none", options.bind));
  }
  options.runs = parse_count("--runs", texts.runs, 1, max_repeats);
  options.warmup = parse_count("--warmup", texts.warmup, 0, max_repeats);
  options.timeout_s = parse_real("--timeout", texts.timeout, 0, max_timeout_s);
  check_launcher(options.launcher);
  check_variant(options);
  check_one_of("--balance", options.balance, balances);
  check_different({options.export_json, options.export_csv, options.export_markdown});
}

void add_compare(CLI::App& app, CompareOptions& options) {
  CLI::App& compare = *app.add_subcommand("compare", "print the tables of saved results, side by side");
  compare.add_option("FILE", options.files, "result documents, as written by run --export-json")
      ->required()
      ->type_name("");
  add(compare, "--format", options.format, "NAME",
      "what to print: " + joined(names_of(formats())) + "; of p2p also osu, table6");
  compare.footer("Example:\n  nasvm compare before.json after.json");
}

void add_regress(CLI::App& app, RegressOptions& options, std::string& threshold, std::string& confidence) {
  CLI::App& regress = *app.add_subcommand("regress", "exit 1 when something really got slower, 4 when undecided");
  add(regress, "--baseline", options.baseline, "FILE", "result document to hold against").required();
  add(regress, "NEW", options.candidate, "", "result document to judge").required();
  add(regress, "--threshold", threshold, "PERCENT", "slowing down that matters");
  add(regress, "--confidence", confidence, "PERCENT", "confidence asked for");
  regress.footer(
      "Both files need at least 5 runs of each case (nasvm run --runs 5).\n\n"
      "Example:\n  nasvm regress --baseline main.json branch.json");
}

void add_info(CLI::App& app, InfoOptions& options) {
  CLI::App& info = *app.add_subcommand("info", "version, build, machine and dependencies");
  add(info, "--format", options.format, "NAME", "what to print: text, json");
  info.footer("Example:\n  nasvm info --format json");
}

void check_command_name(const CLI::App& app, std::span<const std::string> arguments) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  const std::string list = joined(names);
  if (arguments.size() < 2) {
    throw UsageError(fmt::format("no command given; commands are {} (nasvm --help says more)", list));
  }
  const std::string& name = arguments[1];
  if (!name.starts_with('-') && std::find(names.begin(), names.end(), name) == names.end()) {
    throw UsageError(fmt::format("command '{}' is not known; commands are {}", name, list));
  }
}

std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// Who gives an option an empty value ("$UNSET") has meant something: it is not taken for an option left out.
void refuse_empty_values(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const bool empty = std::ranges::find(option->results(), "") != option->results().end();
    if (option->get_positional() || !empty) continue;
    throw UsageError(fmt::format("{}: its value is empty; give it one, or leave it out", option->get_name()));
  }
}

/// The text that was asked for with --help or --version; empty when there are options to read instead.
std::string parse_or_help(CLI::App& app, std::span<const std::string> arguments) {
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend() - 1);
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    for (const CLI::App* command : app.get_subcommands()) return command->help("nasvm");
    return app.help();
  } catch (const CLI::CallForVersion&) {
    return fmt::format("nasvm {}\n", build_record().version);
  } catch (const CLI::ParseError& error) {
    std::string name = "nasvm";
    for (const CLI::App* command : app.get_subcommands()) name += " " + command->get_name();
    throw UsageError(fmt::format("{} ({} --help says more)", one_line(error.what()), name));
  }
  return {};
}

}  // namespace

Options parse_options(std::span<const std::string> arguments) {
  CLI::App app("NAS kernels on a virtual machine: what each way of passing messages costs.", "nasvm");
  app.footer(
      "Examples:\n  nasvm run all --class A --np 8 --transport daemon,direct\n"
      "  nasvm p2p --transport daemon,direct,raw-tcp -m 1:1M\n"
      "  nasvm hosts --methods --np 8\n\n"
      "Exit status: 0 all well; 1 a verification failed, or something got slower; 2 wrong usage;\n"
      "3 a run could not finish; 4 regress could not decide.");
  app.set_version_flag("--version", "");
  app.require_subcommand(1);
  RunOptions run;
  RunTexts run_texts;
  RooflineOptions roofline;
  RunTexts roofline_texts;
  CompareOptions compare;
  RegressOptions regress;
  std::string threshold = "5";
  std::string confidence = "95";
  InfoOptions info;
  add_run(app, run, run_texts);
  add_compare(app, compare);
  add_regress(app, regress, threshold, confidence);
  const auto finish_p2p = add_p2p(app);
  const auto finish_hosts = add_hosts(app);
  const auto finish_peers = add_peers(app);
  add_roofline(app, roofline, roofline_texts);
  add_info(app, info);

  check_command_name(app, arguments);
  if (std::string text = parse_or_help(app, arguments); !text.empty()) return HelpRequest{std::move(text)};
  for (const CLI::App* command : app.get_subcommands()) refuse_empty_values(*command);
  if (app.got_subcommand("run")) {
    finish_run(run, run_texts);
    check_format(run.format, formats());
    run.command.assign(arguments.begin(), arguments.end());
    return run;
  }
  if (app.got_subcommand("compare")) {
    if (find_p2p_format(compare.format) == nullptr) check_format(compare.format, formats());
    return compare;
  }
  if (app.got_subcommand("regress")) {
    regress.threshold = parse_real("--threshold", threshold, 0, 1000) / 100;
    regress.confidence = parse_real("--confidence", confidence, 50, 99.999) / 100;
    return regress;
  }
  if (app.got_subcommand("p2p")) return finish_p2p(arguments);
  if (app.got_subcommand("peers")) return finish_peers(arguments);
  if (app.got_subcommand("roofline")) {
    finish_run(roofline.run, roofline_texts);
    check_format(roofline.run.format, roofline_formats());
    roofline.run.command.assign(arguments.begin(), arguments.end());
    return roofline;
  }
  if (app.got_subcommand("hosts")) return finish_hosts();
  check_one_of("--format", info.format, std::array<std::string_view, 2>{"text", "json"});
  return info;
}

}  // namespace nasvm

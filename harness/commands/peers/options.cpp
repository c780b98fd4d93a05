#include "harness/commands/peers/options.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "harness/cli/values.hpp"
#include "harness/commands/peers/report/report.hpp"
#include "harness/text.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

constexpr int most_runs = 10'000;
constexpr double most_timeout_s = 1e7;

/// The values of the command line as typed.
struct Texts {
  std::vector<std::string> kernels;
  std::string classes = "A";
  std::string np = "1,2";
  std::string transport = "auto";
  std::string runs = "5";
  std::string warmup = "1";
  std::string timeout = "3600";
  PeersOptions options;
};

CLI::Option& add(CLI::App& command, const std::string& name, std::string& value, const std::string& value_name,
                 const std::string& description) {
  CLI::Option* option = command.add_option(name, value, description)->type_name(value_name);
  return value.empty() ? *option : *option->capture_default_str();
}

void add_options(CLI::App& peers, Texts& texts) {
  peers.add_option("KERNEL", texts.kernels, fmt::format("{} or all (the default)", kernel_names()))->type_name("");
  add(peers, "--bin", texts.options.folder, "DIR", "where the peers' programs are: ft.A.x, cg.B.x, ...").required();
  add(peers, "--class", texts.classes, "LIST", "problem classes, such as A,B: " + class_names());
  add(peers, "--np", texts.np, "LIST", fmt::format("numbers of tasks, such as 1,2,8; 1 to {}", max_tasks));
  add(peers, "--transport", texts.transport, "LIST", "ours, as of nasvm run; a comma: measure each");
  add(peers, "--runs", texts.runs, "N", "measured runs of each, in alternating order");
  add(peers, "--warmup", texts.warmup, "N", "runs before those, not recorded");
  add(peers, "--timeout", texts.timeout, "SECONDS", "time that one run may take");
  add(peers, "--format", texts.options.format, "NAME", "what to print: " + joined(names_of(peers_formats())));
  add(peers, "--export-json", texts.options.export_json, "FILE", "also write the result document to this file");
  add(peers, "--export-csv", texts.options.export_csv, "FILE", "also write one line per run to this file");
  add(peers, "--export-markdown", texts.options.export_markdown, "FILE", "also write the tables in Markdown");
}

template <typename Value>
void add_once(std::vector<Value>& values, const Value& value) {
  if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
}

PeersOptions finish(const Texts& texts, std::span<const std::string> arguments) {
  PeersOptions options = texts.options;
  options.kernels = parse_kernels(texts.kernels.empty() ? std::vector<std::string>{"all"} : texts.kernels);
  for (const std::string& letter : split(texts.classes, ',')) {
    add_once(options.classes, parse_class(letter, options.kernels));
  }
  for (const std::string& count : split(texts.np, ',')) {
    add_once(options.task_counts, parse_count("--np", count, 1, max_tasks));
  }
  options.transports = parse_transports(texts.transport);
  options.runs = parse_count("--runs", texts.runs, 1, most_runs);
  options.warmup = parse_count("--warmup", texts.warmup, 0, most_runs);
  options.timeout_s = parse_real("--timeout", texts.timeout, 0, most_timeout_s);
  check_format(options.format, peers_formats());
  check_different({options.export_json, options.export_csv, options.export_markdown});
  options.command.assign(arguments.begin(), arguments.end());
  return options;
}

}  // namespace

std::function<PeersOptions(std::span<const std::string>)> add_peers(CLI::App& app) {
  const auto texts = std::make_shared<Texts>();  // CLI11 keeps references until the command line has been read
  CLI::App& peers =
      *app.add_subcommand("peers", "our kernels beside other programs of the same work, such as NASA's");
  add_options(peers, *texts);
  peers.footer(
      "A peer is a program of Open MPI that prints the result block of the NAS reference codes, in a file named\n"
      "<kernel>.<CLASS>.x, as NASA's makefiles name it. The suite contains none.\n\n"
      "Example:\n  nasvm peers --bin ~/NPB3.4-MPI/bin --class A,B --np 1,2 --export-json peers.json");
  return [texts](std::span<const std::string> arguments) { return finish(*texts, arguments); };
}

}  // namespace nasvm

#include "harness/commands/peers/options.hpp"

#include <fmt/format.h>

#include "harness/cli/groups.hpp"
#include "harness/cli/values.hpp"
#include "harness/kernel_runs/options.hpp"
#include "harness/report/distinct.hpp"
#include "harness/text.hpp"

namespace nasvm {

void add_peers_options(CommandLine& line, PeersOptions& options, std::span<const std::string_view> formats) {
  add_kernels_argument(line, options.kernels);
  line.option({"--bin", "DIR", "where the peers' programs are: ft.A.x, cg.B.x, ..."}, options.folder,
              Presence::required);
  add_parsed(line, {"--class", "LIST", "problem classes, such as A,B: " + class_names()}, "A",
             [&options](const std::string& list) {
               options.classes = distinct(
                   split(list, ','), [&](const std::string& text) { return parse_class(text, options.kernels); });
             });
  add_parsed(line, {"--np", "LIST", fmt::format("numbers of tasks, such as 1,2,8; 1 to {}", max_tasks)}, "1,2",
             [&options](const std::string& list) {
               options.task_counts = distinct(
                   split(list, ','), [](const std::string& text) { return parse_count("--np", text, 1, max_tasks); });
             });
  add_parsed(line, {"--transport", "LIST", "ours, as of nasvm run; a comma: measure each"},
             joined(options.transports, ","),
             [&options](const std::string& list) { options.transports = parse_transports(list); });
  add_runs_option(line, options.runs, "measured runs of each, in alternating order");
  add_warmup_option(line, options.warmup);
  add_timeout_option(line, options.timeout_s);
  add_output_options(line, options.output, formats, {"run", "the tables in Markdown"});
}

}  // namespace nasvm

#include "harness/commands/peers/options.hpp"

#include "harness/cli/groups.hpp"
#include "harness/cli/values.hpp"
#include "harness/kernel_runs/kernel_options.hpp"
#include "harness/kernel_runs/options.hpp"
#include "harness/text.hpp"

namespace nasvm {

void add_peers_options(CommandLine& line, PeersOptions& options, std::span<const std::string_view> formats) {
  add_kernels_argument(line, options.kernels);
  line.option({"--bin", "DIR", "where the peers' programs are: ft.A.x, cg.B.x, ..."}, options.folder,
              Presence::required);
  line.option({"--serial", "DIR", "where serial programs of the same work are: a peer's other way with one task"},
              options.serial_folder);
  add_size_options(line, options.kernels, options.classes, options.task_counts);
  add_parsed(line, {"--transport", "LIST", "ours, as of nasvm run; a comma: measure each"},
             joined(options.transports, ","),
             [&options](const std::string& list) { options.transports = parse_transports(list); });
  add_variant_option(line, options.kernels, options.variants);
  std::string none;
  add_parsed(line,
             {"--over", "LIST", "ours that the peers' programs run over, too: what of the difference is transport"},
             none, [&options](const std::string& list) {
               if (!list.empty()) options.over = parse_transports(list);
             });
  add_runs_option(line, options.runs, "measured runs of each, in alternating order");
  add_warmup_option(line, options.warmup);
  add_timeout_option(line, options.timeout_s);
  add_output_options(line, options.output, formats, {"run", "the tables in Markdown"});
}

}  // namespace nasvm

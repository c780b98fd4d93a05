#include "harness/kernel_runs/options.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include <fmt/format.h>

#include "harness/cli/groups.hpp"
#include "harness/cli/values.hpp"
#include "harness/kernel_runs/kernel_options.hpp"
#include "harness/report/distinct.hpp"
#include "harness/text.hpp"
#include "vm/multicast/table.hpp"
#include "vm/names.hpp"
#include "vm/status.hpp"
#include "vm/system/table.hpp"
#include "vm/transport/table.hpp"

namespace nasvm {
namespace {

constexpr int max_threads = 1024;

void add_work_options(CommandLine& line, RunOptions& options) {
  add_kernels_argument(line, options.kernels);
  add_size_options(line, options.kernels, options.classes, options.task_counts);
  add_parsed(line,
             {"--transport", "LIST",
              fmt::format("{} or auto, or alone {}; a comma: measure each; a plus: one order of preference",
                          joined(transport_names()), message_system_names())},
             joined(options.transports, ","),
             [&options](const std::string& text) { options.transports = parse_transports(text); });
  add_count(line, {"--threads", "N", "threads inside each task"}, options.threads, 1, max_threads);
}

/// --multicast: broadcasts between hosts by a protocol, over the transports of the virtual machine.
void add_multicast_option(CommandLine& line, RunOptions& options) {
  static constexpr std::string_view none = "none";
  static constexpr std::array in_place_of_one{multicast::automatic, none};
  add_parsed(line,
             {"--multicast", "NAME",
              fmt::format("broadcasts between hosts, one copy for each: {}, auto, or none: by messages of pairs",
                          joined(names_of(multicast::protocols())))},
             std::string(none), [&options](const std::string& name) {
               if (name == none) return;
               if (name != multicast::automatic) {
                 (void)multicast::parse_protocol(name, multicast::protocols(), in_place_of_one);
               }
               options.multicast = name;
             });
  line.afterwards([&options] {
    const auto system = std::ranges::find_if(options.transports, is_message_system);
    if (options.multicast.empty() || system == options.transports.end()) return;
    throw UsageError(fmt::format("--multicast {}: {} broadcasts in its own way; leave one of them out",
                                 options.multicast, *system));
  });
}

/// `--vm ep` takes the kernel for the machine's name, and would run all others.
void check_vm_name(const RunOptions& options) {
  const std::string name = options.machine.vm.value_or("");
  const auto is_it = [&name](const Kernel& kernel) { return kernel.name == name; };
  if (name != "all" && std::ranges::none_of(kernels(), is_it)) return;
  throw UsageError(
      fmt::format("--vm {0}: {0} is a kernel here: write --vm last, or name the machine: --vm=NAME", name));
}

}  // namespace

void add_kernels_argument(CommandLine& line, std::vector<const Kernel*>& kernels) {
  const auto names = std::make_shared<std::vector<std::string>>();
  line.arguments({"KERNEL", "", fmt::format("{} or all (the default)", kernel_names())}, *names);
  line.afterwards(
      [&kernels, names] { kernels = parse_kernels(names->empty() ? std::vector<std::string>{"all"} : *names); });
}

void add_size_options(CommandLine& line, const std::vector<const Kernel*>& kernels, std::vector<char>& classes,
                      std::vector<int>& task_counts) {
  add_parsed(line, {"--class", "LIST", "problem classes, such as A,B: " + class_names()}, joined(classes, ","),
             [&kernels, &classes](const std::string& list) {
               classes =
                   distinct(split(list, ','), [&](const std::string& text) { return parse_class(text, kernels); });
             });
  add_parsed(line, {"--np", "LIST", fmt::format("numbers of tasks, such as 1,2,8; 1 to {}", max_tasks)},
             fmt::format("{}", fmt::join(task_counts, ",")), [&task_counts](const std::string& list) {
               task_counts = distinct(
                   split(list, ','), [](const std::string& text) { return parse_count("--np", text, 1, max_tasks); });
             });
}

void add_hosts_option(CommandLine& line, RunOptions& options) {
  add_parsed(line,
             {"--hosts", "LIST",
              "numbers of hosts, such as 1,2,4: the first so many share the tasks equally (default: all, slot by "
              "slot)"},
             "", [&line, &options](const std::string& list) {
               if (!line.given("--hosts")) return;
               options.host_counts = distinct(split(list, ','), [](const std::string& text) {
                 return parse_count("--hosts", text, 1, max_tasks);
               });
               const int least = *std::ranges::min_element(options.host_counts);
               const int tasks = *std::ranges::max_element(options.task_counts);
               if (least > tasks) {
                 throw UsageError(fmt::format("--hosts {}: more hosts than there are tasks (--np {})", list, tasks));
               }
             });
}

void add_run_options(CommandLine& line, RunOptions& options, std::span<const std::string_view> formats) {
  add_work_options(line, options);
  add_multicast_option(line, options);
  add_runs_option(line, options.runs, "measured runs of each kernel and transport");
  add_warmup_option(line, options.warmup);
  add_variant_option(line, options.kernels, options.variants);
  add_kernel_parameters(line, options.parameters);
  line.afterwards([&options] {
    for (const std::string& variant : options.variants) {
      check_kernel_parameters(options.kernels, variant, options.parameters);
    }
  });
  add_binding_option(line, options.bind,
                     "core: each task to cores of its own where there are enough; none: where the system puts it");
  add_timeout_option(line, options.timeout_s);
  add_machine_options(line, options.machine);
  line.afterwards([&options] { check_vm_name(options); });
  add_output_options(line, options.output, formats);
}

}  // namespace nasvm

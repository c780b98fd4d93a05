#pragma once
/// \file
/// Which kernels are to run, how and where: options of every command that runs them.

#include <string>
#include <vector>

#include "harness/cli/command_line.hpp"
#include "harness/cli/options.hpp"
#include "harness/kernel_runs/checkpoint_options.hpp"
#include "kernels/kernel.hpp"

namespace nasvm {

struct RunOptions {
  std::vector<const Kernel*> kernels;  ///< in the order given, each once
  std::vector<char> classes{'S'};      ///< each with each number of tasks
  std::vector<int> task_counts{4};
  std::vector<int> host_counts{0};  ///< each with each number of tasks that is not smaller; 0: all, by their slots
  std::vector<std::string> transports{"daemon", "direct"};  ///< each is measured: "daemon", "daemon+direct", "auto"
  std::string multicast;  ///< protocol of broadcasts between hosts, or auto; empty: messages of pairs
  int threads = 1;
  int runs = 1;
  int warmup = 0;
  std::vector<std::string> variants{""};  ///< each is measured; empty: each kernel's default
  ParameterValues parameters;             ///< of single kernels, those that were given
  CheckpointOptions checkpoints;
  Binding bind = Binding::core;
  double timeout_s = 3600;  ///< for one run
  bool by_rank = false;     ///< records keep who sent how much to whom
  MachineOptions machine;
  OutputOptions output;
};

/// The kernels, by name; all of them when none is named.
void add_kernels_argument(CommandLine& line, std::vector<const Kernel*>& kernels);

/// --class and --np: lists; what they hold are the defaults. The classes are those that `kernels` have afterwards.
void add_size_options(CommandLine& line, const std::vector<const Kernel*>& kernels, std::vector<char>& classes,
                      std::vector<int>& task_counts);

/// --hosts: a list; for commands whose records say on how many hosts a run was.
void add_hosts_option(CommandLine& line, RunOptions& options);

/// Adds all others of them to a command; what `options` holds are the defaults. `formats` are the names for --format.
void add_run_options(CommandLine& line, RunOptions& options, std::span<const std::string_view> formats);

}  // namespace nasvm

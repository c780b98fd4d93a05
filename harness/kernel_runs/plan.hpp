#pragma once
/// \file
/// What is run, in which order. Kernel by kernel, class by class, number of tasks by number of tasks, number of hosts
/// by number of hosts (no more than there are tasks): first the warm-ups, then the repeats with the variants and
/// transports in the order A B, B A, A B, ... so that drift of the machine hits all of them alike.

#include <cstdint>
#include <string>
#include <vector>

#include "harness/kernel_runs/options.hpp"
#include "kernels/kernel.hpp"

namespace nasvm {

/// One run of one kernel over one transport.
struct RunSpec {
  const Kernel* kernel = nullptr;
  Problem problem;  ///< `variant` is never empty; `parameters` has no defaults
  int np = 1;
  int hosts = 0;  ///< the first so many; 0: all, by their slots
  std::string transport;
  std::string multicast;  ///< protocol of broadcasts between hosts; empty: none
  CheckpointOptions checkpoints;
  Binding bind = Binding::core;
  int repeat = 0;       ///< from 0, also among the warm-ups
  bool warmup = false;  ///< not recorded
};

/// "mg class S, 4 tasks, direct (warm-up)", with the variant where it is not the kernel's default.
std::string name_of(const RunSpec& spec);

/// One kernel at one size: each variant over each transport.
std::vector<RunSpec> round_of(const RunOptions& options, const Kernel& kernel, char problem_class, int tasks,
                              int hosts = 0);

/// All runs that the options ask for, in their order. A farm has one transport, that of its messages, whatever is
/// asked for.
std::vector<RunSpec> make_plan(const RunOptions& options);

/// A line for people on farms of the plan that are measured over something else than these transports, which were
/// asked for; or nothing.
std::string farm_remark(const std::vector<RunSpec>& plan, const std::vector<std::string>& transports);

/// Throws UsageError when the plan is for more hosts than there are.
void check_hosts(const std::vector<int>& host_counts, std::size_t hosts);

/// Throws UsageError when a run of the plan spawns its tasks, and is to be over a message system, on so many hosts or
/// with multicast.
void check_spawning(const std::vector<RunSpec>& plan);

/// Throws RunError when a run of the plan needs more memory than is available on this host.
void check_memory(const std::vector<RunSpec>& plan, std::uint64_t available_bytes);

/// Throws UsageError when a run of the plan has more threads than this host allows.
void check_threads(const std::vector<RunSpec>& plan, std::uint64_t available_threads);

}  // namespace nasvm

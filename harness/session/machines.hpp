#pragma once
/// \file
/// Where programs of tasks run: on the virtual machine, or over a message system (mpi, pvm) where a transport is one.

#include <sys/types.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/cli/options.hpp"
#include "harness/conditions/meter.hpp"
#include "harness/document/document.hpp"
#include "vm/keeper/kept_machine.hpp"
#include "vm/launch/machine.hpp"
#include "vm/probe/copy_rates.hpp"
#include "vm/system/runner.hpp"

namespace nasvm {

/// The machine of those options; of a kept one, the hosts that it has now. Throws UsageError (hostfile), RunError.
Machine::Options machine_options(const MachineOptions& options);

/// A time-out of the command line, and its option there.
std::chrono::milliseconds milliseconds_of(double seconds);
inline constexpr const char* timeout_option = "--timeout";
/// Gives it to a program, so that the error at its end names the option.
inline void limit_time(Machine::Program& program, std::chrono::milliseconds timeout) {
  program.timeout = timeout;
  program.timeout_option = timeout_option;
}

/// What transport shm does with long messages of tasks that have a core each, where copying is as fast as that.
std::string copying_text(const CopyRates& rates);

/// Why samples have no conditions.
inline constexpr const char* other_computers = "conditions are measured on this computer, and hosts may be others";

/// Has any computer more threads than cores, with a task of so many on the host (index) of each rank? Hosts may be
/// one computer.
bool are_crowded(std::span<const HostFacts> hosts, std::span<const int> host_of_rank, int threads);

class Machines {
 public:
  /// Starts what programs over these transports need; `kept`: the hosts are some of that machine's, which is used.
  /// Blocks. Throws UsageError, also for options that mean nothing to these transports, and RunError.
  Machines(const Machine::Options& options, std::span<const std::string> transports,
           const std::optional<std::string>& kept = {});

  /// Runs tasks that carry out orders (orders.hpp); fills in which program that is. As Machine::run.
  std::vector<std::string> run(Machine::Program program);

  /// Serves what daemons say, for that time at most; nothing on a kept machine, whose daemons speak to its keeper.
  void idle(std::chrono::nanoseconds most);

  /// What the daemons told of their hosts; none when everything goes over message systems.
  [[nodiscard]] std::vector<HostFacts> hosts() const;
  /// Whether a run on the first so many hosts, on all for 0, would have more threads than cores anywhere. No, where
  /// nobody told of cores, because everything goes over message systems and hosts may be other computers.
  [[nodiscard]] bool are_crowded(int host_count, int tasks, int threads) const;
  /// On how many hosts a run of so many tasks would be.
  [[nodiscard]] int hosts_used(int tasks) const;
  /// The hosts; of other computers nothing but the user's name when everything goes over message systems.
  [[nodiscard]] MachineRecord record() const;
  /// Measures the conditions of what runs on the machine of those options, which must outlive it. None where hosts
  /// may be other computers. On a kept machine a sample has none either when somebody else had a turn beside it:
  /// probes would disturb him.
  [[nodiscard]] std::unique_ptr<ConditionsMeter> conditions_meter(const MachineOptions& options);
  /// IPv4 address of the first host.
  [[nodiscard]] const std::string& first_address() const { return first_address_; }

 private:
  class KeptMeter;

  void use(const std::string& kept, const Machine::Options& options, std::span<const std::string> transports);
  /// Keeper and daemons of a kept machine; none where one is on another computer.
  [[nodiscard]] std::optional<std::vector<pid_t>> helpers_here() const;

  std::optional<Machine> machine_;  ///< unless everything goes over message systems, or it is kept
  std::optional<keeper::KeptMachine> kept_;
  std::vector<HostSpec> hosts_;                       ///< of a kept one those that are used
  bool has_waited_ = false;                           ///< for its turn on it
  std::map<std::string_view, SystemRunner> systems_;  ///< those that something goes over
  std::string first_address_;
  bool here_alone_;  ///< all hosts are this computer
};

}  // namespace nasvm

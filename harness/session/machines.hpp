#pragma once
/// \file
/// Where programs of tasks run: on the virtual machine, or over a message system (mpi, pvm) where a transport is one.

#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/cli/options.hpp"
#include "harness/document/document.hpp"
#include "vm/keeper/kept_machine.hpp"
#include "vm/launch/machine.hpp"
#include "vm/probe/copy_rates.hpp"
#include "vm/system/runner.hpp"

namespace nasvm {

/// The machine of those options; of a kept one, the hosts that it has now. Throws UsageError (hostfile), RunError.
Machine::Options machine_options(const MachineOptions& options);

/// A time-out of the command line.
std::chrono::milliseconds milliseconds_of(double seconds);

/// What transport shm does with long messages of tasks that have a core each, where copying is as fast as that.
std::string copying_text(const CopyRates& rates);

class Machines {
 public:
  /// Starts what programs over these transports need; `kept`: the hosts are some of that machine's, which is used.
  /// Blocks. Throws UsageError and RunError.
  Machines(const Machine::Options& options, std::span<const std::string> transports,
           const std::optional<std::string>& kept = {});

  /// Runs tasks that carry out orders (orders.hpp); fills in which program that is. As Machine::run.
  std::vector<std::string> run(Machine::Program program);

  /// What the daemons told of their hosts; none when everything goes over message systems.
  [[nodiscard]] std::vector<HostFacts> hosts() const;
  /// The hosts; this one alone when everything goes over message systems.
  [[nodiscard]] MachineRecord record() const;
  /// IPv4 address of the first host.
  [[nodiscard]] const std::string& first_address() const { return first_address_; }

 private:
  void use(const std::string& kept, std::span<const std::string> transports);

  std::optional<Machine> machine_;  ///< unless everything goes over message systems, or it is kept
  std::optional<keeper::KeptMachine> kept_;
  std::vector<HostSpec> kept_hosts_;                  ///< of it, those that are used
  std::map<std::string_view, SystemRunner> systems_;  ///< those that something goes over
  std::string first_address_;
  bool here_alone_;  ///< all hosts are this computer
};

}  // namespace nasvm

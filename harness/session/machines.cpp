#include "harness/session/machines.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "harness/document/machine_info.hpp"
#include "harness/text.hpp"
#include "vm/machine_topology.hpp"
#include "vm/proc.hpp"
#include "vm/process/programs.hpp"
#include "vm/transport/shm/long_messages.hpp"

namespace nasvm {
namespace {

/// Options that would have no effect.
void refuse_options_of_daemons(const Machine::Options& options, std::span<const std::string> transports) {
  const char* option = options.copy ? "--copy" : options.interface.empty() ? nullptr : "--interface";
  if (option == nullptr) return;
  throw UsageError(fmt::format("{} with transport {}: is for our daemons, which do nothing there; leave it out",
                               option, joined(transports)));
}

}  // namespace

Machine::Options machine_options(const MachineOptions& options) {
  Machine::Options machine;
  if (options.vm.has_value()) {
    machine.hosts = keeper::hosts_of(keeper::KeptMachine(*options.vm).state());
    if (machine.hosts.empty()) throw RunError("machine " + *options.vm + " has no host any more");
    return machine;
  }
  const auto job = options.launcher.empty() || options.launcher == "srun" ? slurm_job() : std::nullopt;
  if (!options.hostfile.empty()) {
    machine.hosts = read_hostfile(options.hostfile);
  } else if (!options.hosts.empty()) {
    machine.hosts = parse_host_list(options.hosts);
  } else if (job.has_value()) {
    machine.hosts = *job;
  } else if (options.launcher == "srun") {
    throw UsageError(
        "launcher srun: this is no Slurm job; begin one with salloc or sbatch, or name another launcher");
  }
  machine.launcher = options.launcher.empty() ? usual_launcher(machine.hosts, job.has_value()) : options.launcher;
  machine.launchers = options.launchers;
  machine.rsh = options.rsh;
  machine.copy = options.copy;
  machine.interface = options.interface;
  return machine;
}

std::chrono::milliseconds milliseconds_of(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(seconds * 1000)));
}

bool are_crowded(std::span<const HostFacts> hosts, std::span<const int> host_of_rank, int threads) {
  std::map<std::string_view, int> free_cores;
  for (const HostFacts& host : hosts) {
    int& cores = free_cores[host.computer];
    cores = std::max(cores, host.cores);  // containers of one computer may use fewer
  }
  for (const int host : host_of_rank) free_cores[hosts[static_cast<std::size_t>(host)].computer] -= threads;
  return std::ranges::any_of(free_cores, [](const auto& computer) { return computer.second < 0; });
}

Machines::Machines(const Machine::Options& options, std::span<const std::string> transports,
                   const std::optional<std::string>& kept)
    : hosts_(options.hosts), first_address_(options.hosts.front().address), here_alone_(all_here(options.hosts)) {
  if (kept.has_value()) {
    use(*kept, options, transports);
    return;
  }
  const bool all_over_systems = std::ranges::all_of(transports, is_message_system);
  if (all_over_systems) refuse_options_of_daemons(options, transports);
  for (const std::string& transport : transports) {
    const auto system = system_of(transport);
    if (!system.has_value()) continue;
    (void)system_program(*system->row);  // says early when it is not there
    systems_.try_emplace(system->row->name, *system->row, options.hosts, options.rsh);
  }
  if (all_over_systems) return;
  machine_.emplace(options);
  first_address_ = machine_->hosts().front().address;
}

void Machines::use(const std::string& kept, const Machine::Options& options,
                   std::span<const std::string> transports) {
  for (const std::string& transport : transports) {
    if (const auto system = system_of(transport)) {
      throw UsageError("--vm with transport " + std::string(system->row->name) + ": " +
                       std::string(system->row->name) +
                       " starts its tasks by itself, without a kept machine; leave " + "one of them out");
    }
  }
  kept_.emplace(kept);
  kept_->on_wait([this, kept](int before) {
    has_waited_ = true;
    std::fprintf(stderr, "nasvm: machine %s is busy: %d before this one\n", kept.c_str(), before);
  });
  if (options.on_remark) kept_->on_remark(options.on_remark);
  first_address_ = hosts().front().address;
}

std::vector<std::string> Machines::run(Machine::Program program) {
  if (const auto system = system_of(program.transport)) {
    program.path = system_program(*system->row);
    return systems_.at(system->row->name).run(program);
  }
  program.path = process::own_program();
  // Elsewhere the build may lie in another folder.
  if (!here_alone_) program.path = program.path.substr(program.path.rfind('/') + 1);
  program.arguments = {"task"};
  if (kept_) {
    program.on = hosts_;
    return kept_->run(program);
  }
  assert(machine_.has_value() && "transports that are no message systems have a machine");
  return machine_->run(program);
}

void Machines::idle(std::chrono::nanoseconds most) {
  if (machine_) machine_->idle(most);
}

std::vector<HostFacts> Machines::hosts() const {
  if (!machine_ && !kept_) return {};
  std::vector<HostFacts> hosts = machine_ ? machine_->hosts() : keeper::facts_of(kept_->state(), hosts_);
  for (HostFacts& host : hosts) host.kernel = "Linux " + host.kernel;
  return hosts;
}

std::string copying_text(const CopyRates& rates) {
  return shm::describe(shm::choose_long_messages(rates, shm::Cores::own), rates);
}

bool Machines::are_crowded(int host_count, int tasks, int threads) const {
  if (!machine_ && !kept_) return here_alone_ && tasks * threads > usable_cores();
  const std::vector<HostSpec> used = host_count == 0 ? hosts_ : spread_over(hosts_, host_count, tasks);
  return nasvm::are_crowded(hosts(), place_ranks(used, tasks), threads);
}

int Machines::hosts_used(int tasks) const {
  const std::vector<int> places = place_ranks(hosts_, tasks);
  return static_cast<int>(std::set<int>(places.begin(), places.end()).size());
}

MachineRecord Machines::record() const {
  MachineRecord record;
  if (!machine_ && !kept_) {
    for (const HostSpec& host : hosts_) {
      HostRecord& known = record.hosts.emplace_back();
      if (is_this_computer(host)) known = local_host();
      else known.name = host.name;
    }
    return record;
  }
  for (const HostFacts& host : hosts()) {
    record.hosts.push_back({host.name, host.cpu, host.cores, host.memory_bytes, host.kernel, host.modes.huge_pages,
                            host.modes.governor, host.modes.hypervisor});
    set_caches(record.hosts.back(), host.caches);
    record.hosts.back().copying = copying_text(copy_rates_of(host.copy_rates));
  }
  return record;
}

// --- conditions ----------------------------------------------------------------------------------------------------

/// A container is the same computer, but may have other numbers for processes.
std::optional<std::vector<pid_t>> Machines::helpers_here() const {
  std::vector<pid_t> helpers{static_cast<pid_t>(kept_->state().pid)};
  for (const HostFacts& host : hosts()) {
    const auto daemon = static_cast<pid_t>(host.daemon_pid);
    if (host.computer != boot_id() || proc_text(proc_folder(daemon) / "comm") != "nasvmd\n") return std::nullopt;
    helpers.push_back(daemon);
  }
  return helpers;
}

/// Probes only while nobody else has a turn.
class Machines::KeptMeter final : public ConditionsMeter {
 public:
  KeptMeter(Machines& machines, std::vector<pid_t> helpers)
      : machines_(machines), meter_(make_conditions_meter(std::move(helpers))) {}

  void begin(int cores) override {
    machines_.has_waited_ = false;
    measures_ = is_idle();
    if (measures_) meter_->begin(cores);
  }
  Sampled end() override { return measures_ && !machines_.has_waited_ && is_idle() ? meter_->end() : Sampled{}; }

 private:
  /// A machine that is gone since the run has ended takes nothing from that.
  [[nodiscard]] bool is_idle() const {
    try {
      return machines_.kept_->look().jobs.empty();
    } catch (const RunError&) {
      return false;
    }
  }

  Machines& machines_;
  std::unique_ptr<ConditionsMeter> meter_;
  bool measures_ = false;
};

std::unique_ptr<ConditionsMeter> Machines::conditions_meter(const MachineOptions& options) {
  if (!kept_) return names_hosts(options) ? nullptr : make_conditions_meter();
  auto helpers = helpers_here();
  return helpers ? std::make_unique<KeptMeter>(*this, std::move(*helpers)) : nullptr;
}

}  // namespace nasvm

#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "harness/commands/io/executor.hpp"
#include "harness/commands/io/methods/method.hpp"
#include "harness/commands/io/one_file.hpp"
#include "harness/conditions/meter.hpp"
#include "harness/session/machines.hpp"

namespace nasvm {
namespace {

/// What the programs of all methods go over.
std::vector<std::string> transports_of(const IoOptions& options) {
  std::vector<std::string> transports;
  for (const std::string& name : options.methods) {
    const std::string_view system = io_method(name).system;
    const std::string transport = system.empty() ? options.transport : std::string(system);
    if (std::ranges::find(transports, transport) == transports.end()) transports.push_back(transport);
  }
  return transports;
}

/// Goes with this, also where the tasks, which remove it at the end, did not come to that.
struct FileOfRun {
  const IoOrder& order;
  ~FileOfRun() {
    remove(order.path);
    if (order.method == mounted_method) remove(order.mounted);
  }
  static void remove(const std::string& path) {
    (void)::unlink(path.c_str());
    (void)::unlink(mark_beside(path).c_str());
  }
};

class VmIoExecutor final : public IoExecutor {
 public:
  explicit VmIoExecutor(const IoOptions& options)
      : options_(options),
        machines_(machine_options(options.machine), transports_of(options), options.machine.vm),
        meter_(machines_.conditions_meter(options.machine)) {}

  IoReport run(const IoSpec& spec) override {
    Machine::Program program;
    program.size = spec.np;
    const IoMethodRow& method = io_method(spec.method);
    program.transport = method.system.empty() ? options_.transport : std::string(method.system);
    if (!method.variable.empty()) program.environment.emplace_back(method.variable);
    const IoOrder order = order_for(spec);
    program.setup = text_of_record(order);
    limit_time(program, milliseconds_of(options_.timeout_s));
    const FileOfRun file{order};
    return under_conditions(meter_.get(), program.size, [&] { return report_of(machines_.run(program)); });
  }

  MachineRecord machine() override {
    MachineRecord record = machines_.record();
    if (!meter_) record.no_conditions = other_computers;
    return record;
  }

 private:
  /// Each run has a file of its own: network file systems remember for a while what a name stood for.
  IoOrder order_for(const IoSpec& spec) {
    const std::string name = fmt::format("nasvm-io-{}-{}.bin", ::getpid(), ++files_);
    return {.method = spec.method,
            .path = options_.folder + "/" + name,
            .mounted = options_.mounted + "/" + name,
            .pattern = spec.pattern,
            .grid = spec.grid,
            .block_bytes = options_.block_bytes,
            .access_bytes = spec.access_bytes,
            .data_bytes = spec.data_bytes,
            .disk_bytes = spec.disk_bytes,
            .preload = spec.preload,
            .sync = options_.sync,
            .drop_cache = options_.drop_cache};
  }

  static IoReport report_of(const std::vector<std::string>& reports) {
    IoReport report = record_of_text<IoReport>(reports.at(0));
    for (std::size_t task = 1; task < reports.size(); ++task) {
      const auto other = record_of_text<IoReport>(reports[task]);
      report.cost.batches += other.cost.batches;
      report.cost.questions += other.cost.questions;
      report.cost.hits += other.cost.hits;
      report.cost.misses += other.cost.misses;
      report.cost.disk_bytes += other.cost.disk_bytes;
      report.kept_bytes = std::max(report.kept_bytes, other.kept_bytes);
      report.communication_s = std::max(report.communication_s, other.communication_s);
      report.idle_s = std::max(report.idle_s, other.idle_s);
      if (report.wrong.empty()) report.wrong = other.wrong;
    }
    return report;
  }

  IoOptions options_;
  int files_ = 0;
  Machines machines_;
  std::unique_ptr<ConditionsMeter> meter_;  ///< of this computer: none where there are others
};

}  // namespace

std::unique_ptr<IoExecutor> make_vm_io_executor(const IoOptions& options) {
  return std::make_unique<VmIoExecutor>(options);
}

}  // namespace nasvm

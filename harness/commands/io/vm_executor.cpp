#include <unistd.h>

#include <array>

#include <fmt/format.h>

#include "harness/commands/io/executor.hpp"
#include "harness/conditions/meter.hpp"
#include "harness/session/machines.hpp"

namespace nasvm {
namespace {

class VmIoExecutor final : public IoExecutor {
 public:
  explicit VmIoExecutor(const IoOptions& options)
      : options_(options),
        machines_(machine_options(options.machine), std::array{options.transport}, options.machine.vm),
        meter_(machines_.conditions_meter(options.machine)) {}

  IoReport run(const IoSpec& spec) override {
    Machine::Program program;
    program.size = spec.np;
    program.transport = options_.transport;
    program.setup = text_of_record(order_for(spec));
    program.timeout = milliseconds_of(options_.timeout_s);
    return under_conditions(meter_.get(), program.size, [&] { return report_of(machines_.run(program)); });
  }

  MachineRecord machine() override {
    MachineRecord record = machines_.record();
    if (!meter_) record.no_conditions = other_computers;
    return record;
  }

 private:
  IoOrder order_for(const IoSpec& spec) const {
    return {.method = spec.method,
            .path = fmt::format("{}/nasvm-io-{}.bin", options_.folder, ::getpid()),
            .grid = options_.grid,
            .access_bytes = spec.access_bytes,
            .data_bytes = options_.data_bytes,
            .disk_bytes = spec.disk_bytes,
            .preload = options_.preload,
            .sync = options_.sync};
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
      if (report.wrong.empty()) report.wrong = other.wrong;
    }
    return report;
  }

  IoOptions options_;
  Machines machines_;
  std::unique_ptr<ConditionsMeter> meter_;  ///< of this computer: none where there are others
};

}  // namespace

std::unique_ptr<IoExecutor> make_vm_io_executor(const IoOptions& options) {
  return std::make_unique<VmIoExecutor>(options);
}

}  // namespace nasvm

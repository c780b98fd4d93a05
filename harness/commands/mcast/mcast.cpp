#include "harness/commands/mcast/mcast.hpp"

#include <array>
#include <memory>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "harness/commands/mcast/figures/record.hpp"
#include "harness/commands/mcast/figures/run.hpp"
#include "harness/commands/mcast/options.hpp"
#include "harness/commands/mcast/plan.hpp"
#include "harness/commands/mcast/rows.hpp"
#include "harness/commands/mcast/views.hpp"
#include "harness/session/repeats.hpp"
#include "harness/session/session.hpp"
#include "harness/text.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

constexpr std::array views{View{"mcast", "", McastRecord::section, mcast_grids, mcast_csv, compared_mcast}};
constexpr std::array records{record_type<McastRecord>, record_type<McastFigureRecord>};

/// What repeats of a case have in common.
std::string work_text(int receivers) { return "mcast, " + counted(receivers, "receiver"); }

/// The runs of a document, each with all its records.
std::vector<TakenSample> samples_of_runs(Document& document) {
  std::vector<TakenSample> samples;
  std::vector<int> repeats;
  for (McastRecord& record : document.records<McastRecord>()) {
    const std::string work = work_text(record.receivers);
    const std::string side = text_of(ProtocolVariant{record.protocol, record.parameters});
    std::size_t i = 0;
    while (i < samples.size() &&
           (samples[i].work != work || samples[i].side != side || repeats[i] != record.repeat)) {
      ++i;
    }
    if (i == samples.size()) {
      samples.push_back({work, side, {}});
      repeats.push_back(record.repeat);
    }
    samples[i].sampled.push_back(&record.sampled);
  }
  return samples;
}

/// All runs that options ask for. Data that arrived wrong fail the measurement, and the other runs still go on.
class McastRuns final : public Measurement {
 public:
  /// Options and rows must outlive it.
  McastRuns(const McastOptions& options, std::span<const multicast::Row> rows, McastExecutorFactory make_executor)
      : options_(options),
        rows_(rows),
        make_executor_(std::move(make_executor)),
        plan_(make_mcast_plan(options)),
        repeats_(options.runs),
        remarks_(options.remarks) {}

  [[nodiscard]] std::vector<std::string> steps() const override {
    std::vector<std::string> names;
    for (const McastSpec& spec : plan_) names.push_back(step_name(spec));
    return names;
  }

  MachineRecord start() override {
    executor_ = make_executor_(options_);
    return executor_->machine();
  }

  void carry_out(std::size_t step, Document& document, Progress& progress) override {
    for (const std::string& remark : std::exchange(remarks_, {})) progress.note(remark);
    const McastSpec& spec = plan_[step];
    McastReport report = executor_->run(spec);
    for (const std::string& complaint : report.complaints) {
      progress.note(fmt::format("{}: data arrived wrong: {}", text_of(spec.variant), complaint));
    }
    for (const std::string& remark : report.remarks) say_once(remark, progress);
    for (McastRecord& record : report.records) {
      record.protocol = spec.variant.protocol;
      record.parameters = spec.variant.parameters;
      record.kind = spec.kind;
      record.repeat = spec.repeat;
      set_carrier(spec, record);
      record.sampled = report.sampled;
      right_ = right_ && is_right(record);
      document.records<McastRecord>().push_back(std::move(record));
    }
  }

  std::vector<std::string> more_steps(Document& document, Progress& progress) override {
    const std::vector<TakenSample> samples = samples_of_runs(document);
    const auto is_repeat_of = [](const Repeat& repeat, const McastSpec& spec) {
      return work_text(spec.receivers) == repeat.work && text_of(spec.variant) == repeat.side;
    };
    return append_again(repeats_, samples, plan_, progress, is_repeat_of, step_name);
  }

  void judge(Document& document) override { repeats_.set_apart(samples_of_runs(document)); }
  void stop() override { executor_.reset(); }
  [[nodiscard]] Exit status() const override { return right_ ? Exit::ok : Exit::failed; }

 private:
  static std::string step_name(const McastSpec& spec) {
    return fmt::format("{}, {}", work_text(spec.receivers), text_of(spec.variant));
  }
  /// Notes what the protocol's packets went by, as far as options have a say in that.
  void set_carrier(const McastSpec& spec, McastRecord& record) const {
    if (spec.kind != McastKind::protocol && spec.kind != McastKind::unreliable) return;
    const multicast::Row& row = *multicast::parse_protocol(text_of(spec.variant), rows_).row;
    const bool links = row.carrier == multicast::Carrier::links;
    // The program's own choice sends messages, too.
    if (links || row.name == multicast::automatic) record.transport = options_.transport;
    if (!links) record.ttl = options_.ttl;
  }
  /// Every run finds the same.
  void say_once(const std::string& remark, Progress& progress) {
    if (std::ranges::find(said_, remark) != said_.end()) return;
    said_.push_back(remark);
    progress.note(remark);
  }

  const McastOptions& options_;
  std::span<const multicast::Row> rows_;
  McastExecutorFactory make_executor_;
  std::vector<McastSpec> plan_;
  Repeats repeats_;
  std::vector<std::string> remarks_;  ///< not said yet
  std::vector<std::string> said_;
  std::unique_ptr<McastExecutor> executor_;
  bool right_ = true;
};

class Mcast final : public Command {
 public:
  Mcast(McastExecutorFactory make_executor, LabFactory make_lab)
      : make_executor_(std::move(make_executor)), make_lab_(std::move(make_lab)) {}

  void add_options(CommandLine& line, const Tables& tables) override {
    options_.machine.launchers = tables.launchers;
    rows_ = measured_protocols(tables.protocols);
    add_mcast_options(line, options_, format_names(tables.formats, views), rows_);
    line.footer(
        "Sizes and packets: 4k, 2M are powers of 1024. Lists make all combinations: protocols, receivers, sizes, "
        "and\n"
        "values of parameters. Protocols may have their parameters with them: lineartree:height=6.\n\n"
        "Example:\n  nasvm mcast --receivers 2,4,8 -m 1k,64k,2M\n"
        "  nasvm mcast --hostfile hosts --protocol fanout,raw --packet 1472,8k --beside mpi --runs 5\n"
        "  nasvm mcast --figures 9,table2 --out results/mcast");
  }

  Exit run(const Call& call) override {
    if (!options_.figures.chosen.empty()) return run_figures(options_, views.front(), make_lab_, call);
    McastRuns runs(options_, rows_, make_executor_);
    return measure(runs, {views.front(), call.tables.formats, options_.output, options_.columns}, call.command_line,
                   call.console);
  }

 private:
  McastExecutorFactory make_executor_;
  LabFactory make_lab_;
  std::vector<multicast::Row> rows_;
  McastOptions options_;
};

}  // namespace

CommandRow mcast_command(McastExecutorFactory make_executor, const LabFactory& make_lab) {
  return {"mcast", "one sender, many receivers, per multicast protocol",
          [make_executor, make_lab] { return std::make_unique<Mcast>(make_executor, make_lab); }, views, records};
}

}  // namespace nasvm

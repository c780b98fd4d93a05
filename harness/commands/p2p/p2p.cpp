#include "harness/commands/p2p/p2p.hpp"

#include <array>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "harness/commands/p2p/collective/collective.hpp"
#include "harness/commands/p2p/collective/views.hpp"
#include "harness/commands/p2p/coupled/views.hpp"
#include "harness/commands/p2p/mixed/views.hpp"
#include "harness/commands/p2p/options.hpp"
#include "harness/commands/p2p/pair/views.hpp"
#include "harness/commands/p2p/plan.hpp"
#include "harness/commands/p2p/service/views.hpp"
#include "harness/report/numbers.hpp"
#include "harness/session/repeats.hpp"
#include "harness/session/session.hpp"
#include "harness/text.hpp"
#include "vm/available.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

/// In the order of P2pKind.
constexpr std::array views{
    View{"p2p", option_of(P2pKind::pair), P2pRecord::section, pair_grids, pair_csv, compared_pairs},
    View{"p2p", option_of(P2pKind::collective), CollectiveRecord::section, collective_grids, collective_csv,
         compared_collectives},
    View{"p2p", option_of(P2pKind::mixed), MixedRecord::section, mixed_grids, mixed_csv, compared_mixed},
    View{"p2p", option_of(P2pKind::service), ServiceRecord::section, service_grids, service_csv, compared_requests},
    View{"p2p", option_of(P2pKind::coupled), CoupledRecord::section, coupled_grids, coupled_csv, compared_coupled},
};
constexpr std::array records{record_type<P2pRecord>, record_type<CollectiveRecord>, record_type<MixedRecord>,
                             record_type<ServiceRecord>, record_type<CoupledRecord>};

const View& view_of(P2pKind kind) { return views[static_cast<std::size_t>(kind)]; }

/// Adds records of one path to the document's; says whether their data arrived right.
template <typename Record>
bool add(std::vector<Record>& found, const P2pSpec& spec, const Sampled& sampled, Document& document) {
  bool right = true;
  for (Record& record : found) {
    record.transport = spec.path;
    record.repeat = spec.repeat;
    right = right && is_right(record);
    record.sampled = sampled;
    document.records<Record>().push_back(std::move(record));
  }
  return right;
}

/// Adds records of two paths at once, which have their transports already.
void add_mixed(std::vector<MixedRecord>& found, const P2pSpec& spec, const Sampled& sampled, Document& document) {
  for (MixedRecord& record : found) {
    record.repeat = spec.repeat;
    record.skip_poll = spec.skip_poll;
    record.sampled = sampled;
    document.records<MixedRecord>().push_back(std::move(record));
  }
}

/// One side of the comparison: a path; of mixed transports, which share every run, a value of skip_poll.
std::string mixed_side(int skip_poll) { return fmt::format("skip_poll {}", skip_text(skip_poll)); }
std::string side_of(const MixedRecord& record) { return mixed_side(record.skip_poll); }
template <typename Record>
std::string side_of(const Record& record) {
  return record.transport;
}

/// Adds the runs of records of that type, each with all its records.
template <typename Record>
void add_samples(Document& document, std::vector<TakenSample>& samples) {
  std::vector<int> repeats;
  const std::size_t first = samples.size();
  for (Record& record : document.records<Record>()) {
    std::size_t i = first;
    while (i < samples.size() && (samples[i].side != side_of(record) || repeats[i - first] != record.repeat)) ++i;
    if (i == samples.size()) {
      samples.push_back({"p2p", side_of(record), {}});
      repeats.push_back(record.repeat);
    }
    samples[i].sampled.push_back(&record.sampled);
  }
}

std::vector<TakenSample> samples_of_runs(Document& document) {
  std::vector<TakenSample> samples;
  if (document.has(P2pRecord::section)) add_samples<P2pRecord>(document, samples);
  if (document.has(CollectiveRecord::section)) add_samples<CollectiveRecord>(document, samples);
  if (document.has(MixedRecord::section)) add_samples<MixedRecord>(document, samples);
  if (document.has(ServiceRecord::section)) add_samples<ServiceRecord>(document, samples);
  if (document.has(CoupledRecord::section)) add_samples<CoupledRecord>(document, samples);
  return samples;
}

/// All runs that options ask for. Data that arrived wrong fail the measurement, and the other runs still go on.
class P2pRuns final : public Measurement {
 public:
  P2pRuns(const P2pOptions& options, P2pExecutorFactory make_executor)
      : options_(options),
        make_executor_(std::move(make_executor)),
        plan_(make_p2p_plan(options)),
        repeats_(options.runs) {
    check_memory(options, available_memory_bytes());
  }

  [[nodiscard]] std::vector<std::string> steps() const override {
    std::vector<std::string> names;
    for (const P2pSpec& spec : plan_) names.push_back(step_name(spec));
    return names;
  }

  MachineRecord start() override {
    executor_ = make_executor_(options_);
    return executor_->machine();
  }

  void carry_out(std::size_t step, Document& document, Progress& progress) override {
    const P2pSpec& spec = plan_[step];
    P2pReport report = executor_->run(spec);
    for (const std::string& complaint : report.complaints) {
      progress.note(fmt::format("{}: data arrived wrong: {}", spec.path, complaint));
    }
    right_ = add(report.records, spec, report.sampled, document) && right_;
    right_ = add(report.collectives, spec, report.sampled, document) && right_;
    right_ = add(report.service, spec, report.sampled, document) && right_;
    right_ = add(report.coupled, spec, report.sampled, document) && right_;
    add_mixed(report.mixed, spec, report.sampled, document);
  }

  std::vector<std::string> more_steps(Document& document, Progress& progress) override {
    const std::vector<TakenSample> samples = samples_of_runs(document);
    const auto is_repeat_of = [&](const Repeat& repeat, const P2pSpec& spec) { return side_of(spec) == repeat.side; };
    return append_again(repeats_, samples, plan_, progress, is_repeat_of, step_name);
  }

  void judge(Document& document) override { repeats_.set_apart(samples_of_runs(document)); }
  void stop() override { executor_.reset(); }
  [[nodiscard]] Exit status() const override { return right_ ? Exit::ok : Exit::failed; }

 private:
  static std::string step_name(const P2pSpec& spec) { return "p2p, " + spec.path; }
  [[nodiscard]] std::string side_of(const P2pSpec& spec) const {
    return options_.kind == P2pKind::mixed ? mixed_side(spec.skip_poll) : spec.path;
  }

  const P2pOptions& options_;
  P2pExecutorFactory make_executor_;
  std::vector<P2pSpec> plan_;
  Repeats repeats_;
  std::unique_ptr<P2pExecutor> executor_;
  bool right_ = true;
};

class P2p final : public Command {
 public:
  explicit P2p(P2pExecutorFactory make_executor) : make_executor_(std::move(make_executor)) {}

  void add_options(CommandLine& line, const Tables& tables) override {
    options_.machine.launchers = tables.launchers;
    add_p2p_options(line, options_, format_names(tables.formats, views));
    line.afterwards([this, formats = tables.formats] {
      const View& view = view_of(options_.kind);
      if (find_format(formats, options_.output.format, view) != nullptr) return;
      throw UsageError(fmt::format("--format {}: not made for {}; there are: {}", options_.output.format, view.option,
                                   joined(format_names(formats, std::span(&view, 1)))));
    });
    line.footer(
        "Sizes: 4k, 2M, 1G are powers of 1024. A yardstick is a bare socket between the same two tasks.\n\n"
        "Example:\n  nasvm p2p --transport daemon,direct,raw-tcp -m 1:1M --runs 5\n  nasvm p2p --table6\n"
        "  nasvm p2p --collective allreduce,alltoall --np 8 --transport auto,mpi --runs 5\n"
        "  nasvm p2p --mixed --transport shm,direct --skip-poll adaptive,1,16,256\n"
        "  nasvm p2p --service --transport shm,direct,daemon -m 8\n"
        "  nasvm p2p --coupled --np 6 --transport shm,direct");
  }

  Exit run(const Call& call) override {
    P2pRuns runs(options_, make_executor_);
    return measure(runs, {view_of(options_.kind), call.tables.formats, options_.output, options_.columns},
                   call.command_line, call.console);
  }

 private:
  P2pExecutorFactory make_executor_;
  P2pOptions options_;
};

}  // namespace

void check_memory(const P2pOptions& options, std::uint64_t available_bytes) {
  if (names_hosts(options.machine)) return;
  for (const std::string& name : options.collectives) {
    const Collective& collective = *find_collective(name);
    for (const std::uint64_t bytes : collective.sizes_among(options.sizes)) {
      const std::uint64_t needed_bytes = collective.memory_bytes(bytes, options.np);
      if (needed_bytes <= available_bytes) continue;
      throw RunError(
          fmt::format("no memory: {} of {} bytes with {} tasks needs {} ({} bytes), {} ({} bytes) are "
                      "available; smaller sizes (-m) would fit",
                      name, bytes, options.np, bytes_text(needed_bytes), needed_bytes, bytes_text(available_bytes),
                      available_bytes));
    }
  }
}

CommandRow p2p_command(P2pExecutorFactory make_executor) {
  return {"p2p", "latency and bandwidth between two tasks, or collectives, per transport and size",
          [make_executor] { return std::make_unique<P2p>(make_executor); }, views, records};
}

}  // namespace nasvm

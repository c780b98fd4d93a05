#include "harness/commands/reproduce/reproduce.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "harness/cli/values.hpp"
#include "harness/commands/reproduce/efficiency.hpp"
#include "harness/commands/reproduce/options.hpp"
#include "harness/commands/reproduce/plan.hpp"
#include "harness/commands/reproduce/record.hpp"
#include "harness/commands/reproduce/report.hpp"
#include "harness/commands/reproduce/view.hpp"
#include "harness/kernel_runs/record.hpp"
#include "harness/session/attempt.hpp"
#include "harness/session/machines.hpp"
#include "harness/session/results_folder.hpp"
#include "harness/session/session.hpp"
#include "harness/text.hpp"
#include "vm/launch/external_program.hpp"
#include "vm/launch/signal_watch.hpp"
#include "vm/machine_topology.hpp"
#include "vm/process/programs.hpp"

namespace nasvm {
namespace {

constexpr std::array views{
    View{"reproduce", "", TestbedRecord::section, reproduce_grids, reproduce_csv, compared_runs}};
constexpr std::array records{record_type<RunRecord>, record_type<TestbedRecord>, record_type<YardstickRecord>};

constexpr std::string_view report_words = "report: ";

/// For a machine of many hosts to start and to end around the runs.
constexpr double launch_s = 120;

/// One testbed: all launches on hosts that are made for it.
class TestbedRuns final : public Measurement {
 public:
  TestbedRuns(const Testbed& testbed, const ReproduceOptions& options, const LabFactory& make_lab)
      : testbed_(testbed_record(testbed, options.quick, options.rate_mbit_s)),
        options_(options),
        make_lab_(make_lab),
        launches_(make_launches(testbed_, options.kernels)) {}

  [[nodiscard]] std::vector<std::string> steps() const override {
    std::vector<std::string> names;
    names.reserve(launches_.size());
    for (const Launch& launch : launches_) names.push_back(fmt::format("{}: {}", testbed_.name, name_of(launch)));
    return names;
  }

  /// Its hosts are known once the first run has met them.
  MachineRecord start() override {
    lab_ = make_lab_(
        {options_.lab, options_.folder, testbed_.name, testbed_.hosts, testbed_.rate_mbit_s, testbed_.medium});
    return {};
  }

  void add_facts(Document& document) override { document.records<TestbedRecord>() = {testbed_}; }

  void carry_out(std::size_t step, Document& document, Progress& progress) override {
    const Launch& launch = launches_[step];
    try {
      share_out(launch);
    } catch (const RunError& error) {
      broken_ = true;
      return note(launch, error.what(), progress);
    }
    if (launch.yardstick) measure_yardstick(launch, document, progress);
    else run_kernel(launch, document, progress);
  }

  void judge(Document& document) override { measured_ = document; }

  void stop() override {
    if (lab_) lab_->down();
    lab_.reset();
  }

  /// Everything up to now.
  [[nodiscard]] const Document& measured() const { return measured_; }

  [[nodiscard]] Exit status() const override { return broken_ ? Exit::broken : wrong_ ? Exit::failed : Exit::ok; }

 private:
  void note(const Launch& launch, const std::string& complaint, Progress& progress) const {
    progress.note(fmt::format("{}: {}: {}", testbed_.name, name_of(launch), complaint));
  }

  /// Gives the hosts what the launch says of the processors.
  void share_out(const Launch& launch) {
    if (launch.shares == shares_) return;
    if (shares_ == HostShares::free) keep_machine();
    const double share = launch.shares == HostShares::free ? 0 : share_alike(launch.np, usable_cores());
    for (int host = 1; host <= launch.np; ++host) {
      const bool slowed = launch.shares == HostShares::one_slowed && host == launch.np;
      lab_->slow(host, slowed ? slowed_share * share : share);
    }
    shares_ = launch.shares;
    if (shares_ == HostShares::free) (void)lab_->run(stop_of_machine(), milliseconds_of(launch_s));
  }

  /// Daemons would take too long to come up on a host that is slowed.
  void keep_machine() {
    const ProgramResult result = lab_->run(start_of_machine(lab_->hostfile()), milliseconds_of(launch_s));
    if (!result.ended_well) throw RunError(last_words(result));
  }

  void run_kernel(const Launch& launch, Document& document, Progress& progress) {
    const auto transports = std::count(launch.transports.begin(), launch.transports.end(), ',') + 1;
    const double limit_s = launch_s + static_cast<double>(transports) * options_.timeout_s;
    const ProgramResult result =
        lab_->run(arguments_of(launch, lab_->hostfile(), options_.timeout_s), milliseconds_of(limit_s));
    take_runs(result, launch, document);
    if (result.ended_well) return;
    (result.exit_status == static_cast<int>(Exit::failed) ? wrong_ : broken_) = true;
    note(launch, last_words(result), progress);
  }

  /// Nothing is measured where the run that it is about has failed.
  void measure_yardstick(const Launch& launch, Document& document, Progress& progress) {
    const auto& runs = document.records<RunRecord>();
    const auto run = std::ranges::find_if(runs, [&](const RunRecord& one) {
      return one.kernel == launch.kernel->name && one.variant == launch.label() && one.transport == "direct";
    });
    if (run == runs.end() || run->comm.by_pair.empty()) return;
    const Exchange exchange = exchange_of(*run, longest_exchange_s * capacity_bytes_s(testbed_, run->np));
    const ProgramResult result = lab_->exchange(exchange.plan, milliseconds_of(launch_s + options_.timeout_s));
    if (!result.ended_well || result.output.empty()) {
      broken_ = true;
      return note(launch, last_words(result), progress);
    }
    document.records<YardstickRecord>().push_back({run->kernel, run->problem_class, run->np, run->variant,
                                                   exchange.bytes, exchange.messages,
                                                   std::strtod(result.output.front().c_str(), nullptr)});
  }

  /// What has been measured stands there also when a later run of the launch has failed.
  void take_runs(const ProgramResult& result, const Launch& launch, Document& document) {
    if (result.output.empty()) return;
    static constexpr std::array types{record_type<RunRecord>};
    Document theirs = from_json(joined(result.output, "\n"), name_of(launch), types);
    if (document.machine.hosts.size() < theirs.machine.hosts.size()) document.machine = theirs.machine;
    for (RunRecord& run : theirs.records<RunRecord>()) {
      run.variant = launch.label();
      document.records<RunRecord>().push_back(std::move(run));
    }
  }

  TestbedRecord testbed_;
  const ReproduceOptions& options_;
  const LabFactory& make_lab_;
  std::vector<Launch> launches_;
  std::unique_ptr<Lab> lab_;
  HostShares shares_ = HostShares::free;  ///< of the processors, as the lab's hosts have it
  Document measured_;
  bool wrong_ = false;
  bool broken_ = false;
};

/// The more serious one.
Exit worse(Exit a, Exit b) { return static_cast<int>(a) > static_cast<int>(b) ? a : b; }

class Reproduce final : public Command {
 public:
  explicit Reproduce(LabFactory make_lab) : make_lab_(std::move(make_lab)) {}

  void add_options(CommandLine& line, const Tables& tables) override {
    add_reproduce_options(line, options_, format_names(tables.formats, views));
    line.footer(
        "Hosts are network namespaces, made by scripts/lab: as root, or where users may make namespaces. The whole\n"
        "takes up to 90 minutes. Pages of documents that are there: nasvm compare FILE... --format html\n\n"
        "Example:\n  nasvm reproduce fddi gigaswitch --kernels ft,is --out results/reproduction");
  }

  Exit run(const Call& call) override {
    // The lab's script is called in the folder.
    options_.lab = whole_path(options_.lab.empty() ? find_lab_script() : options_.lab);
    options_.folder = whole_path(options_.folder);
    const ResultsFolder folder("--out", options_.folder);
    const SignalHold hold;
    const Schedule schedule = schedule_of(options_.testbeds, options_.quick);
    std::vector<Source> sources;
    std::exception_ptr error;
    Exit status = Exit::ok;
    std::unique_ptr<ProgramBeside> beside;
    for (const Testbed* testbed : schedule.in_turns) {
      attempt(error, [&] {
        if (schedule.beside != nullptr && testbed == schedule.in_turns.back()) {
          beside = start_beside(*schedule.beside, *testbed, call);
        }
        status = worse(status, measure_testbed(*testbed, sources, call));
      });
      if (error) break;
    }
    if (beside != nullptr && !error) attempt(error, [&] { status = worse(status, await(*beside, call)); });
    const bool has_started = beside != nullptr;  // else there may be the document of an earlier call
    beside.reset();                              // which ends it
    if (has_started) attempt(error, [&] { take_document(*schedule.beside, sources); });
    attempt(error, [&] { write_report(sources); });
    if (prints_at_end() && !sources.empty()) attempt(error, [&] { print(sources, call); });
    if (error) std::rethrow_exception(error);
    call.console.err(fmt::format("{}{}\n", report_words, file_of("report.html")));
    return status;
  }

 private:
  /// Tables may stand below each other, testbed by testbed; whole documents and pages may not.
  [[nodiscard]] bool prints_at_end() const {
    return options_.testbeds.size() > 1 && options_.format != "table" && options_.format != "markdown";
  }
  void print(const std::vector<Source>& sources, const Call& call) const {
    const View& view = views.front();
    call.console.out(find_format(call.tables.formats, options_.format, view)->render({view, sources}));
  }

  [[nodiscard]] std::string file_of(const std::string& name) const { return options_.folder + "/" + name; }
  [[nodiscard]] std::string document_of(const Testbed& testbed) const {
    return file_of(std::string(testbed.name) + ".json");
  }

  /// What has been measured is added to the sources also when the rest has failed.
  Exit measure_testbed(const Testbed& testbed, std::vector<Source>& sources, const Call& call) const {
    TestbedRuns runs(testbed, options_, make_lab_);
    OutputOptions output;
    output.format = options_.format;
    output.export_json = document_of(testbed);
    Console console = call.console;
    if (prints_at_end()) console.out = [](std::string_view) {};
    std::exception_ptr error;
    Exit status = Exit::ok;
    attempt(error, [&] {
      status = measure(runs, {views.front(), call.tables.formats, output}, call.command_line, console);
    });
    if (runs.measured().has_results()) sources.push_back({output.export_json, runs.measured()});
    if (error) std::rethrow_exception(error);
    return status;
  }

  /// Another program measures that testbed meanwhile. EP comes last there: it wants the processors, and is the other
  /// one's first.
  [[nodiscard]] std::unique_ptr<ProgramBeside> start_beside(const Testbed& testbed, const Testbed& other,
                                                            const Call& call) const {
    std::error_code error;
    std::filesystem::remove(document_of(testbed), error);  // of an earlier call
    call.console.err(fmt::format("{}: at the same time as {}, by a program of its own\n", testbed.name, other.name));
    std::vector<std::string> names;
    names.reserve(options_.kernels.size());
    for (const Kernel* kernel : options_.kernels) names.emplace_back(kernel->name);
    std::ranges::stable_partition(names, [](const std::string& name) { return name != "ep"; });
    process::StartOptions start;
    start.program = process::find_sibling("nasvm");
    start.arguments = {"reproduce", std::string(testbed.name),
                       "--kernels", joined(names, ","),
                       "--out",     options_.folder,
                       "--lab",     options_.lab,
                       "--timeout", fmt::format("{}", options_.timeout_s),
                       "--format",  options_.format};
    if (options_.rate_mbit_s > 0)
      start.arguments.insert(start.arguments.end(), {"--rate", fmt::format("{}", options_.rate_mbit_s)});
    start.death_signal = SIGTERM;  // it has hosts to take down
    return std::make_unique<ProgramBeside>(std::move(start), milliseconds_of(launch_s));
  }

  /// What it has printed stands behind what this program has; at the end all is printed from its document.
  Exit await(ProgramBeside& beside, const Call& call) const {
    const ProgramResult result = beside.to_its_end();
    if (!prints_at_end()) {
      for (const std::string& line : result.output) call.console.out(line + "\n");
    }
    for (const std::string& line : result.errors) {
      if (!line.starts_with(report_words)) call.console.err(line + "\n");
    }
    return result.exit_status < 0 ? Exit::broken : static_cast<Exit>(result.exit_status);
  }

  /// Has it measured nothing, there is none.
  void take_document(const Testbed& testbed, std::vector<Source>& sources) const {
    if (!std::filesystem::exists(document_of(testbed))) return;
    sources.push_back({document_of(testbed), read_document(document_of(testbed), records)});
    const auto place_of = [this](const Source& source) {
      const std::string_view name = source.document.records<TestbedRecord>().front().name;
      return std::ranges::find(options_.testbeds, name, &Testbed::name) - options_.testbeds.begin();
    };
    std::ranges::stable_sort(sources, {}, place_of);
  }

  /// All testbeds in one.
  void write_report(const std::vector<Source>& sources) const {
    if (sources.empty()) return;
    const std::vector<Section> sections = sections_of(sources);
    OutputFile(file_of("report.md")).rewrite(page_markdown(report_title, sections));
    OutputFile(file_of("report.html")).rewrite(page_html(report_title, sections));
    for (const Section& section : sections) {
      for (const Picture& picture : section.pictures) OutputFile(file_of(picture.file)).rewrite(picture.svg);
    }
  }

  LabFactory make_lab_;
  ReproduceOptions options_;
};

}  // namespace

CommandRow reproduce_command(const LabFactory& make_lab) {
  return {"reproduce", "the experiment of 1994 on emulated Ethernet, FDDI and Gigaswitch, beside its figures",
          [make_lab] { return std::make_unique<Reproduce>(make_lab); }, views, records};
}

}  // namespace nasvm

#include "harness/commands/mcast/figures/run.hpp"

#include <array>
#include <exception>

#include <fmt/format.h>

#include "harness/cli/values.hpp"
#include "harness/commands/mcast/figures/record.hpp"
#include "harness/commands/mcast/figures/report.hpp"
#include "harness/commands/mcast/record.hpp"
#include "harness/session/attempt.hpp"
#include "harness/session/machines.hpp"
#include "harness/session/results_folder.hpp"
#include "harness/session/session.hpp"
#include "harness/text.hpp"
#include "vm/launch/signal_watch.hpp"

namespace nasvm {
namespace {

/// For a machine of many hosts to start and to end around the runs.
constexpr double launch_s = 120;
/// Messages of each case, and before them.
constexpr int usual_messages = 20;
constexpr int quick_messages = 5;
constexpr int warmup_messages = 2;

struct FigureStep {
  const McastFigure* figure;
  FigureSweep sweep;
};

FigureExtent extent_of(const McastOptions& options) {
  return options.figures.quick ? FigureExtent::quick : FigureExtent::whole;
}

/// One for each protocol: what fails with one stops no other.
std::vector<FigureStep> steps_of(const McastOptions& options) {
  std::vector<FigureStep> steps;
  for (const McastFigure* figure : options.figures.chosen) {
    for (const FigureSweep& sweep : figure->sweeps(extent_of(options))) {
      for (const std::string& protocol : sweep.protocols) {
        steps.push_back({figure, {{protocol}, sweep.receivers, sweep.sizes}});
      }
    }
  }
  return steps;
}

class FigureRuns final : public Measurement {
 public:
  FigureRuns(const McastOptions& options, const LabFactory& make_lab)
      : options_(options), make_lab_(make_lab), steps_(steps_of(options)) {}

  [[nodiscard]] std::vector<std::string> steps() const override {
    std::vector<std::string> names;
    for (const FigureStep& step : steps_) names.push_back(name_of(step));
    return names;
  }

  /// Its hosts are known once the first run has met them.
  MachineRecord start() override {
    lab_ = make_lab_(
        {options_.figures.lab, options_.figures.folder, "mcast", hosts(), figures_rate_mbit_s, Medium::switched});
    return {};
  }

  void add_facts(Document& document) override {
    for (const McastFigure* figure : options_.figures.chosen) {
      document.records<McastFigureRecord>().push_back(
          {std::string(figure->name), hosts(), figures_rate_mbit_s, options_.figures.quick});
    }
  }

  void carry_out(std::size_t step, Document& document, Progress& progress) override {
    const FigureStep& one = steps_[step];
    const auto runs = static_cast<double>(one.sweep.protocols.size() * one.sweep.receivers.size());
    const ProgramResult result =
        lab_->run(arguments_of(one.sweep, extent_of(options_), lab_->hostfile(), options_),
                  milliseconds_of(launch_s + runs * static_cast<double>(options_.runs) * options_.timeout_s));
    take(result, one, document);
    if (result.ended_well) return;
    (result.exit_status == static_cast<int>(Exit::failed) ? wrong_ : broken_) = true;
    progress.note(fmt::format("{}: {}", name_of(one), last_words(result)));
  }

  void judge(Document& document) override { measured_ = document; }

  void stop() override {
    if (lab_) lab_->down();
    lab_.reset();
  }

  [[nodiscard]] Exit status() const override { return broken_ ? Exit::broken : wrong_ ? Exit::failed : Exit::ok; }
  /// Everything up to now.
  [[nodiscard]] const Document& measured() const { return measured_; }

 private:
  [[nodiscard]] int hosts() const { return figure_hosts(extent_of(options_)); }
  static std::string name_of(const FigureStep& step) {
    return fmt::format("{}, {}", step.figure->title, step.sweep.protocols.front());
  }

  /// What has been measured stands there also when a later run has failed.
  void take(const ProgramResult& result, const FigureStep& step, Document& document) {
    if (result.output.empty()) return;
    static constexpr std::array types{record_type<McastRecord>};
    Document theirs = from_json(joined(result.output, "\n"), name_of(step), types);
    if (document.machine.hosts.size() < theirs.machine.hosts.size()) document.machine = theirs.machine;
    for (McastRecord& record : theirs.records<McastRecord>()) {
      record.figure = step.figure->name;
      document.records<McastRecord>().push_back(std::move(record));
    }
  }

  const McastOptions& options_;
  const LabFactory& make_lab_;
  std::vector<FigureStep> steps_;
  std::unique_ptr<Lab> lab_;
  Document measured_;
  bool wrong_ = false;
  bool broken_ = false;
};

void write_report(const std::string& folder, const Document& measured) {
  const Source source{folder + "/figures.json", measured};
  const std::vector<Section> sections = figure_sections(std::span(&source, 1));
  OutputFile(folder + "/report.md").rewrite(page_markdown(figures_title, sections));
  OutputFile(folder + "/report.html").rewrite(page_html(figures_title, sections));
  for (const Section& section : sections) {
    for (const Picture& picture : section.pictures) OutputFile(folder + "/" + picture.file).rewrite(picture.svg);
  }
}

/// Paths become absolute: the lab's script is called in the folder.
McastOptions prepared(McastOptions options) {
  FigureOptions& figures = options.figures;
  figures.lab = whole_path(figures.lab.empty() ? find_lab_script() : figures.lab);
  figures.folder = whole_path(figures.folder);
  options.output.export_json = figures.folder + "/figures.json";
  return options;
}

}  // namespace

std::vector<std::string> arguments_of(const FigureSweep& sweep, FigureExtent extent, const std::string& hostfile,
                                      const McastOptions& options) {
  std::vector<std::string> receivers;
  for (const int number : sweep.receivers) receivers.push_back(std::to_string(number));
  std::vector<std::string> sizes;
  for (const std::uint64_t bytes : sweep.sizes) sizes.push_back(std::to_string(bytes));
  const int messages = extent == FigureExtent::quick ? quick_messages : usual_messages;
  std::vector<std::string> words{"mcast",
                                 "--protocol",
                                 joined(sweep.protocols, ","),
                                 "--receivers",
                                 joined(receivers, ","),
                                 "-m",
                                 sizes.size() == 1 ? sizes[0] + ":" + sizes[0] : joined(sizes, ","),
                                 "-i",
                                 std::to_string(options.effort.iterations.value_or(messages)),
                                 "-x",
                                 std::to_string(options.effort.warmup.value_or(warmup_messages)),
                                 "--runs",
                                 std::to_string(options.runs),
                                 "--timeout",
                                 fmt::format("{}", options.timeout_s),
                                 "--hostfile",
                                 hostfile,
                                 "--launcher",
                                 "ssh",
                                 "--format",
                                 "json"};
  if (!options.authenticated) words.emplace_back("--no-auth");
  return words;
}

Exit run_figures(const McastOptions& options, const View& view, const LabFactory& make_lab, const Call& call) {
  const McastOptions own = prepared(options);
  const ResultsFolder folder("--out", own.figures.folder);
  const SignalHold hold;
  FigureRuns runs(own, make_lab);
  std::exception_ptr error;
  Exit status = Exit::ok;
  attempt(error, [&] {
    status = measure(runs, {view, call.tables.formats, own.output}, call.command_line, call.console);
  });
  if (runs.measured().has_results()) attempt(error, [&] { write_report(own.figures.folder, runs.measured()); });
  if (error) std::rethrow_exception(error);
  if (runs.measured().has_results()) call.console.err(fmt::format("report: {}/report.html\n", own.figures.folder));
  return status;
}

}  // namespace nasvm

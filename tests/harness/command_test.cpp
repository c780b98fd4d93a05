#include "harness/command.hpp"

#include <stdlib.h>

#include <array>
#include <catch2/catch.hpp>

#include "fake_executor.hpp"
#include "harness/cli/groups.hpp"
#include "harness/cli/values.hpp"
#include "harness/document/csv.hpp"
#include "harness/program.hpp"
#include "harness/report/case_grid.hpp"
#include "harness/report/heading.hpp"
#include "harness/session/machines.hpp"
#include "harness/session/session.hpp"
#include "harness/text.hpp"
#include "vm/multicast/stop_and_wait.hpp"

using namespace nasvm;
using namespace nasvm::test;
using Catch::Contains;

namespace nasvm {
namespace {

// A subcommand that nobody but this file knows: it tosses something and counts how far it flies.

struct TossRecord {
  static constexpr std::string_view section = "tosses";
  static constexpr Role role = Role::result;

  std::string transport;  ///< what is tossed
  int repeat = 0;
  double distance_m = 0;
  bool caught = true;

  bool operator==(const TossRecord&) const = default;
};

void describe(Fields& fields, TossRecord& toss) {
  fields.text("transport", toss.transport);
  fields.integer("repeat", toss.repeat, Need::optional);
  fields.real("distance_m", toss.distance_m, Need::optional, withheld_unless(toss.caught));
  fields.boolean("caught", toss.caught);
}

bool is_right(const TossRecord& toss) { return toss.caught; }

std::vector<Grid> toss_grids(std::span<const Source> sources, Columns) {
  using Distance = FigureOf<TossRecord>;
  static const std::array<Distance, 1> figures{
      {{{{"Distance", "(m)"}, Figure::Digits::aligned, Figure::Spread::percent, Figure::Ratio::shown},
        [](const TossRecord& toss) { return toss.distance_m; }}}};
  const std::span<const Distance> declared(figures);
  CaseTable table{{{"Game", "", Align::left}}, figures_of(declared), {}, Ratios::across, {}};
  for (const auto& group : group_cases<TossRecord>(sources, [](const auto&, const auto&) { return true; })) {
    table.groups.push_back({{"toss"}, {}});
    for (const auto& one : group.cases) table.groups.back().rows.push_back(row_of(one, declared));
  }
  Grid grid = grid_of(table, sources.size());
  grid.heading = heading_lines(sources);
  return {grid};
}

std::string toss_csv(std::span<const Source> sources) { return csv_of<TossRecord>(sources); }

constexpr std::array toss_views{View{"toss", "", TossRecord::section, toss_grids, toss_csv}};
constexpr std::array toss_records{record_type<TossRecord>};

class Tosses final : public Measurement {
 public:
  Tosses(int runs, bool drop, std::vector<std::string> protocols)
      : runs_(runs), drop_(drop), protocols_(std::move(protocols)) {}
  [[nodiscard]] std::vector<std::string> steps() const override {
    return std::vector<std::string>(2 * runs_, "toss to " + joined(protocols_, " and "));
  }
  MachineRecord start() override { return small_machine(); }
  void carry_out(std::size_t step, Document& document, Progress&) override {
    const bool ball = step % 2 == 0;
    document.records<TossRecord>().push_back(
        {ball ? "ball" : "hat", static_cast<int>(step / 2), ball ? 8.0 : 2.0, !drop_ || ball});
  }
  void stop() override {}
  [[nodiscard]] Exit status() const override { return drop_ ? Exit::failed : Exit::ok; }

 private:
  std::size_t runs_;
  bool drop_;
  std::vector<std::string> protocols_;
};

class Toss final : public Command {
 public:
  void add_options(CommandLine& line, const Tables& tables) override {
    add_runs_option(line, runs_, "tosses of each thing");
    line.flag({"--drop", "", "drop the hat"}, drop_);
    machine_.launchers = tables.launchers;
    add_machine_options(line, machine_);
    add_protocols_option(line, protocols_, tables.protocols);
    add_output_options(line, output_, format_names(tables.formats, toss_views));
    line.footer("Example:\n  nasvm toss --runs 3");
  }
  Exit run(const Call& call) override {
    Tosses tosses(runs_, drop_, protocols_);
    return measure(tosses, {toss_views.front(), call.tables.formats, output_}, call.command_line, call.console);
  }

 private:
  int runs_ = 1;
  bool drop_ = false;
  MachineOptions machine_;
  std::vector<std::string> protocols_{"fanout"};
  OutputOptions output_;
};

/// A format of one's own: how many records there are, of any view.
std::string render_tally(const Report& report) {
  std::size_t records = 0;
  for (const Source& source : report.sources) records += source.document.find(report.view.section)->size();
  return "tally " + std::to_string(records) + "\n";
}

/// The program with one row more in each table.
struct Program {
  std::vector<CommandRow> rows;
  std::vector<Format> formats;
  std::vector<LauncherRow> launchers;
  std::vector<multicast::Row> protocols = protocols_and_toy();
  std::string out, err;
  bool terminal = false;
  std::size_t columns = 0;

  Program() {
    Executors executors;
    executors.run = [this](const RunOptions& options) {
      machine = options.machine;
      return std::make_unique<FakeExecutor>(nullptr, &seen);
    };
    executors.p2p = [this](const P2pOptions& options) {
      machine = options.machine;
      return std::make_unique<FakeP2pExecutor>(options, good_p2p_report, &p2p_seen);
    };
    executors.limits = round_limits;
    executors.hosts = [this](const HostsOptions& options) {
      machine = options.machine;
      return Survey{};
    };
    rows = commands(executors);
    rows.push_back({"toss", "toss something", [] { return std::make_unique<Toss>(); }, toss_views, toss_records});
    const auto known = nasvm::formats();
    formats.assign(known.begin(), known.end());
    formats.push_back({"tally", "how many records there are", render_tally});
    launchers.assign(nasvm::launchers().begin(), nasvm::launchers().end());
    launchers.push_back(
        {"pigeon", "carries the daemons", [](const LauncherOptions&) { return std::unique_ptr<Launcher>(); }});
  }
  int operator()(std::vector<std::string> arguments) {
    out.clear();
    err.clear();
    arguments.insert(arguments.begin(), "nasvm");
    Console console{[this](std::string_view text) { out += text; }, [this](std::string_view text) { err += text; },
                    terminal};
    console.out_columns = columns;
    return program(arguments, {rows, formats, launchers, protocols}, console);
  }

  std::vector<RunSpec> seen;
  std::vector<P2pSpec> p2p_seen;
  MachineOptions machine;  ///< that the last command wanted
};

}  // namespace
}  // namespace nasvm

TEST_CASE("command: a row gives help, and options whose errors are one line") {
  Program nasvm;
  CHECK(nasvm({"--help"}) == 0);
  CHECK_THAT(nasvm.out, Contains("toss") && Contains("toss something"));
  CHECK(nasvm({"toss", "--help"}) == 0);
  CHECK_THAT(nasvm.out, Contains("tosses of each thing") && Contains("table, json, csv, markdown, tally") &&
                            Contains("--export-json"));
  CHECK(nasvm({"toss", "--runs", "0"}) == 2);
  CHECK(nasvm.err == "nasvm: --runs 0: expected a whole number from 1 to 10000\n");
  CHECK(nasvm({"toss", "--format", "npb"}) == 2);
  CHECK(nasvm({"catch"}) == 2);
  CHECK_THAT(nasvm.err, Contains("info, toss"));
}

TEST_CASE("command: a row gives every format, and a format's row every command") {
  Program nasvm;
  CHECK(nasvm({"toss", "--runs", "2"}) == 0);
  CHECK_THAT(nasvm.out, Contains("toss  ball          8.000") && Contains("ball/hat      4.00x"));
  CHECK(nasvm({"toss", "--format", "csv"}) == 0);
  CHECK(nasvm.out == "file,transport,repeat,distance_m,caught\n,ball,0,8,true\n,hat,0,2,true\n");
  CHECK(nasvm({"toss", "--format", "markdown"}) == 0);
  CHECK_THAT(nasvm.out, Contains("| Game | Transport | Distance (m) |"));
  CHECK(nasvm({"toss", "--format", "tally"}) == 0);
  CHECK(nasvm.out == "tally 2\n");
  CHECK(nasvm({"run", "ft", "--format", "tally"}) == 0);
  CHECK(nasvm.out == "tally 2\n");
}

TEST_CASE("command: what was wrong has no figure and fails the command") {
  Program nasvm;
  CHECK(nasvm({"toss", "--drop", "--format", "csv"}) == 1);
  CHECK_THAT(nasvm.out, Contains(",hat,0,,false"));
}

TEST_CASE("command: progress is shown without doing anything for it") {
  Program nasvm;
  nasvm.terminal = true;
  CHECK(nasvm({"toss"}) == 0);
  CHECK_THAT(nasvm.err, Contains("2/2") && Contains("toss"));
}

TEST_CASE("command: exports are read again and compared without doing anything for it") {
  const Folder folder;
  Program nasvm;
  CHECK(nasvm({"toss", "--export-json", folder.file("a.json"), "--export-csv", folder.file("a.csv")}) == 0);
  const std::string printed = nasvm.out;
  CHECK(nasvm({"compare", folder.file("a.json")}) == 0);
  CHECK(nasvm.out == printed);
  CHECK(nasvm({"compare", folder.file("a.json"), folder.file("a.json"), "--format", "tally"}) == 0);
  CHECK(nasvm.out == "tally 4\n");
  CHECK(nasvm({"compare", folder.file("a.json"), "--format", "npb"}) == 2);
  CHECK_THAT(nasvm.err, Contains("not made for " + folder.file("a.json")));
  const std::string broken =
      folder.write("b.json", R"({"schema": "nasvm-result/1", "tosses": [{"transport": "hat", "caught": 1}]})");
  CHECK(nasvm({"compare", broken}) == 2);
  CHECK(nasvm.err == "nasvm: " + broken + ": tosses[0].caught is not true or false\n");
}

TEST_CASE("command: a launcher's row is a choice of every command that starts daemons") {
  for (const std::string command : {"run", "roofline", "hosts", "p2p", "toss"}) {
    Program nasvm;
    CAPTURE(command);
    CHECK(nasvm({command, "--help"}) == 0);
    CHECK_THAT(nasvm.out, Contains("who starts the daemons: local, ssh, mpirun, srun"));
    CHECK(nasvm({command, "--launcher", "dove"}) == 2);
    CHECK(nasvm.err == "nasvm: --launcher dove: not known; known are local, ssh, mpirun, srun, pigeon\n");
    CHECK(nasvm({command, "--launcher", "pigeon"}) == 0);
  }
}

TEST_CASE("command: info lists launchers and multicast protocols by their rows") {
  Program nasvm;
  CHECK(nasvm({"info"}) == 0);
  CHECK_THAT(nasvm.out, Contains("  pigeon      carries the daemons\n") && Contains("  stopwait    a toy"));
}

TEST_CASE("command: info says what each kernel chooses on this machine, and why") {
  Program nasvm;
  CHECK(nasvm({"info"}) == 0);
  CHECK_THAT(nasvm.out, Contains("What kernels choose on this machine\n"));
  for (const Kernel& kernel : kernels()) {
    REQUIRE(kernel.choices != nullptr);
    for (const TuningChoice& choice : kernel.choices()) {
      CHECK_THAT(nasvm.out, Contains(std::string(kernel.name) + std::string(10, ' ') + choice.what + ": " +
                                     choice.chosen + " (" + choice.why + ")\n"));
    }
  }
}

TEST_CASE("command: the machine of a command is started from the table of launchers that the program was given") {
  Program nasvm;
  for (const std::string command : {"run", "hosts", "p2p"}) {
    CHECK(nasvm({command, "--launcher", "pigeon"}) == 0);
    const Machine::Options options = machine_options(nasvm.machine);
    CHECK(options.launcher == "pigeon");
    CHECK(options.launchers.data() == nasvm.launchers.data());
  }
}

TEST_CASE("command: a multicast protocol's row is a choice of the commands that measure multicast") {
  Program nasvm;
  nasvm.terminal = true;
  CHECK(nasvm({"toss", "--help"}) == 0);
  CHECK_THAT(nasvm.out, Contains("multicast protocols: fanout, ") && Contains("stopwait"));
  CHECK(nasvm({"toss", "--protocol", "stopwait:timeout=3,fanout"}) == 0);
  CHECK_THAT(nasvm.err, Contains("toss to stopwait:timeout=3 and fanout"));
  CHECK(nasvm({"toss", "--protocol", "echo"}) == 2);
  CHECK_THAT(nasvm.err, Contains("unknown multicast protocol \"echo\"; known: fanout, ") && Contains("stopwait\n"));
  CHECK(nasvm({"toss", "--protocol", "stopwait:poll=3"}) == 2);
  CHECK(nasvm.err == "nasvm: protocol stopwait has no parameter \"poll\"; it has: timeout\n");
  CHECK(nasvm({"toss", "--protocol", "fanout,fanout"}) == 2);
  CHECK_THAT(nasvm.err, Contains("one is given twice"));
}

TEST_CASE("command: help is as wide as the terminal") {
  const auto longest_line = [](const std::string& text) {
    std::size_t longest = 0;
    for (const std::string& line : split(text, '\n')) longest = std::max(longest, line.size());
    return longest;
  };
  Program nasvm;
  CHECK(nasvm({"toss", "--help"}) == 0);
  CHECK(longest_line(nasvm.out) <= 80);
  CHECK(longest_line(nasvm.out) > 60);
  nasvm.columns = 60;
  CHECK(nasvm({"toss", "--help"}) == 0);
  CHECK(longest_line(nasvm.out) <= 60);
}

TEST_CASE("command: hosts, remote shell and interface of the command line are the machine's") {
  Program nasvm;
  CHECK(nasvm({"run", "--host", "127.0.0.1:2,127.0.0.2", "--rsh", "ssh -p 1", "--copy", "--interface", "eth1"}) == 0);
  const Machine::Options options = machine_options(nasvm.machine);
  REQUIRE(options.hosts.size() == 2);
  CHECK(options.hosts[0].slots == 2);
  CHECK(options.launcher == "local");
  CHECK(options.rsh == "ssh -p 1");
  CHECK(options.copy);
  CHECK(options.interface == "eth1");
  CHECK(names_hosts(nasvm.machine));
  CHECK(nasvm({"run"}) == 0);
  CHECK_FALSE(names_hosts(nasvm.machine));
  CHECK(nasvm({"run", "--host", "no-such-host.invalid"}) == 0);
  CHECK(machine_options(nasvm.machine).launcher == "ssh");
}

TEST_CASE("command: inside a Slurm job the nodes are the job's, unless hosts or another launcher are named") {
  ::setenv("SLURM_JOB_NODELIST", "n[1-2]", 1);
  Program nasvm;
  CHECK(nasvm({"run"}) == 0);
  CHECK(machine_options(nasvm.machine).launcher == "srun");
  CHECK(machine_options(nasvm.machine).hosts.size() == 2);
  CHECK(nasvm({"run", "--launcher", "local"}) == 0);
  CHECK(machine_options(nasvm.machine).hosts.size() == 1);
  ::unsetenv("SLURM_JOB_NODELIST");
  CHECK(nasvm({"run", "--launcher", "srun"}) == 0);
  CHECK_THROWS_WITH(machine_options(nasvm.machine), Contains("no Slurm job"));
}

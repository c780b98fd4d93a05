#pragma once
/// \file
/// Stand-ins for tests of the harness: an executor that invents its results, streams that remember, files that
/// vanish.

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/commands.hpp"
#include "harness/commands/p2p/collective/collective.hpp"
#include "harness/kernel_runs/executor.hpp"
#include "harness/kernel_runs/record.hpp"
#include "harness/session/output.hpp"
#include "harness/text.hpp"
#include "support/folder.hpp"
#include "vm/status.hpp"

namespace nasvm {

/// Documents of every command of the program.
std::vector<RecordType> all_record_types();
Document read_document(const std::string& path);
Document from_json(std::string_view text, const std::string& name);

}  // namespace nasvm

namespace nasvm::test {

/// The documents in that format, by the view of the first; of one without results, by that of `nasvm run`.
std::string render(const std::vector<Source>& sources, std::string_view format, Columns columns = Columns::usual);

/// The options of a command line, `arguments[0]` is the command: `add(line, options)` adds them.
template <typename Options, typename Add>
Options options_of(std::vector<std::string> arguments, Add add) {
  Options options;
  const std::string name = arguments.front();
  const CommandHead head{name, "", [&](CommandLine& line) { add(line, options); }};
  arguments.insert(arguments.begin(), "nasvm");
  (void)read_command_line(std::span(&head, 1), arguments, "0");
  return options;
}

/// The names of all formats of a command.
std::vector<std::string_view> format_names_of(std::string_view command);

/// What a well-behaved run gives: two tasks on host "box", all bytes over the transport's own method.
RunRecord good_run(const std::string& transport, double time_s);

/// A host of a survey.
SurveyedHost surveyed_host(int index, const char* name, const char* computer, std::vector<int> ranks);

/// Three tasks: two on host 0, which find each other in memory; the third on the host at `far`.
Methods methods_of_three(const std::string& transport, int far);

MachineRecord small_machine();

/// Two seconds over `daemon`, one over anything else, until a test says otherwise.
class FakeExecutor final : public Executor {
 public:
  using Behaviour = std::function<RunRecord(const RunSpec&)>;

  explicit FakeExecutor(Behaviour behaviour, std::vector<RunSpec>* seen)
      : behaviour_(std::move(behaviour)), seen_(seen) {}

  RunRecord run(const RunSpec& spec) override {
    seen_->push_back(spec);
    return behaviour_ ? behaviour_(spec) : good_run(spec.transport, spec.transport == "daemon" ? 2.0 : 1.0);
  }
  MachineRecord machine() override { return small_machine(); }

 private:
  Behaviour behaviour_;
  std::vector<RunSpec>* seen_;
};

/// Measures nothing: reports what a test wants.
class FakeP2pExecutor final : public P2pExecutor {
 public:
  using Behaviour = std::function<P2pReport(const P2pSpec&, const P2pOptions&)>;

  FakeP2pExecutor(P2pOptions options, Behaviour behaviour, std::vector<P2pSpec>* seen)
      : options_(std::move(options)), behaviour_(std::move(behaviour)), seen_(seen) {}

  P2pReport run(const P2pSpec& spec) override {
    seen_->push_back(spec);
    return behaviour_(spec, options_);
  }
  MachineRecord machine() override { return small_machine(); }

 private:
  P2pOptions options_;
  Behaviour behaviour_;
  std::vector<P2pSpec>* seen_;
};

/// A size over a path whose messages take `us` microseconds and 1 ns a byte; 4 of them in a window overlap fully.
P2pRecord p2p_record(const std::string& path, std::uint64_t bytes, double us);

/// A collective whose calls take `us` microseconds; the average over tasks is half of that.
CollectiveRecord collective_record(const std::string& collective, int np, const std::string& path,
                                   std::uint64_t bytes, double us);

/// All sizes; yardsticks have no empty messages.
P2pReport good_p2p_report(const P2pSpec& spec, const P2pOptions& options);

/// Measures nothing: reports what a test wants.
class FakeMcastExecutor final : public McastExecutor {
 public:
  using Behaviour = std::function<McastReport(const McastSpec&, const McastOptions&)>;

  FakeMcastExecutor(McastOptions options, Behaviour behaviour, std::vector<McastSpec>* seen)
      : options_(std::move(options)), behaviour_(std::move(behaviour)), seen_(seen) {}

  McastReport run(const McastSpec& spec) override {
    seen_->push_back(spec);
    return behaviour_(spec, options_);
  }
  MachineRecord machine() override { return small_machine(); }

 private:
  McastOptions options_;
  Behaviour behaviour_;
  std::vector<McastSpec>* seen_;
};

/// A message of `ms` milliseconds, which the last receiver has after three quarters of that.
McastRecord mcast_record(int receivers, std::uint64_t bytes, double ms);

/// All sizes, at 80 Mbit/s; message systems take four times as long, `raw` takes as long as the last receiver.
McastReport good_mcast_report(const McastSpec& spec, const McastOptions& options);

/// Runs no program: its results are what a test wants.
class FakeProgramExecutor final : public ProgramExecutor {
 public:
  using Behaviour = std::function<ExecResult(const ExecSpec&, const ExecOptions&)>;

  FakeProgramExecutor(ExecOptions options, Behaviour behaviour, int status)
      : options_(std::move(options)), behaviour_(std::move(behaviour)), status_(status) {}

  ExecResult run(const ExecSpec& spec) override { return behaviour_(spec, options_); }
  MachineRecord machine() override { return small_machine(); }
  int program_status() override { return status_; }

 private:
  ExecOptions options_;
  Behaviour behaviour_;
  int status_;
};

/// Half a second over `daemon`, a quarter over anything else; each task sends a message to the next, the last none.
ExecResult good_exec_result(const ExecSpec& spec, const ExecOptions&);

/// The result block of a NAS reference code that took `time_s`, as it prints it, and then `mops`.
MpiProgramResult npb_output(const std::string& title, char problem_class, int tasks, const std::string& time_s,
                            const std::string& mops, const std::string& verification = "SUCCESSFUL");

/// One limit of each kind, for one core and for two.
std::vector<LimitRecord> round_limits(std::span<const int>);

/// A lab without hosts: remembers what it is told, and answers as a test wants.
class FakeLab final : public Lab {
 public:
  using Behaviour = std::function<ProgramResult(const std::vector<std::string>& words)>;

  FakeLab(Behaviour behaviour, std::vector<std::string>* seen) : behaviour_(std::move(behaviour)), seen_(seen) {}

  [[nodiscard]] std::string hostfile() const override { return "fake.hosts"; }
  ProgramResult run(const std::vector<std::string>& words, std::chrono::milliseconds) override {
    seen_->push_back(joined(words, " "));
    return behaviour_(words);
  }
  ProgramResult exchange(const std::string& plan, std::chrono::milliseconds) override {
    seen_->push_back("exchange\n" + plan);
    ProgramResult result;
    result.ended_well = true;
    result.output = {"0.500000"};
    return result;
  }
  void slow(int host, double share) override {
    const std::string words = fmt::format("slow {} {:.2f}", host, share);
    seen_->push_back(words);
    const ProgramResult result = behaviour_({words});
    if (!result.ended_well) throw RunError(result.errors.front());
  }
  void down() override { seen_->push_back("down"); }

 private:
  Behaviour behaviour_;
  std::vector<std::string>* seen_;
};

/// Runs the program with a fake executor and keeps what it wrote.
struct Session {
  std::string out;
  std::string err;
  std::vector<RunSpec> seen;
  FakeExecutor::Behaviour behaviour;
  std::vector<P2pSpec> p2p_seen;
  FakeP2pExecutor::Behaviour p2p_behaviour = good_p2p_report;
  std::vector<McastSpec> mcast_seen;
  FakeMcastExecutor::Behaviour mcast_behaviour = good_mcast_report;
  std::span<const multicast::Row> protocols = multicast::protocols();
  std::vector<std::string> peers_seen;  ///< programs with numbers of tasks, variables: "/bin/ft.A.x 2 NAME=value"
  std::function<MpiProgramResult(const std::string& program, int tasks, std::chrono::milliseconds timeout)>
      peer_behaviour;
  BuildLauncher launch_behaviour;  ///< of programs that regress launches
  std::vector<HostsOptions> hosts_seen;
  Surveyor hosts_behaviour = [](const HostsOptions&) { return Survey{}; };
  std::vector<std::string> labs_seen;  ///< "up 4 10 Mbit/s shared", words of each `nasvm` in it, "down"
  FakeLab::Behaviour lab_behaviour;
  FakeProgramExecutor::Behaviour program_behaviour = good_exec_result;
  int program_status = 0;  ///< of a program that has failed
  bool terminal = false;
  bool out_is_broken = false;
  std::size_t out_columns = 0;
  std::size_t err_columns = 0;
  std::chrono::steady_clock::time_point now;  ///< stands still until a test moves it

  Session();
  ~Session();
  int operator()(std::vector<std::string> arguments);
  /// Lines on standard error.
  [[nodiscard]] std::size_t err_lines() const {
    return static_cast<std::size_t>(std::count(err.begin(), err.end(), '\n'));
  }
};

/// Lines of a text.
std::vector<std::string> lines_of_text(const std::string& text);

/// A build folder with programs that only seem to be there.
std::string write_build(const Folder& folder, const std::string& name);

std::string content(const std::string& path);

/// A document with fixed facts, for snapshots: FT class A on 2 tasks, daemon and direct, `repeats` times.
Document sample_document(int repeats);

}  // namespace nasvm::test

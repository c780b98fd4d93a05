#include "vm/system/runner.hpp"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <optional>
#include <set>

#include "support/deadline.hpp"
#include "support/folder.hpp"
#include "support/process.hpp"
#include "support/skip.hpp"
#include "vm/process/programs.hpp"
#include "vm/system/table.hpp"

using namespace nasvm;
using Catch::Contains;

namespace {

/// A program of the test task of that system; none, and the case is skipped, where it is not built or not installed.
std::optional<Machine::Program> program_of(const std::string& transport, const std::string& body, int size) {
  const SystemRow& system = *system_of(transport)->row;
  try {
    (void)SystemRunner(system);
    Machine::Program program;
    program.path = system_program(system, "test-task");
    program.size = size;
    program.transport = transport;
    program.setup = body;
    program.timeout = test::no_timeout;
    return program;
  } catch (const UsageError& error) {
    const std::string task = "nasvm-" + std::string(system.name) + "-test-task";
    const bool is_there = std::filesystem::exists(test::built_program(task)) &&
                          !process::find_in_path(system.name == "mpi" ? "mpirun" : "pvmd").empty();
    if (is_there) throw;
    test::skip(error.what());
    return std::nullopt;
  }
}

SystemRunner runner_of(const std::string& transport) { return SystemRunner(*system_of(transport)->row); }

std::vector<std::string> run(const Machine::Program& program) { return runner_of(program.transport).run(program); }

/// Of the folders that this process's runs make.
std::string own_prefix() { return "nasvm-run-" + std::to_string(::getpid()) + "-"; }

/// Files and folders that runs over message systems could leave behind: this process's, and under names of the
/// systems' own anybody's.
std::set<std::string> traces() {
  std::set<std::string> found;
  for (const char* place : {"/tmp", "/dev/shm"}) {
    for (const auto& entry : std::filesystem::directory_iterator(place)) {
      const std::string name = entry.path().filename();
      const bool ours = name.starts_with(own_prefix());
      const bool system = name.starts_with("ompi.") || name.starts_with("vader_segment") ||
                          name.starts_with("pvmd.") || name.starts_with("pvml.") || name.starts_with("pvmtmp");
      if (ours || system) found.insert(entry.path());
    }
  }
  return found;
}

/// What was not there before a run. What is there while another process's run is goes with that.
void check_nothing_stays(const std::set<std::string>& before) {
  for (const std::string& trace : traces()) {
    INFO(trace);
    const bool ours = trace.find(own_prefix()) != std::string::npos;
    const auto has_gone = [&trace] { return !std::filesystem::exists(trace); };
    CHECK((before.contains(trace) || (!ours && test::eventually(has_gone))));
  }
}

/// Now, or as soon as it has had its turn: what has been killed is there until it has run to its end, and until
/// whoever has inherited it has heard of that.
bool is_gone(pid_t pid) {
  return test::eventually([pid] { return ::kill(pid, 0) != 0; });
}

struct Outcome {
  std::string text;
  Exit exit_status = Exit::ok;
  bool in_time = false;  ///< nobody waited for something that was not to come
};

/// Runs a program that must fail, calls `disturb` when its tasks run, and checks that nothing stays.
template <typename Disturb>
Outcome run_and_fail(const Machine::Program& program, Disturb disturb) {
  Outcome outcome;
  std::vector<long> pids;
  const std::set<std::string> before = traces();
  SystemRunner runner = runner_of(program.transport);
  test::Deadline deadline;
  runner.on_start([&] {
    pids = runner.task_pids();
    pids.push_back(runner.system_pid());
    deadline = {};
    disturb(runner);
  });
  try {
    runner.run(program);
  } catch (const Error& error) {
    outcome.text = error.what();
    outcome.exit_status = error.exit_status();
  }
  outcome.in_time = !deadline.passed();
  for (const long pid : pids) {
    INFO("process " << pid);
    CHECK(is_gone(static_cast<pid_t>(pid)));
  }
  check_nothing_stays(before);
  CHECK(outcome.text.find('\n') == std::string::npos);
  return outcome;
}

const auto nothing = [](SystemRunner&) {};

}  // namespace

TEST_CASE("every message system conforms", "[systems][heavy]") {
  const std::string transport = GENERATE("mpi", "pvm", "pvm:route=direct");
  for (const int ranks : {1, 2, 3, 5, 8, 16}) {
    const auto program = program_of(transport, "conformance", ranks);
    if (!program.has_value()) return;
    INFO(transport << ", " << ranks << " ranks");
    REQUIRE_NOTHROW(run(*program));
  }
}

TEST_CASE("message systems conform with other parameters", "[systems][heavy]") {
  for (const auto& [ranks, transport] : {std::pair{3, "mpi:collectives=ours"},
                                         {8, "mpi:collectives=ours"},
                                         {2, "mpi:over=tcp"},
                                         {4, "mpi:over=shm:collectives=mpi"},
                                         {3, "pvm:fragment=64k"},
                                         {3, "pvm:route=direct:fragment=64k"},
                                         {5, "pvm:broadcast=mcast"},
                                         {4, "pvm:route=direct:broadcast=mcast"}}) {
    const auto program = program_of(transport, "conformance", ranks);
    if (!program.has_value()) continue;  // the other system may be there
    INFO(ranks << " ranks, " << transport);
    REQUIRE_NOTHROW(run(*program));
  }
}

TEST_CASE("every message system carries long messages", "[systems]") {
  const std::string transport = GENERATE("mpi", "pvm", "pvm:route=direct");
  const auto program = program_of(transport, "long messages", 3);
  if (program.has_value()) REQUIRE_NOTHROW(run(*program));
}

TEST_CASE("mpi carries messages beyond 4 GiB", "[systems][large][heavy]") {
  const auto program = program_of("mpi", "beyond 4 GiB", 2);
  if (program.has_value()) REQUIRE_NOTHROW(run(*program));
}

TEST_CASE("tasks over a message system report by rank, short and long", "[systems]") {
  const std::string system = GENERATE("mpi", "pvm");
  const auto program = program_of(system, "report rank", 3);
  if (!program.has_value()) return;
  SystemRunner runner = runner_of(system);
  const auto ranks = runner.run(*program);
  REQUIRE(ranks.size() == 3);
  for (int rank = 0; rank < 3; ++rank) {
    CHECK(ranks[static_cast<std::size_t>(rank)] == "rank " + std::to_string(rank) + " by " + system);
  }
  const auto reports = runner.run(*program_of(system, "report long", 2));
  CHECK(reports.at(1) == std::string(3'000'000, 'b') + "end\n");
}

TEST_CASE("Comms that are gone leave room for others", "[systems]") {
  const auto program = program_of("mpi", "split often", 1);
  if (!program.has_value()) return;
  REQUIRE_NOTHROW(run(*program));
}

TEST_CASE("a process that a task over a message system leaves behind holds no run, and goes with it", "[systems]") {
  const auto program = program_of(GENERATE("mpi", "pvm"), "leave a process behind", 2);
  if (!program.has_value()) return;
  const std::string left = run(*program).back();
  REQUIRE_FALSE(left.empty());
  CHECK(::kill(static_cast<pid_t>(std::stol(left)), 0) != 0);
}

TEST_CASE("a run that finds no room for its files is refused with a line that says so", "[systems]") {
  // As many tasks as no place has room for; none is started.
  const auto program = program_of("mpi", "report rank", 1 << 20);
  if (!program.has_value()) return;
  CHECK_THROWS_WITH(run(*program), Contains("/dev/shm has") && Contains("MiB of room"));
}

TEST_CASE("two runs over one message system do not disturb each other", "[systems]") {
  const auto first = program_of("pvm", "report rank", 2);
  if (!first.has_value()) return;
  SystemRunner outer = runner_of("pvm");
  std::vector<std::string> inner;
  outer.on_start([&] { inner = runner_of("pvm").run(*program_of("pvm", "report rank", 3)); });
  CHECK(outer.run(*first).size() == 2);
  CHECK(inner.size() == 3);
}

TEST_CASE("a killed task ends the run over a message system with a line that names it", "[systems]") {
  const std::string transport = GENERATE("mpi", "pvm", "pvm:route=direct");
  const std::string body = GENERATE("wait forever", "compute forever");
  const auto program = program_of(transport, body, 3);
  if (!program.has_value()) return;
  const auto outcome = run_and_fail(
      *program, [](SystemRunner& runner) { ::kill(static_cast<pid_t>(runner.task_pids()[1]), SIGKILL); });
  CHECK_THAT(outcome.text, Contains("rank 1") && Contains("killed by signal 9"));
  CHECK(outcome.exit_status == Exit::broken);
  CHECK(outcome.in_time);
}

TEST_CASE("a killed mpirun or pvmd ends the run with a line that names it", "[systems]") {
  const std::string transport = GENERATE("mpi", "pvm", "pvm:route=direct");
  const std::string name = transport == "mpi" ? "mpirun" : "pvmd";
  const auto program = program_of(transport, "talk forever", 3);
  if (!program.has_value()) return;
  const auto outcome =
      run_and_fail(*program, [](SystemRunner& runner) { ::kill(static_cast<pid_t>(runner.system_pid()), SIGKILL); });
  CHECK_THAT(outcome.text, Contains(name) && Contains("killed by signal 9"));
  CHECK(outcome.exit_status == Exit::broken);
  CHECK(outcome.in_time);
}

TEST_CASE("a task over a message system that leaves early or gives up ends the run", "[systems]") {
  struct Case {
    std::string body, expected;
    Exit exit_status;
  };
  const std::string transport = GENERATE("mpi", "pvm");
  const auto [body, expected, exit_status] = GENERATE(
      Case{"exit early", "rank 2", Exit::broken}, Case{"throw late", "this cannot be asked for", Exit::usage},
      Case{"receive too little", "does not fit its receive buffer of 20 bytes", Exit::broken},
      Case{"throw bytes", "no file \"caf\xef\xbf\xbd\" there", Exit::broken});
  INFO(body << " over " << transport);
  const auto program = program_of(transport, body, 3);
  if (!program.has_value()) return;
  const auto outcome = run_and_fail(*program, nothing);
  CHECK_THAT(outcome.text, Contains(expected) && Contains("rank "));
  CHECK(outcome.exit_status == exit_status);
  CHECK(outcome.in_time);
}

TEST_CASE("a run over a message system beyond its time-out is ended", "[systems]") {
  const std::string transport = GENERATE("mpi", "pvm");
  auto program = program_of(transport, "compute forever", 2);
  if (!program.has_value()) return;
  program->timeout = std::chrono::milliseconds(300);
  program->timeout_option = "--timeout";
  const auto outcome = run_and_fail(*program, nothing);
  CHECK_THAT(outcome.text, Contains("time-out of 0.3 s (--timeout)"));
  CHECK(outcome.exit_status == Exit::broken);
  CHECK(outcome.in_time);
}

TEST_CASE("an interrupt ends a run over a message system in good order", "[systems]") {
  const std::string transport = GENERATE("mpi", "pvm");
  const int signal_number = GENERATE(SIGINT, SIGTERM);
  const auto program = program_of(transport, "talk forever", 3);
  if (!program.has_value()) return;
  const auto outcome = run_and_fail(*program, [&](SystemRunner&) { ::kill(::getpid(), signal_number); });
  CHECK_THAT(outcome.text, Contains(signal_number == SIGINT ? "SIGINT" : "SIGTERM"));
  CHECK(outcome.in_time);
}

TEST_CASE("a program that is not there ends the run over a message system", "[systems]") {
  const std::string transport = GENERATE("mpi", "pvm");
  auto program = program_of(transport, "report rank", 2);
  if (!program.has_value()) return;
  program->path = "/nowhere/program";
  const auto outcome = run_and_fail(*program, nothing);
  CHECK_THAT(outcome.text, Contains("/nowhere/program"));
  CHECK(outcome.exit_status == Exit::broken);
}

TEST_CASE("root's runs over pvm are another user's, who must be allowed to execute the tasks", "[systems]") {
  auto program = program_of("pvm", "report rank", 2);
  if (!program.has_value()) return;
  if (::geteuid() != 0) {
    program->transport = "pvm:user=root";
    CHECK_THROWS_WITH(run(*program), Contains("only root"));
    return;
  }
  program->transport = "pvm:user=daemon";
  CHECK(run(*program).size() == 2);
  program->transport = "pvm:user=root";
  CHECK(run(*program).size() == 2);
  const test::Folder folder;  // root's alone
  std::filesystem::copy_file(program->path, folder.file("task"));
  program->path = folder.file("task");
  program->transport = "pvm";
  CHECK(run(*program).size() == 2);
  ::chmod(program->path.c_str(), 0700);
  CHECK_THROWS_WITH(run(*program), Contains("user nobody") && Contains("chmod") && Contains("pvm:user="));
  CHECK_THROWS_AS(run(*program), UsageError);
}

TEST_CASE("a message of more than 2 GiB is refused by pvm with its limit", "[systems][large][heavy]") {
  const auto program = program_of("pvm", "beyond 4 GiB", 2);
  if (program.has_value()) CHECK_THROWS_WITH(run(*program), Contains("2147483647"));
}

TEST_CASE("pvm over several hosts names one that it cannot reach, and leaves nothing", "[systems]") {
  auto program = program_of("pvm", "report rank", 2);
  if (!program.has_value()) return;
  const auto before = traces();
  const auto run_with = [&](const HostSpec& other, const std::string& rsh) {
    SystemRunner runner(*find_system("pvm"), {{"localhost", "127.0.0.1", 1}, other}, rsh);
    (void)runner.run(*program);
  };
  const HostSpec elsewhere{"elsewhere", "203.0.113.1", 1, 0, "hosts:2"};
  CHECK_THROWS_WITH(run_with(elsewhere, "no-such-shell"), Contains("transport pvm") && Contains("--rsh"));
  CHECK_THROWS_WITH(run_with(elsewhere, "false"), Contains("host elsewhere: false exited with status 1"));
  CHECK_THROWS_WITH(run_with({"unknown", "", 1, 0, "hosts:2"}, "false"), Contains("hosts:2") && Contains("unknown"));
  CHECK_THROWS_AS(run_with({"unknown", "", 1, 0, "hosts:2"}, "false"), UsageError);
  check_nothing_stays(before);
}

TEST_CASE("a run over a message system does not go beyond what the hosts take", "[systems]") {
  const std::string transport = GENERATE("mpi", "pvm");
  const auto program = program_of(transport, "report rank", 2);
  if (!program.has_value()) return;
  SystemRunner runner(*find_system(transport), {{"localhost", "127.0.0.1", 1, 1}});
  CHECK_THROWS_WITH(runner.run(*program), Contains("2 tasks are more than the hosts take: max_slots permits 1"));
  CHECK_THROWS_AS(runner.run(*program), UsageError);
  CHECK(runner.run(*program_of(transport, "report rank", 1)).size() == 1);
}

TEST_CASE("mpi says that it cannot keep max_slots on several computers", "[systems]") {
  const auto program = program_of("mpi", "report rank", 2);
  if (!program.has_value()) return;
  SystemRunner runner(*find_system("mpi"), {{"localhost", "127.0.0.1", 1}, {"elsewhere", "203.0.113.1", 1, 1}});
  CHECK_THROWS_WITH(runner.run(*program), Contains("transport mpi cannot keep max_slots"));
  CHECK_THROWS_AS(runner.run(*program), UsageError);
}

TEST_CASE("without a message system or the tasks' program, it is said what to install", "[systems]") {
  const std::string path = ::getenv("PATH");
  ::setenv("PATH", "/nowhere", 1);
  CHECK_THROWS_WITH(runner_of("mpi"), Contains("openmpi-bin"));
  CHECK_THROWS_WITH(runner_of("pvm"), Contains("apt-get install pvm"));
  ::setenv("PATH", path.c_str(), 1);
  CHECK_THROWS_WITH(system_program(*find_system("mpi"), "none"),
                    Contains("nasvm-mpi-none is not beside this program: copy it there") &&
                        Contains("libopenmpi-dev") && Contains("make build"));
  CHECK_THROWS_WITH(system_program(*find_system("pvm"), "none"),
                    Contains("nasvm-pvm-none is not beside") && Contains("pvm-dev") && Contains("make build"));
}

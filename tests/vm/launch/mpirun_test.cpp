#include "vm/launch/mpirun.hpp"

#include <signal.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <optional>
#include <set>

#include "vm/transport/table.hpp"

using namespace nasvm;
using Catch::Contains;

namespace {

/// A program of the MPI test task; none where transport mpi is not built.
std::optional<Machine::Program> program_of(const std::string& body, int size, const std::string& transport = "mpi") {
  try {
    Machine::Program program;
    program.path = mpi_task_program("nasvm-mpi-test-task");
    program.size = size;
    program.transport = transport;
    program.setup = body;
    program.timeout = std::chrono::seconds(120);
    // Open MPI keeps memory to the end, which the address sanitizer would take for leaks of the tasks.
    program.environment = {"ASAN_OPTIONS=detect_leaks=0"};
    return program;
  } catch (const UsageError& error) {
    WARN("skipped: " << error.what());
    return std::nullopt;
  }
}

/// Files and folders that runs over MPI could leave behind.
std::set<std::string> traces() {
  std::set<std::string> found;
  for (const char* place : {"/tmp", "/dev/shm"}) {
    for (const auto& entry : std::filesystem::directory_iterator(place)) {
      const std::string name = entry.path().filename();
      const bool ours = name.starts_with("nasvm-mpi-" + std::to_string(::getpid()) + "-");
      if (ours || name.starts_with("ompi.") || name.starts_with("vader_segment")) found.insert(entry.path());
    }
  }
  return found;
}

struct Outcome {
  std::string text;
  Exit exit_status = Exit::ok;
  double seconds = 0;
};

/// Runs a program that must fail, calls `disturb` when its tasks run, and checks that nothing stays.
template <typename Disturb>
Outcome run_and_fail(const Machine::Program& program, Disturb disturb) {
  Outcome outcome;
  std::vector<long> pids;
  const std::set<std::string> before = traces();
  MpiRunner runner;
  auto begin = std::chrono::steady_clock::now();
  runner.on_start([&] {
    pids = runner.task_pids();
    pids.push_back(runner.mpirun_pid());
    begin = std::chrono::steady_clock::now();
    disturb(runner);
  });
  try {
    runner.run(program);
  } catch (const Error& error) {
    outcome.text = error.what();
    outcome.exit_status = error.exit_status();
  }
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (const long pid : pids) {
    INFO("process " << pid);
    CHECK(::kill(static_cast<pid_t>(pid), 0) != 0);
  }
  for (const std::string& trace : traces()) {
    // Other runs over MPI may come and go meanwhile; theirs are in other places.
    INFO(trace);
    CHECK((before.contains(trace) || trace.find("nasvm-mpi-") == std::string::npos));
  }
  CHECK(outcome.text.find('\n') == std::string::npos);
  return outcome;
}

const auto nothing = [](MpiRunner&) {};

}  // namespace

TEST_CASE("mpi conforms with its own collectives", "[mpi]") {
  for (const int ranks : {1, 2, 3, 5, 8, 16}) {
    const auto program = program_of("conformance", ranks);
    if (!program.has_value()) return;
    INFO(ranks << " ranks");
    REQUIRE_NOTHROW(MpiRunner().run(*program));
  }
}

TEST_CASE("mpi conforms with our collectives, and over TCP", "[mpi]") {
  for (const auto& [ranks, transport] : {std::pair{3, "mpi:collectives=ours"}, {8, "mpi:collectives=ours"},
                                         {2, "mpi:over=tcp"}, {4, "mpi:over=shm:collectives=mpi"}}) {
    const auto program = program_of("conformance", ranks, transport);
    if (!program.has_value()) return;
    INFO(ranks << " ranks, " << transport);
    REQUIRE_NOTHROW(MpiRunner().run(*program));
  }
}

TEST_CASE("mpi carries long messages", "[mpi]") {
  const auto program = program_of("long messages", 3);
  if (program.has_value()) REQUIRE_NOTHROW(MpiRunner().run(*program));
}

TEST_CASE("mpi carries messages beyond 4 GiB", "[mpi][large]") {
  const auto program = program_of("beyond 4 GiB", 2);
  if (program.has_value()) REQUIRE_NOTHROW(MpiRunner().run(*program));
}

TEST_CASE("tasks over mpi report by rank, short and long", "[mpi]") {
  const auto program = program_of("report rank", 3);
  if (!program.has_value()) return;
  MpiRunner runner;
  CHECK(runner.run(*program) == std::vector<std::string>{"rank 0 by mpi", "rank 1 by mpi", "rank 2 by mpi"});
  const auto reports = runner.run(*program_of("report long", 2));
  CHECK(reports.at(1) == std::string(3'000'000, 'b') + "end\n");
}

TEST_CASE("a killed task ends the run over mpi with a line that names it", "[mpi]") {
  const std::string body = GENERATE("wait forever", "compute forever");
  const auto program = program_of(body, 3);
  if (!program.has_value()) return;
  const auto outcome = run_and_fail(
      *program, [](MpiRunner& runner) { ::kill(static_cast<pid_t>(runner.task_pids()[1]), SIGKILL); });
  CHECK_THAT(outcome.text, Contains("rank 1") && Contains("killed by signal 9"));
  CHECK(outcome.exit_status == Exit::broken);
  CHECK(outcome.seconds < 5);
}

TEST_CASE("a killed mpirun ends the run with a line that names it", "[mpi]") {
  const auto program = program_of("talk forever", 3);
  if (!program.has_value()) return;
  const auto outcome =
      run_and_fail(*program, [](MpiRunner& runner) { ::kill(static_cast<pid_t>(runner.mpirun_pid()), SIGKILL); });
  CHECK_THAT(outcome.text, Contains("mpirun") && Contains("killed by signal 9"));
  CHECK(outcome.exit_status == Exit::broken);
  CHECK(outcome.seconds < 5);
}

TEST_CASE("a task over mpi that leaves early, gives up or receives too little ends the run", "[mpi]") {
  struct Case {
    std::string body, expected;
    Exit exit_status;
  };
  const auto [body, expected, exit_status] =
      GENERATE(Case{"exit early", "rank 2", Exit::broken},
               Case{"throw late", "this cannot be asked for", Exit::usage},
               Case{"receive too little", "does not fit its receive buffer of 20 bytes", Exit::broken});
  INFO(body);
  const auto program = program_of(body, 3);
  if (!program.has_value()) return;
  const auto outcome = run_and_fail(*program, nothing);
  CHECK_THAT(outcome.text, Contains(expected) && Contains("rank "));
  CHECK(outcome.exit_status == exit_status);
  CHECK(outcome.seconds < 5);
}

TEST_CASE("a run over mpi beyond its time-out is ended", "[mpi]") {
  auto program = program_of("compute forever", 2);
  if (!program.has_value()) return;
  program->timeout = std::chrono::milliseconds(300);
  const auto outcome = run_and_fail(*program, nothing);
  CHECK_THAT(outcome.text, Contains("time-out of 0.3"));
  CHECK(outcome.exit_status == Exit::broken);
  CHECK(outcome.seconds < 5);
}

TEST_CASE("an interrupt ends a run over mpi in good order", "[mpi]") {
  const auto program = program_of("talk forever", 3);
  if (!program.has_value()) return;
  const auto outcome = run_and_fail(*program, [](MpiRunner&) { ::kill(::getpid(), SIGINT); });
  CHECK_THAT(outcome.text, Contains("SIGINT"));
  CHECK(outcome.seconds < 5);
}

TEST_CASE("a program that is not there ends the run over mpi", "[mpi]") {
  auto program = program_of("report rank", 2);
  if (!program.has_value()) return;
  program->path = "/nowhere/program";
  const auto outcome = run_and_fail(*program, nothing);
  CHECK_THAT(outcome.text, Contains("mpirun"));
  CHECK(outcome.exit_status == Exit::broken);
}

TEST_CASE("without mpirun or the tasks' program, transport mpi says what to install", "[mpi]") {
  const std::string path = ::getenv("PATH");
  ::setenv("PATH", "/nowhere", 1);
  CHECK_THROWS_WITH(MpiRunner(), Contains("openmpi-bin"));
  ::setenv("PATH", path.c_str(), 1);
  CHECK_THROWS_WITH(mpi_task_program("no-such-program"), Contains("libopenmpi-dev") && Contains("make build"));
}

#include <signal.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>

#include "support/deadline.hpp"
#include "support/process.hpp"
#include "support/task_bodies.hpp"

using namespace nasvm;
using namespace nasvm::test;
using Catch::Contains;

namespace {

struct Outcome {
  std::string text;
  Exit exit_status = Exit::ok;
  bool in_time = false;  ///< nobody waited for something that was not to come
};

bool alive(long pid) { return ::kill(static_cast<pid_t>(pid), 0) == 0; }

/// Runs a program that must fail, calls `disturb` when its tasks run, and checks that no process stays.
template <typename Disturb>
Outcome run_and_fail(const Machine::Options& options, const Machine::Program& program, Disturb disturb) {
  Outcome outcome;
  std::vector<long> pids;
  Deadline deadline;
  {
    Machine machine(options);
    for (const HostFacts& host : machine.hosts()) pids.push_back(host.daemon_pid);
    machine.on_start([&] {
      const auto tasks = machine.task_pids();
      pids.insert(pids.end(), tasks.begin(), tasks.end());
      deadline = {};
      disturb(machine);
    });
    try {
      machine.run(program);
    } catch (const Error& error) {
      outcome.text = error.what();
      outcome.exit_status = error.exit_status();
    }
    REQUIRE_THROWS_AS(machine.run(program), RunError);
  }
  outcome.in_time = !deadline.passed();
  for (const long pid : pids) {
    INFO("process " << pid);
    CHECK_FALSE(alive(pid));
  }
  return outcome;
}

const auto nothing = [](Machine&) {};

}  // namespace

TEST_CASE("a killed task ends the run with a line that names it") {
  const std::string body = GENERATE("wait forever", "talk forever", "compute forever");
  const std::string transport = GENERATE("daemon", "direct", "shm");
  INFO(body << ", " << transport);
  const auto outcome = run_and_fail({two_hosts(2), "local"}, program_of(body, 4, transport), [](Machine& machine) {
    ::kill(static_cast<pid_t>(machine.task_pids()[2]), SIGKILL);
  });
  CHECK_THAT(outcome.text, Contains("rank 2") && Contains("127.0.0.2") && Contains("killed by signal 9"));
  CHECK(outcome.text.find('\n') == std::string::npos);
  CHECK(outcome.exit_status == Exit::broken);
  CHECK(outcome.in_time);
}

TEST_CASE("a killed daemon ends the run with a line that names it") {
  const std::string body = GENERATE("wait forever", "talk forever", "compute forever");
  const std::size_t which = GENERATE(0, 1);
  INFO(body << ", daemon " << which);
  const auto outcome = run_and_fail({two_hosts(2), "local"}, program_of(body, 4, "daemon"), [&](Machine& machine) {
    ::kill(static_cast<pid_t>(machine.hosts()[which].daemon_pid), SIGKILL);
  });
  CHECK_THAT(outcome.text, Contains("daemon of host 127.0.0." + std::to_string(which + 1)) && Contains("signal 9"));
  CHECK(outcome.exit_status == Exit::broken);
  CHECK(outcome.in_time);
}

TEST_CASE("what a task has started goes with a daemon that is killed") {
  pid_t started = 0;
  const auto program = program_of("start a process and wait", 2, "daemon");
  const auto outcome = run_and_fail({two_hosts(1), "local"}, program, [&](Machine& machine) {
    const auto task = static_cast<pid_t>(machine.task_pids()[1]);
    REQUIRE(eventually([&] {
      const auto found = descendants(task);
      if (!found.empty()) started = found.front();
      return started != 0;
    }));
    ::kill(static_cast<pid_t>(machine.hosts()[1].daemon_pid), SIGKILL);
  });
  CHECK_THAT(outcome.text, Contains("daemon of host 127.0.0.2") && Contains("signal 9"));
  REQUIRE(started != 0);
  CHECK_FALSE(alive(started));
}

TEST_CASE("a process that a task has started in the background does not end with another task") {
  std::string started;
  {
    Machine machine({});
    started = machine.run(program_of("keep a process beside", 3, "daemon"))[1];
  }
  REQUIRE_FALSE(started.empty());
  CHECK_FALSE(alive(std::stol(started)));
}

TEST_CASE("a stopped daemon ends the run with a line that names it") {
  const auto outcome =
      run_and_fail({two_hosts(1), "local"}, program_of("talk forever", 2, "daemon"),
                   [](Machine& machine) { ::kill(static_cast<pid_t>(machine.hosts()[1].daemon_pid), SIGSTOP); });
  CHECK_THAT(outcome.text, Contains("daemon of host 127.0.0.2 is stopped"));
  CHECK(outcome.exit_status == Exit::broken);
  CHECK(outcome.in_time);
}

TEST_CASE("a task that leaves early, gives up or receives too little ends the run") {
  struct Case {
    std::string body, expected;
    Exit exit_status;
  };
  const auto [body, expected, exit_status] =
      GENERATE(Case{"exit early", "exited with status 5", Exit::broken},
               Case{"leave without a word", "exited with status 0 without Task::finish or depart", Exit::broken},
               Case{"throw late", "this cannot be asked for", Exit::usage},
               Case{"throw an int", "something was thrown that is no std::exception", Exit::broken},
               Case{"throw lines", ": line one; line two", Exit::broken},
               Case{"fail with ok", "this is no success", Exit::broken},
               Case{"receive too little", "does not fit its receive buffer of 20 bytes", Exit::broken});
  INFO(body);
  const auto outcome = run_and_fail({}, program_of(body, 3, "direct"), nothing);
  CHECK_THAT(outcome.text, Contains(expected) && Contains("rank "));
  CHECK(outcome.exit_status == exit_status);
  CHECK(outcome.in_time);
}

TEST_CASE("who would finish together with a task that was killed, or has left alone, is told so") {
  const std::string body = GENERATE("kill a sibling", "leave one alone");
  const std::string transport = GENERATE("auto", "daemon", "direct");
  CAPTURE(body, transport);
  const auto outcome = run_and_fail({}, program_of(body, 3, transport), nothing);
  CHECK_THAT(outcome.text, Contains("task t1.2 has ended") && Contains("depart instead"));
  CHECK(outcome.exit_status == Exit::broken);
  CHECK(outcome.in_time);
}

TEST_CASE("a process that a task leaves behind holds no run, and goes with it") {
  auto program = program_of("leave a process behind", 3, GENERATE("daemon", "direct", "shm"));
  std::string left;
  {
    Machine machine({});
    left = machine.run(program).back();
    CHECK(machine.run(program).size() == 3);  // the machine is whole
  }
  REQUIRE_FALSE(left.empty());
  CHECK_FALSE(alive(std::stol(left)));
}

TEST_CASE("a task's words are told also where they are not UTF-8") {
  const auto outcome = run_and_fail({}, program_of("throw bytes", 2, "direct"), nothing);
  CHECK_THAT(outcome.text, Contains("no file \"caf\xef\xbf\xbd\" there"));
}

TEST_CASE("a task that gives up is named, though nobody takes what it was sending, whose memory is gone") {
  const auto outcome = run_and_fail({}, program_of("fail without its buffer", 2, "daemon"), nothing);
  // Its last words need room in a socket that is full, which not every system gives.
  CHECK_THAT(outcome.text, Contains("rank 0") && (Contains("it is over") || Contains("exited with status 3")));
  CHECK(outcome.exit_status == Exit::broken);
  CHECK(outcome.in_time);
}

TEST_CASE("a run beyond its time-out is ended") {
  auto program = program_of("compute forever", 2, "direct");
  program.timeout = std::chrono::milliseconds(300);
  program.timeout_option = GENERATE("", "--timeout");
  const auto outcome = run_and_fail({}, program, nothing);
  CHECK_THAT(outcome.text, Contains("time-out of 0.3 s"));
  CHECK((outcome.text.find("(--timeout)") == std::string::npos) == program.timeout_option.empty());
  CHECK(outcome.exit_status == Exit::broken);
  CHECK(outcome.in_time);
}

TEST_CASE("where tasks stand still at the time-out is told") {
  auto program = program_of("wait for another tag", 3, GENERATE("daemon", "direct", "shm"));
  program.timeout = std::chrono::milliseconds(300);
  // In full, and not while a task is on its way there, on a machine that takes longer than that.
  const auto rank_0 = Contains(
      ": rank 0 waits for a message from rank 1 with tag 6 (a message from rank 1 with tag 5 has come, and is not "
      "received); rank 1 waits for ");
  const auto others = Contains(" in finish; rank 2 computes, or does not look at messages");
  const auto is_told = rank_0 && others;
  std::string text;
  do {
    program.timeout *= 2;
    text = run_and_fail({}, program, nothing).text;
  } while (!is_told.match(text) && program.timeout < std::chrono::minutes(2));
  CHECK_THAT(text, is_told);
}

TEST_CASE("an interrupt ends the run in good order") {
  const auto outcome =
      run_and_fail({}, program_of("talk forever", 3, "daemon"), [](Machine&) { ::kill(::getpid(), SIGINT); });
  CHECK_THAT(outcome.text, Contains("SIGINT"));
  CHECK(outcome.in_time);
}

TEST_CASE("an interrupt tells where the tasks of a program stand that has no time-out") {
  auto program = program_of("wait for another tag", 3, GENERATE("daemon", "direct", "shm"));
  program.timeout = std::chrono::milliseconds(0);
  const auto rank_0 = Contains("interrupted by SIGINT: rank 0 waits for a message from rank 1 with tag 6");
  const auto rank_2 = Contains("; rank 2 computes, or does not look at messages");
  const auto is_told = rank_0 && rank_2;
  std::string text;
  Deadline deadline;
  do {  // not while a task is on its way there
    text = run_and_fail({}, program, [](Machine&) { ::kill(::getpid(), SIGINT); }).text;
  } while (!is_told.match(text) && !deadline.passed());
  CHECK_THAT(text, is_told);
}

TEST_CASE("a machine has a host") {
  Machine::Options options;
  options.hosts = {};
  CHECK_THROWS_AS(Machine(options), UsageError);
}

TEST_CASE("a program that is not there ends the run") {
  auto program = program_of("report rank", 2, "daemon");
  program.path = "/nowhere/program";
  const auto outcome = run_and_fail({}, program, nothing);
  CHECK_THAT(outcome.text,
             Contains("daemon of host ") && Contains(": cannot run /nowhere/program: No such file or directory"));
  CHECK(outcome.exit_status == Exit::broken);
}

TEST_CASE("an unknown transport is refused by the tasks too") {
  const auto outcome = run_and_fail({}, program_of("report rank", 2, "pigeon"), nothing);
  CHECK_THAT(outcome.text, Contains("pigeon") && Contains("direct"));
  CHECK(outcome.exit_status == Exit::usage);
}

TEST_CASE("a host that is not this one is refused by the local launcher") {
  Machine::Options options;
  options.hosts = {{"elsewhere", "192.0.2.1", 1}};
  REQUIRE_THROWS_WITH(Machine(options), Contains("elsewhere") && Contains("127.0.0.1"));
}

TEST_CASE("two machines of one user do not disturb each other") {
  Machine first({});
  Machine second({});
  REQUIRE(first.run(program_of("report rank", 2, "daemon")).size() == 2);
  REQUIRE(second.run(program_of("report rank", 3, "direct")).size() == 3);
  REQUIRE(first.run(program_of("report rank", 4, "direct")).size() == 4);
}

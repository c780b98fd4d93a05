/// Kept machines as their users have them: a keeper in the background, daemons under loopback addresses, clients.

#include "vm/keeper/keeper.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/task_bodies.hpp"
#include "vm/keeper/keeper_fixture.hpp"
#include "vm/version.hpp"

using namespace nasvm;
using namespace nasvm::keeper;
using namespace nasvm::test;
using Catch::Contains;

TEST_CASE("a kept machine runs one program after the other, and ends when it is told to", "[keeper]") {
  Fixture fixture;
  for (int run = 0; run < 2; ++run) {
    KeptMachine machine("work");
    std::size_t started = 0;
    machine.on_start([&] { started = machine.task_pids().size(); });
    CHECK(machine.run(program_of("report rank", 3, "direct")).size() == 3);
    CHECK(machine.run(program_of("report rank", 4, "daemon")).size() == 4);
    CHECK(started == 4);
  }
  CHECK(stop_machine("work") == Ending::stopped);
  CHECK(fixture.all_gone());
  CHECK_THROWS_WITH(KeptMachine("work"), Contains("nasvm vm start work"));
}

TEST_CASE("tasks of a kept machine have the file mode mask of who has started it", "[keeper]") {
  const mode_t before = ::umask(027);
  Fixture fixture;
  ::umask(before);
  std::string mask;
  KeptMachine machine("work");
  machine.on_start([&] {
    const long task = machine.task_pids()[1];
    std::ifstream status("/proc/" + std::to_string(task) + "/status");
    for (std::string word; mask.empty() && status >> word;) {
      if (word == "Umask:") status >> mask;
    }
    ::kill(static_cast<pid_t>(task), SIGKILL);
  });
  CHECK_THROWS_WITH(machine.run(program_of("talk forever", 2, "daemon")), Contains("rank 1"));
  CHECK(mask == "0027");
  const auto socket = std::filesystem::status(RuntimeFolder("work").path("socket"));
  CHECK(socket.permissions() == std::filesystem::perms::owner_all);
}

TEST_CASE("after a run that has failed a kept machine runs the next one", "[keeper]") {
  Fixture fixture;
  KeptMachine machine("work");
  machine.on_start([&] { ::kill(static_cast<pid_t>(machine.task_pids()[1]), SIGKILL); });
  CHECK_THROWS_WITH(machine.run(program_of("talk forever", 3, "daemon")), Contains("rank 1"));
  machine.on_start({});
  CHECK_THROWS_AS(machine.run(program_of("throw late", 3, "direct")), UsageError);
  CHECK(machine.run(program_of("report rank", 3, "daemon")).size() == 3);
}

TEST_CASE("a kept machine survives the loss of a host, and says so", "[keeper]") {
  Fixture fixture(3);
  ::kill(fixture.daemons[1], SIGKILL);
  REQUIRE(eventually([] { return hosts_up("work") == 2; }));
  KeptMachine machine("work");
  CHECK_THAT(machine.state().hosts[1].lost, Contains("127.0.0.2 is gone"));
  CHECK(machine.run(program_of("report rank", 4, "daemon")).size() == 4);
}

TEST_CASE("a keeper that has lost all hosts ends, and its machine says why", "[keeper]") {
  const RuntimeFixture runtime;
  start_machine("work", {});
  const State state = KeptMachine("work").state();
  ::kill(static_cast<pid_t>(state.hosts[0].facts.pid), SIGKILL);
  REQUIRE(eventually([&] { return !is_running(static_cast<pid_t>(state.pid)); }));
  CHECK_THROWS_WITH(KeptMachine("work"), Contains("no host is left") && Contains("nasvm vm start work"));
  CHECK(stop_machine("work") == Ending::cleared);
  CHECK(runtime.is_empty());
}

TEST_CASE("a kept machine grows and shrinks", "[keeper]") {
  Fixture fixture(1);
  KeptMachine machine("work");
  machine.add({local_host(2), local_host(3)});
  CHECK(machine.look().hosts.size() == 3);
  machine.remove({"127.0.0.1"});
  CHECK(hosts_of(machine.look()).size() == 2);
  CHECK(machine.run(program_of("report rank", 2, "daemon")).size() == 2);
  CHECK_THROWS_AS(machine.remove({"127.0.0.9"}), UsageError);
}

TEST_CASE("clients wait for each other, and a program whose client is killed ends", "[keeper]") {
  Fixture fixture;
  const pid_t first = in_another_process([] {
    KeptMachine machine("work");
    (void)machine.run(program_of("talk forever", 2, "daemon"));
  });
  REQUIRE(eventually([] { return KeptMachine("work").state().tasks.size() == 2; }));
  const pid_t second = in_another_process([] {
    KeptMachine machine("work");
    (void)machine.run(program_of("report rank", 2, "daemon"));
  });
  REQUIRE(eventually([] { return jobs_of("work") == 2; }));
  ::kill(first, SIGKILL);
  CHECK(status_of(first) == -SIGKILL);
  CHECK(status_of(second) == 0);
  CHECK(eventually([] { return jobs_of("work") == 0; }));
}

TEST_CASE("a machine that is stopped ends its program, and who waits is told", "[keeper]") {
  Fixture fixture;
  const auto run_for_ever = [] {
    KeptMachine machine("work");
    (void)machine.run(program_of("talk forever", 2, "daemon"));
  };
  const pid_t first = in_another_process(run_for_ever);
  REQUIRE(eventually([] { return jobs_of("work") == 1; }));
  const pid_t second = in_another_process(run_for_ever);
  REQUIRE(eventually([] { return jobs_of("work") == 2; }));
  CHECK(stop_machine("work") == Ending::stopped);
  CHECK(status_of(first) == static_cast<int>(Exit::broken));
  CHECK(status_of(second) == static_cast<int>(Exit::broken));
}

TEST_CASE("a keeper that is killed leaves no process, and its name can be taken again", "[keeper]") {
  Fixture fixture;
  ::kill(fixture.keeper_pid, SIGKILL);
  CHECK(eventually([&] { return fixture.all_gone(); }));
  CHECK_THROWS_WITH(KeptMachine("work"), Contains("was killed") && Contains("nasvm vm start work"));
  start_machine("work", fixture.options);
  CHECK(hosts_up("work") == 2);
  CHECK(stop_machine("work") == Ending::stopped);
}

TEST_CASE("SIGTERM stops a keeper in good order", "[keeper]") {
  Fixture fixture;
  ::kill(fixture.keeper_pid, SIGTERM);
  CHECK(eventually([&] { return fixture.all_gone() && fixture.runtime.is_empty(); }));
}

TEST_CASE("a keeper whose folder is removed ends, and leaves that of the next one alone", "[keeper]") {
  Fixture fixture;
  const std::string folder = fixture.runtime.folder + "/nasvm";
  SECTION("the folder") { std::filesystem::remove_all(folder); }
  SECTION("the lock alone") { std::filesystem::remove(folder + "/work/lock"); }
  SECTION("while a program runs") {
    KeptMachine machine("work");
    machine.on_start([&] { std::filesystem::remove_all(folder); });
    CHECK_THROWS_WITH(machine.run(program_of("talk forever", 2, "daemon")), Contains("somebody has removed"));
  }
  start_machine("work", {});
  CHECK(eventually([&] { return fixture.all_gone(); }));
  CHECK(hosts_up("work") == 1);
  CHECK(stop_machine("work") == Ending::stopped);
}

TEST_CASE("a name is taken once, and a start that fails leaves nothing and says why", "[keeper]") {
  Fixture fixture;
  CHECK_THROWS_WITH(start_machine("work", {}), Contains("is there already"));
  Machine::Options wrong;
  wrong.hosts = {{"far", "192.0.2.1", 1}};
  CHECK_THROWS_WITH(start_machine("other", wrong), Contains("is not this host"));
  CHECK(names_of_machines() == std::vector<std::string>{"work"});
}

TEST_CASE("who asks for a machine that is not there is told which are", "[keeper]") {
  Fixture fixture(1);
  CHECK_THROWS_WITH(KeptMachine("other"), Contains("no machine \"other\" (but: work)"));
}

TEST_CASE("a keeper that is starting ends in good order", "[keeper]") {
  const RuntimeFixture runtime;
  const pid_t starter = in_another_process([] {
    Machine::Options options;
    options.hosts = {{.name = "far", .address = {}, .slots = 1}};
    options.launcher = "ssh";
    options.rsh = "/usr/bin/tail -f /dev/null";  // never brings a daemon up
    options.interface = "lo";
    start_machine("work", options);
  });
  REQUIRE(eventually([] { return RuntimeFolder("work").holder().value_or(0) > 0; }));
  CHECK(stop_machine("work") == Ending::stopped);
  CHECK(status_of(starter) == static_cast<int>(Exit::broken));
  CHECK(runtime.is_empty());
}

TEST_CASE("a keeper that hangs is killed", "[keeper]") {
  Fixture fixture;
  ::kill(fixture.keeper_pid, SIGSTOP);
  CHECK(stop_machine("work") == Ending::killed);
}

TEST_CASE("what tasks write reaches who runs them", "[keeper]") {
  Fixture fixture;
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  const net::Fd out(ends[0]);
  net::Fd in(ends[1]);
  const pid_t client = in_another_process([&] {
    ::dup2(in.get(), STDERR_FILENO);
    auto program = program_of("report rank", 1, "daemon");
    program.path = "/bin/sh";
    program.arguments = {"-c", "echo said by a task >&2"};
    KeptMachine("work").run(program);
  });
  in.reset();
  CHECK(status_of(client) == static_cast<int>(Exit::broken));
  std::string text(1000, '\0');
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::read(out.get(), text.data(), text.size()))));
  CHECK_THAT(text, Contains("said by a task"));
}

TEST_CASE("who wants to hear what tasks write gets it line by line", "[keeper]") {
  Fixture fixture;
  KeptMachine machine("work");
  std::vector<std::string> lines;
  machine.on_remark([&](const std::string& line) { lines.push_back(line); });
  auto program = program_of("report rank", 1, "daemon");
  program.path = "/bin/sh";
  program.arguments = {"-c", "printf on >&2; printf 'e\\n\\ntwo' >&2"};
  CHECK_THROWS_AS(machine.run(program), RunError);
  CHECK(lines == std::vector<std::string>{"one", "", "two"});
}

TEST_CASE("a client of another version is refused, and both are named", "[keeper]") {
  Fixture fixture;
  const RuntimeFolder folder("work");
  const auto refused = std::get<Failed>(PlainClient(folder).answer_to(Greeting{"9.9 (other)", 1, "nasvm"}));
  CHECK(refused.exit == Exit::usage);
  CHECK_THAT(refused.text, Contains("9.9 (other)") && Contains(std::string(build_version())));
  const auto early = std::get<Failed>(PlainClient(folder).answer_to(keeper::Status{}));
  CHECK_THAT(early.text, Contains("greeting"));
  CHECK(hosts_up("work") == 2);
}

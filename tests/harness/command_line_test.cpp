/// \file
/// The program as users and scripts meet it: exit statuses, one clear line, nothing left behind.

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>
#include <vector>

#include "fake_executor.hpp"
#include "harness/text.hpp"
#include "kernels/kernel.hpp"
#include "support/core_limit.hpp"
#include "support/process.hpp"
#include "support/skip.hpp"

using namespace nasvm::test;
using Catch::Contains;

namespace {

ProcessResult run_nasvm(const std::vector<std::string>& arguments) {
  return run_process(built_program("nasvm"), arguments);
}

struct TemporaryFile {
  explicit TemporaryFile(const std::string& text) { std::ofstream(path) << text; }
  ~TemporaryFile() { std::remove(path.c_str()); }
  std::string path = "/tmp/nasvm-test-" + std::to_string(::getpid());
};

/// "ep, mg, ...": the names of the table.
std::string kernel_list() { return nasvm::joined(nasvm::names_of(nasvm::kernels())); }

}  // namespace

TEST_CASE("a small run of everything verifies") {
  const auto result = run_nasvm({"run", "all", "--class", "S", "--np", "3", "--transport", "daemon,direct"});
  INFO(result.err);
  CHECK(result.exit_status == 0);
  const std::string runs = std::to_string(2 * nasvm::kernels().size());
  CHECK_THAT(result.out, Contains(runs + " of " + runs + " runs verified") && Contains("daemon/direct"));
}

TEST_CASE("volume and messages are those that the kernels' documentation derives, over every transport") {
  const std::string np = GENERATE("2", "7", "8");
  const auto result =
      run_nasvm({"run", "all", "--class", "S", "--np", np, "--transport", "daemon,direct", "--format", "json"});
  INFO(result.err);
  REQUIRE(result.exit_status == 0);
  const auto document = nasvm::from_json(result.out, "standard output");
  const auto& runs = document.records<nasvm::RunRecord>();
  REQUIRE(runs.size() == 2 * nasvm::kernels().size());
  for (const nasvm::RunRecord& run : runs) {
    INFO(run.kernel << " over " << run.transport << ", " << np << " tasks");
    const auto derived = nasvm::find_kernel(run.kernel)->traffic({}, run.np);
    CHECK(run.comm.messages == derived.messages);
    if (derived.exact) {
      CHECK(run.comm.volume_bytes == derived.volume_bytes);
    } else {
      // IS: where a key goes depends on its value; about one in NP stays where it is.
      const auto tasks = static_cast<std::uint64_t>(run.np);
      CHECK(run.comm.volume_bytes <= derived.volume_bytes);
      CHECK(run.comm.volume_bytes > derived.volume_bytes * (tasks - 1) / tasks * 9 / 10);
    }
    REQUIRE(run.comm.by_method.size() == 1);
    CHECK(run.comm.by_method.at(run.transport).bytes == run.comm.volume_bytes);
    CHECK(run.comm.by_method.at(run.transport).messages == run.comm.messages);
  }
}

TEST_CASE("wrong usage is one line and status 2") {
  struct Wrong {
    std::vector<std::string> arguments;
    std::string expected;
  };
  const auto wrong = GENERATE(values<Wrong>({
      {{"run", "ep", "--class", "Q"}, "Q"},
      {{"run", "lu"}, kernel_list()},
      {{"run", "ep", "--transport", "pigeon"}, "direct, daemon"},
      {{"run", "ep", "--np", "0"}, "np"},
      {{"run", "ep", "--np", "-4"}, "np"},
      {{"run", "ep", "--np", "1000000"}, "np"},
      {{"run", "ep", "--np", "many"}, "np"},
      {{"run", "ep", "--hostfile", "/nowhere/hosts"}, "/nowhere/hosts"},
      {{"run", "ep", "--launcher", "pigeon"}, "local"},
      {{"compare", "/nowhere/a.json"}, "/nowhere/a.json"},
      {{"exec", "-n", "2", "--"}, "PROGRAM is required"},
      {{"exec", "-x", "=3", "--", "/bin/true"}, "-x =3: a variable has a name"},
      {{"mpiexec", "-n", "2", "-x", "=3", "/bin/true"}, "-x =3: a variable has a name"},
      {{"fly"}, "run"},
  }));
  const auto result = run_nasvm(wrong.arguments);
  INFO(result.err);
  CHECK(result.exit_status == 2);
  CHECK(result.out.empty());
  CHECK_THAT(result.err, Contains(wrong.expected));
  CHECK(std::ranges::count(result.err, '\n') == 1);
}

TEST_CASE("control characters of wrong input do not reach the terminal") {
  const auto result = run_nasvm({"run", "\x1b[31mep"});
  CHECK(result.exit_status == 2);
  CHECK(result.err.find('\x1b') == std::string::npos);
  CHECK_THAT(result.err, Contains("?[31mep"));
}

TEST_CASE("a nonsense hostfile is one line and status 2") {
  const TemporaryFile file("127.0.0.1 slots=two\n");
  const auto result = run_nasvm({"run", "ep", "--class", "S", "--hostfile", file.path});
  CHECK(result.exit_status == 2);
  CHECK_THAT(result.err, Contains(file.path + ":1") && Contains("slots"));
  CHECK(std::ranges::count(result.err, '\n') == 1);
}

TEST_CASE("a working folder that does not exist any more is one line and status 2") {
  const std::string words = GENERATE(as<std::string>{}, "exec --np 2 -- /bin/true", "io --np 2");
  const Folder folder;
  const auto result = run_process("/bin/sh", {"-c", R"(mkdir "$1" && cd "$1" && rmdir "$1" && exec "$0" )" + words,
                                              built_program("nasvm"), folder.file("gone")});
  CHECK(result.exit_status == 2);
  CHECK(result.err == "nasvm: the working folder does not exist any more: go to another one\n");
}

TEST_CASE("where files may not grow, tasks go on without memory in common, and say why there is no checkpoint") {
  const Folder folder;
  const auto limited = [](const std::vector<std::string>& words) {
    std::vector<std::string> arguments{"-c", R"(ulimit -f 1; exec "$0" "$@")", built_program("nasvm")};
    arguments.insert(arguments.end(), words.begin(), words.end());
    return run_process("/bin/sh", arguments);
  };
  const auto run = limited({"run", "ep", "--class", "S", "--np", "2", "--transport", "auto"});
  INFO(run.err);
  CHECK(run.exit_status == 0);
  const auto kept = limited(
      {"run", "ft", "--class", "S", "--np", "2", "--transport", "direct", "--checkpoint", folder.file("checkpoint")});
  INFO(kept.err);
  CHECK(kept.exit_status == 3);
  CHECK_THAT(kept.err, Contains("File too large"));
}

TEST_CASE("a run across two daemons verifies") {
  const TemporaryFile file("127.0.0.1 slots=2\n127.0.0.2 slots=1\n");
  const auto result =
      run_nasvm({"run", "is", "--class", "S", "--np", "5", "--transport", "daemon", "--hostfile", file.path});
  INFO(result.err);
  CHECK(result.exit_status == 0);
}

TEST_CASE("a run ends also where whoever started it ignores SIGCHLD") {
  const auto result = run_process("/usr/bin/env", {"--ignore-signal=CHLD", built_program("nasvm"), "run", "ep",
                                                   "--class", "S", "--np", "2", "--transport", "shm,direct,daemon"});
  INFO(result.err);
  CHECK(result.exit_status == 0);
}

TEST_CASE("whatever ends the program, nothing of it stays") {
  const int signal = GENERATE(SIGKILL, SIGINT, SIGTERM, SIGHUP);
  INFO("signal " << signal);
  const pid_t pid = start_process_quietly(built_program("nasvm"),
                                          {"run", "ep", "--class", "F", "--np", "3", "--transport", "direct"});
  // Itself, a daemon, three tasks.
  REQUIRE(eventually([&] { return descendants(pid).size() == 4; }));
  const auto started = descendants(pid);
  ::kill(pid, signal);
  int status = 0;
  CHECK(eventually([&] { return ::waitpid(pid, &status, WNOHANG) == pid; }));
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == signal);
  CHECK(eventually([&] { return std::ranges::none_of(started, is_running); }));
}

TEST_CASE("nothing of the program leaves a core dump, unless its user wants it to") {
  const CoreDumps dumps = GENERATE(CoreDumps::unwanted, CoreDumps::wanted);
  const CoreDumpSetting setting(dumps);
  if (setting.hard_limit() <= 1) return skip("core dumps are forbidden here");
  const pid_t pid = start_process_quietly(built_program("nasvm"), {"run", "ep", "--class", "F", "--np", "1"});
  // A daemon and a task.
  CHECK(eventually([&] { return descendants(pid).size() == 2; }));
  std::vector<pid_t> started = descendants(pid);
  started.push_back(pid);
  for (const pid_t process : started) {
    CHECK(core_limit(process) == (dumps == CoreDumps::wanted ? setting.hard_limit() : 1));
  }
  ::kill(pid, SIGTERM);
  CHECK(eventually([&] { return ::waitpid(pid, nullptr, WNOHANG) == pid; }));
}

TEST_CASE("a task or a daemon that is killed ends the program with status 3") {
  const bool daemon = GENERATE(false, true);
  const pid_t pid = start_process_quietly(built_program("nasvm"),
                                          {"run", "ep", "--class", "F", "--np", "3", "--transport", "daemon"});
  REQUIRE(eventually([&] { return descendants(pid).size() == 4; }));
  const auto started = descendants(pid);
  ::kill(daemon ? started.front() : started.back(), SIGKILL);
  int status = 0;
  REQUIRE(eventually([&] { return ::waitpid(pid, &status, WNOHANG) == pid; }));
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 3);
  CHECK(eventually([&] { return std::ranges::none_of(started, is_running); }));
}

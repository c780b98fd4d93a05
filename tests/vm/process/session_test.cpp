#include "vm/process/session.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "support/deadline.hpp"
#include "support/process.hpp"
#include "vm/process/line_reader.hpp"

using namespace nasvm;
using namespace nasvm::process;
using namespace std::chrono_literals;

namespace {

/// A session of a shell that carries out `script`.
StartOptions shell(const std::string& script, std::vector<std::string> environment = {}) {
  return {.program = "/bin/sh", .arguments = {"-c", script}, .environment = std::move(environment)};
}

/// All that the session prints, line by line, until both streams have ended.
struct Listener {
  explicit Listener(Session& session)
      : output(session.take_output(), poller, [this](std::string line) { lines.push_back(std::move(line)); }),
        error(session.take_error(), poller, [this](std::string line) { complaints.push_back(std::move(line)); }) {}
  template <typename Done>
  void listen_until(Done done) {
    for (test::Deadline deadline; !done() && !deadline.passed();) (void)poller.wait(1s);
    REQUIRE(done());
  }
  void listen_to_end() {
    listen_until([this] { return output.at_end() && error.at_end(); });
  }
  net::Poller poller;
  std::vector<std::string> lines, complaints;
  LineReader output, error;
};

int wait_for_end(Session& session) {
  std::optional<int> status;
  REQUIRE(test::eventually([&] { return (status = session.ended()).has_value(); }));
  return *status;
}

}  // namespace

TEST_CASE("what a session prints comes line by line", "[process]") {
  Session session(shell("echo one; printf 'tw'; echo o >&2; printf 'o\\n\\nlast'"));
  Listener listener(session);
  listener.listen_to_end();
  CHECK(listener.lines == std::vector<std::string>{"one", "two", "", "last"});
  CHECK(listener.complaints == std::vector<std::string>{"o"});
  CHECK(wait_for_end(session) == 0);
}

TEST_CASE("a session has its own environment, no input, and an exit status", "[process]") {
  Session session(shell("read line && exit 1; echo \"$GREETING\"; exit 7", {"GREETING=hello"}));
  Listener listener(session);
  listener.listen_to_end();
  CHECK(listener.lines == std::vector<std::string>{"hello"});
  CHECK(WEXITSTATUS(wait_for_end(session)) == 7);
}

TEST_CASE("a session ends whole, also what its program has started", "[process]") {
  std::vector<pid_t> pids;
  {
    Session session(shell("trap '' TERM; sleep 1000 & echo $!; (trap '' TERM; sleep 1000) & echo $!; wait",
                          {"PATH=/usr/bin:/bin"}));
    Listener listener(session);
    listener.listen_until([&] { return listener.lines.size() >= 2; });
    for (const std::string& line : listener.lines) pids.push_back(std::stoi(line));
    pids.push_back(session.pid());
    for (const pid_t pid : pids) CHECK(::kill(pid, 0) == 0);
  }
  for (const pid_t pid : pids) {
    INFO("process " << pid);
    CHECK(test::eventually([pid] { return ::kill(pid, 0) != 0; }));  // the system's first process buries orphans
  }
}

TEST_CASE("a program that is not there shows as status 127", "[process]") {
  Session session({.program = "/nowhere/program"});
  CHECK(WEXITSTATUS(wait_for_end(session)) == 127);
}

TEST_CASE("the number of a session is nobody else's until all of it has been ended", "[process]") {
  Session session(shell("exit 3"));
  CHECK(WEXITSTATUS(wait_for_end(session)) == 3);
  CHECK(::kill(session.pid(), 0) == 0);
  session.kill_all();
  CHECK(::kill(session.pid(), 0) != 0);
  CHECK(WEXITSTATUS(wait_for_end(session)) == 3);
}

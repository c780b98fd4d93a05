#include "vm/process/job.hpp"

#include <signal.h>
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "support/deadline.hpp"
#include "support/process.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using namespace nasvm::process;
using namespace std::chrono_literals;

namespace {

template <typename Done>
void wait_until(net::Poller& poller, Done done) {
  for (test::Deadline deadline; !done() && !deadline.passed();) (void)poller.wait(10ms);
  REQUIRE(done());
}

/// A job of a shell, and what it says.
struct Heard {
  explicit Heard(const std::string& script)
      : job(
            {.program = "/bin/sh", .arguments = {"-c", script}, .death_signal = SIGTERM}, poller,
            [this](std::string line) { output.push_back(std::move(line)); },
            [this](std::string line) { error.push_back(std::move(line)); }) {}

  int run_to_end() {
    std::optional<int> wait_status;
    wait_until(poller, [&] { return (wait_status = job.ended()).has_value(); });
    return *wait_status;
  }

  net::Poller poller;
  std::vector<std::string> output, error;
  Job job;
};

}  // namespace

TEST_CASE("a job has ended when all it said has been heard", "[process]") {
  Heard heard("seq 20000; echo bye >&2; exit 3");
  CHECK(WEXITSTATUS(heard.run_to_end()) == 3);
  CHECK(heard.output.size() == 20000);
  CHECK(heard.error == std::vector<std::string>{"bye"});
  CHECK(heard.job.ending());
}

TEST_CASE("a job whose pipes others hold open has ended all the same", "[process]") {
  Heard heard("sleep 1000 & exit 0");
  CHECK(heard.run_to_end() == 0);
}

TEST_CASE("a job ends in its own way when it is asked to", "[process]") {
  Heard heard("trap 'echo over; exit 0' TERM; echo begun; while :; do sleep 0.01; done");
  wait_until(heard.poller, [&] { return !heard.output.empty(); });
  heard.job.end(60s);
  CHECK(heard.run_to_end() == 0);  // what it said last may still be in the pipe
  CHECK(heard.output.back() == "over");
}

TEST_CASE("a job that does not end when it is asked to is ended", "[process]") {
  Heard heard("trap '' TERM; echo begun; while :; do sleep 1000; done");
  wait_until(heard.poller, [&] { return !heard.output.empty(); });
  CHECK_FALSE(heard.job.ending());
  heard.job.end(10ms);
  CHECK_FALSE(test::is_running(heard.job.pid()));
}

TEST_CASE("an error that is noticed while a job ends changes nothing", "[process]") {
  net::Poller poller;
  std::vector<std::string> output;
  Job job(
      {.program = "/bin/sh",
       .arguments = {"-c", "trap 'echo last words' TERM; echo begun; while :; do sleep 0.01; done"}},
      poller,
      [&](std::string line) {
        output.push_back(std::move(line));
        if (output.size() > 1) throw RunError("an interruption");
      },
      [](const std::string&) {});
  wait_until(poller, [&] { return !output.empty(); });
  CHECK_NOTHROW(job.end(500ms));
  CHECK_FALSE(test::is_running(job.pid()));
}

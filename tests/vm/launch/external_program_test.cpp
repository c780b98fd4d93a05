#include "vm/launch/external_program.hpp"

#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "vm/launch/machine.hpp"
#include "vm/launch/signal_watch.hpp"
#include "vm/process/pipe.hpp"

using namespace nasvm;
using namespace std::chrono_literals;

namespace {

process::StartOptions shell(const std::string& script) {
  process::StartOptions options;
  options.program = "/bin/sh";
  options.arguments = {"-c", script};
  return options;
}

}  // namespace

TEST_CASE("a program's lines and its end are what it was run for", "[launch]") {
  const ProgramResult result = run_program(shell("echo a; echo b; echo c >&2; exit 5"), 0ms);
  CHECK(result.output == std::vector<std::string>{"a", "b"});
  CHECK(result.errors == std::vector<std::string>{"c"});
  CHECK(result.exit_status == 5);
  CHECK_FALSE(result.ended_well);
}

TEST_CASE("a program goes on beside others, and is heard when it is waited for", "[launch]") {
  ProgramBeside beside(shell("echo before; read line; echo $line"), 1s);
  CHECK(run_program(shell("echo meanwhile"), 0ms).output == std::vector<std::string>{"meanwhile"});
  const ProgramResult result = beside.to_its_end();
  CHECK(result.output == std::vector<std::string>{"before", ""});  // it has no input
  CHECK(result.ended_well);
}

TEST_CASE("a program beside others that nobody waits for is asked to end, and does before that returns", "[launch]") {
  const process::Pipe pipe;
  const std::string there = " >&" + std::to_string(pipe.write.get());
  const auto heard = [&] {
    std::array<char, 16> text{};
    const ssize_t got = ::read(pipe.read.get(), text.data(), text.size());
    return std::string(text.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  };
  {
    process::StartOptions options =
        shell("trap 'echo ended" + there + "; exit' TERM; echo up" + there + "; while :; do sleep 0.01; done");
    options.kept = {pipe.write.get()};
    const ProgramBeside beside(std::move(options), 30s);
    CHECK(heard() == "up\n");
  }
  CHECK(heard() == "ended\n");
}

TEST_CASE("who waits for a program beside others can be interrupted, and it ends", "[launch]") {
  const SignalHold hold;
  ProgramBeside beside(shell("kill -TERM $PPID; while :; do sleep 0.01; done"), 1s);
  CHECK_THROWS_AS(beside.to_its_end(), Interrupted);
}

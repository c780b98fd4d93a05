#include "harness/commands/vm/vm.hpp"

#include <catch2/catch.hpp>
#include <sstream>

#include "harness/commands.hpp"
#include "harness/commands/vm/options.hpp"
#include "harness/commands/vm/report.hpp"
#include "harness/program.hpp"
#include "vm/keeper/runtime_fixture.hpp"

using namespace nasvm;
using Catch::Contains;

namespace {

struct VmOutcome {
  int status = 0;
  std::string out, err;
};

/// The program with nothing but `nasvm vm`, whose standard input is `input`.
VmOutcome outcome_of(const std::string& input, const std::vector<std::string>& words = {}) {
  std::istringstream stream(input);
  const std::vector<CommandRow> rows{vm_command(stream)};
  std::vector<std::string> arguments{"nasvm", "vm"};
  arguments.insert(arguments.end(), words.begin(), words.end());
  VmOutcome outcome;
  Console console;
  console.out = [&](std::string_view text) { outcome.out += text; };
  console.err = [&](std::string_view text) { outcome.err += text; };
  outcome.status = program(arguments, {rows, formats()}, console);
  return outcome;
}

keeper::State state() {
  keeper::HostState up, lost;
  up.host.name = "node1";
  up.facts.cores = 4;
  lost.host.name = "node2";
  lost.lost = "it has gone";
  keeper::State state;
  state.name = "work";
  state.pid = 42;
  state.hosts = {up, lost};
  state.jobs = {{"nasvm run ep --vm", 7, 0}, {"nasvm p2p --vm", 8, 0}};
  state.tasks = {{Tid::task(1, 3), 0, "node1", 99}};
  return state;
}

}  // namespace

TEST_CASE("vm: without an action, actions are read until quit") {
  const VmOutcome outcome = outcome_of("help\n\n# a remark\nfly away\nquit\nfly\n");
  CHECK_THAT(outcome.out, Contains("quit ") && Contains("add HOST"));
  CHECK_THAT(outcome.err, Contains("nasvm vm fly: not known") && Contains("start, status, add, remove, ps, stop"));
  CHECK(outcome.err.find("fly", outcome.err.find("fly") + 1) == std::string::npos);
  CHECK(outcome.status == 2);
  CHECK(outcome_of("").status == 0);
}

TEST_CASE("vm: lines mean the machine that the command line has named, unless they name one") {
  const test::RuntimeFixture runtime;
  const VmOutcome outcome = outcome_of("halt\nps other\nconf --name third\n", {"--name", "work"});
  CHECK_THAT(outcome.err, Contains("there is no machine \"work\"") && Contains("there is no machine \"other\"") &&
                              Contains("there is no machine \"third\""));
  CHECK_THAT(outcome_of("halt\n").err, Contains("there is no machine \"default\""));
}

TEST_CASE("vm: words of a line may be quoted, and a remark may have anything") {
  const test::RuntimeFixture runtime;
  CHECK_THAT(outcome_of("ps 'other'\n").err, Contains("there is no machine \"other\""));
  CHECK_THAT(outcome_of("status --name \"a way\"\n").err, Contains("\"a way\" cannot be a machine's name"));
  CHECK(outcome_of("  # don't\n \t\nquit\n").status == 0);
  const VmOutcome outcome = outcome_of("start --rsh \"ssh -p\nhelp\n");
  CHECK_THAT(outcome.err, Contains("vm start --rsh \"ssh -p: expected another \" that ends what is quoted"));
  CHECK_THAT(outcome.out, Contains("quit "));
  CHECK(outcome.status == 2);
}

TEST_CASE("vm: who asks for help about stop has not stopped anything, and stays") {
  for (const std::string word : {"stop", "halt"}) {
    const VmOutcome outcome = outcome_of(word + " --help\nfly away\nquit\n");
    CHECK_THAT(outcome.out, Contains("Usage: nasvm vm"));
    CHECK_THAT(outcome.err, Contains("nasvm vm fly: not known"));
  }
}

TEST_CASE("vm: what an action does not have is refused") {
  const auto refuses = [](const std::vector<std::string>& words, const std::string& expected) {
    const VmOutcome outcome = outcome_of("", words);
    CHECK_THAT(outcome.err, Contains(expected));
    CHECK(outcome.status == 2);
  };
  refuses({"strat"}, "did you mean start?");
  refuses({"add"}, "which hosts?");
  refuses({"remove"}, "which hosts?");
  refuses({"status", "a", "b"}, "one machine's name");
  refuses({"status", "--rsh", "x"}, "--rsh is for nasvm vm start");
  refuses({"stop", "--hostfile", "h"}, "--hostfile is for nasvm vm start and add");
  refuses({"remove", "--host", "h"}, "--host is for nasvm vm start and add");
  refuses({"start", "--format", "json"}, "--format is for nasvm vm status and ps");
  refuses({"start", "../x"}, "cannot be a machine's name");
  refuses({"start", ""}, "cannot be a machine's name");
}

TEST_CASE("vm: words of PVM's console are understood") {
  CHECK(own_word("conf") == "status");
  CHECK(own_word("delete") == "remove");
  CHECK(own_word("halt") == "stop");
  CHECK(own_word("ps") == "ps");
}

TEST_CASE("vm: status shows hosts, what runs and what waits") {
  CHECK_THAT(machine_table(state()), Contains("Machine work") && Contains("lost: it has gone") &&
                                         Contains("Running: nasvm run ep --vm") &&
                                         Contains("Waiting: nasvm p2p --vm"));
  CHECK_THAT(tasks_table(state()), Contains("t1.3") && Contains("node1") && Contains("99"));
  CHECK_THAT(machine_json(state()), Contains("\"nasvm-vm/1\"") && Contains("\"reason\": \"it has gone\""));
}

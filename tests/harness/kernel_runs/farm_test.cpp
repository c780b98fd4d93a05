/// \file
/// `nasvm run ep --variant farm` as users meet it.

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "../fake_executor.hpp"
#include "harness/document/document.hpp"
#include "harness/kernel_runs/record.hpp"
#include "kernels/kernel.hpp"
#include "support/process.hpp"

using namespace nasvm;
using namespace nasvm::test;
using Catch::Contains;

namespace {

std::vector<std::string> farm_of(const std::string& problem_class, int np, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments{"run",         "ep",          "--variant", "farm", "--class",
                                     problem_class, "--transport", "direct",    "--np", std::to_string(np)};
  std::ranges::move(more, std::back_inserter(arguments));
  return arguments;
}

RunRecord only_run(const std::string& document) { return from_json(document, "test").records<RunRecord>().at(0); }

std::string detail(const RunRecord& run, const std::string& name) {
  for (const auto& [known, value] : run.details) {
    if (known == name) return value;
  }
  return "";
}

struct TemporaryPath {
  ~TemporaryPath() { std::remove(path.c_str()); }
  std::string path = "/tmp/nasvm-farm-test-" + std::to_string(::getpid()) + ".json";
};

}  // namespace

TEST_CASE("farm: class S verifies on any number of tasks, whose reports are all there") {
  const int np = GENERATE(1, 2, 5);
  const ProcessResult result = run_process(built_program("nasvm"), farm_of("S", np, {"--format", "json"}));
  INFO(result.err);
  REQUIRE(result.exit_status == 0);
  const RunRecord run = only_run(result.out);
  CHECK(run.verified);
  REQUIRE(run.comm.by_rank.size() == static_cast<std::size_t>(np));
  for (int rank = 0; rank < np; ++rank) CHECK(run.comm.by_rank[static_cast<std::size_t>(rank)].rank == rank);
  const Traffic bound = find_kernel("ep")->traffic({.variant = "farm"}, np);
  CHECK(run.comm.messages <= bound.messages);
  CHECK(run.comm.volume_bytes <= bound.volume_bytes);
  CHECK((run.comm.messages > 0) == (np > 1));
  CHECK(detail(run, "workers lost").empty());
}

TEST_CASE("farm: over the usual transports it is measured once, which is said once") {
  // Also on a busy host, where runs are added and a second line says so.
  const ProcessResult result =
      run_process(built_program("nasvm"), {"run", "ep", "--variant", "farm", "--runs", "2", "--format", "json"});
  CHECK(result.exit_status == 0);
  const std::string remark = "measured once, as daemon";
  const std::size_t said = result.err.find(remark);
  REQUIRE(said != std::string::npos);
  CHECK(result.err.find(remark, said + 1) == std::string::npos);
  const Document document = from_json(result.out, "test");
  CHECK(document.records<RunRecord>().size() >= 2);
  for (const RunRecord& run : document.records<RunRecord>()) {
    CHECK(run.transport == "daemon");
    CHECK(run.verified);
  }
}

TEST_CASE("farm: the result has the same bits on any number of tasks") {
  std::vector<std::string> sums;
  for (const int np : {1, 3}) {
    const ProcessResult result = run_process(built_program("nasvm"), farm_of("W", np, {"--format", "json"}));
    REQUIRE(result.exit_status == 0);
    sums.push_back(detail(only_run(result.out), "sx"));
  }
  CHECK(sums[0] == sums[1]);
}

TEST_CASE("farm: a worker that is killed on the way costs its report, not the result", "[heavy]") {
  const TemporaryPath document;
  const pid_t pid = start_process_quietly(built_program("nasvm"), farm_of("C", 4, {"--export-json", document.path}));
  // A daemon, the leader, three workers.
  REQUIRE(eventually([&] { return descendants(pid).size() == 5; }));
  ::kill(descendants(pid).back(), SIGKILL);
  int status = 0;
  REQUIRE(eventually([&] { return ::waitpid(pid, &status, WNOHANG) == pid; }));
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  std::ifstream file(document.path);
  const RunRecord run = only_run({std::istreambuf_iterator<char>(file), {}});
  CHECK(run.verified);
  // Its siblings die with it when it was killed before all had joined.
  const std::size_t lost = std::stoul("0" + detail(run, "workers lost"));
  CHECK((lost == 1 || lost == 3));
  CHECK(run.comm.by_rank.size() == 4 - lost);
}

TEST_CASE("farm: what it cannot is refused in one line") {
  struct Wrong {
    std::vector<std::string> more;
    std::string expected;
  };
  const auto wrong = GENERATE(values<Wrong>({
      {{"--transport", "mpi"}, "ep's variant farm spawns its tasks, which"},
      {{"--hosts", "1"}, "--hostfile"},
      {{"--balance", "pilot"}, "--balance: kernel ep does not have it with --variant farm"},
  }));
  std::vector<std::string> arguments{"run", "ep", "--variant", "farm"};
  std::ranges::copy(wrong.more, std::back_inserter(arguments));
  const ProcessResult result = run_process(built_program("nasvm"), arguments);
  CHECK(result.exit_status == 2);
  CHECK_THAT(result.err, Contains(wrong.expected));
  CHECK(std::ranges::count(result.err, '\n') == 1);
}

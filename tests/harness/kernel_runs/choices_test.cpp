/// \file
/// What kernels have chosen for the machine, as documents of runs have it.

#include <catch2/catch.hpp>

#include <map>
#include <string>
#include <vector>

#include "../fake_executor.hpp"
#include "harness/kernel_runs/task_report.hpp"
#include "kernels/kernel.hpp"
#include "support/process.hpp"

using namespace nasvm;
using namespace nasvm::test;

namespace {

std::vector<RunRecord> runs_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "run");
  for (const char* more : {"--class", "S", "--transport", "direct", "--format", "json"}) arguments.emplace_back(more);
  const ProcessResult result = run_process(built_program("nasvm"), arguments);
  INFO(result.err);
  REQUIRE(result.exit_status == 0);
  return from_json(result.out, "standard output").records<RunRecord>();
}

std::vector<std::string> whats(const TuningChoices& choices) {
  std::vector<std::string> names;
  for (const TuningChoice& choice : choices) names.push_back(choice.what);
  return names;
}

}  // namespace

TEST_CASE("choices: the document of a run has what each kernel has chosen, and why") {
  const std::map<std::string, std::vector<std::string>> expected{
      {"ep", {"loop"}},
      {"mg", {"strips", "asking"}},
      {"cg", {"tile columns", "slab form", "cache hint"}},
      {"ft", {"vectors"}},
      {"is", {"splitting", "chunk", "packing"}},
  };
  const std::vector<RunRecord> runs = runs_of({"all", "--np", "2"});
  REQUIRE(runs.size() == kernels().size());
  for (const RunRecord& run : runs) {
    CAPTURE(run.kernel);
    CHECK(whats(run.choices) == expected.at(run.kernel));
    CHECK(whats(run.choices) == whats(find_kernel(run.kernel)->choices()));
    for (const TuningChoice& choice : run.choices) {
      CHECK_FALSE(choice.chosen.empty());
      CHECK_FALSE(choice.chosen == "by trial");
      CHECK_FALSE(choice.why.empty());
    }
  }
  CHECK(runs[0].choices == find_kernel("ep")->choices());
}

TEST_CASE("choices: a variant has those that it makes; a farm's leader tells its own") {
  const auto only = [](std::vector<std::string> arguments) { return runs_of(std::move(arguments)).at(0).choices; };
  CHECK(whats(only({"cg", "--np", "4", "--variant", "paper"})) ==
        std::vector<std::string>{"tile columns", "slab form", "cache hint"});
  CHECK(only({"ep", "--np", "2", "--variant", "farm"}) == find_kernel("ep")->choices());
  CHECK(only({"ep", "--np", "2", "--variant", "reference"}).empty());
  CHECK(only({"ft", "--np", "2", "--variant", "fftw"}).empty());
  CHECK(only({"is", "--np", "1"}).empty());
}

TEST_CASE("choices: a task reports them in their order") {
  const TuningChoices choices{{"strips", "8 rows", "a trial"}, {"loop", "AVX2", "the processor"}};
  Outcome outcome;
  outcome.choices = choices;
  const TaskReport report = make_task_report(outcome, "box", [](Rank) { return "direct"; });
  CHECK(record_of_text<TaskReport>(text_of_record(report)).choices == choices);
}

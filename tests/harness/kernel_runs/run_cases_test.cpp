#include "harness/kernel_runs/run_cases.hpp"

#include <catch2/catch.hpp>

#include "../fake_executor.hpp"

using namespace nasvm;

TEST_CASE("run cases: messages and volume are facts of a run, but not of a farm's") {
  Document document;
  for (const char* variant : {"tuned", "farm", "unknown"}) {
    RunRecord run = test::good_run("direct", 1);
    run.kernel = "ep";
    run.variant = variant;
    document.records<RunRecord>().push_back(run);
  }
  const std::vector<Compared> compared = compared_runs(document);
  CHECK(compared.at(0).facts.size() == 2);
  CHECK(compared.at(1).facts.empty());
  CHECK(compared.at(2).facts.size() == 2);
}

TEST_CASE("run cases: what began with a checkpoint is another case, and has done a part of the operations") {
  Document document;
  RunRecord run = test::good_run("direct", 1);
  document.records<RunRecord>().push_back(run);
  run.first_iteration = 4;
  document.records<RunRecord>().push_back(run);
  const std::vector<Compared> compared = compared_runs(document);
  CHECK(compared.at(0).name != compared.at(1).name);
  CHECK(compared.at(1).name.find("from iteration 4 on") != std::string::npos);
  const Source source{"a.json", document};
  CHECK(group_runs(std::span(&source, 1)).size() == 2);
  const Kernel& kernel = *find_kernel("ft");
  Problem problem;
  problem.problem_class = 'S';
  run.first_iteration = kernel.iterations(problem);
  CHECK(mega_operations_done(kernel, problem, run) ==
        Approx(kernel.mega_operations(problem) / kernel.iterations(problem)));
}

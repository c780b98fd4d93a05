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

#include "harness/commands/reproduce/paper.hpp"

#include <catch2/catch.hpp>

#include "harness/text.hpp"
#include "kernels/kernel.hpp"

using namespace nasvm;

TEST_CASE("paper: every kernel has a row on every testbed, and every row is of both") {
  for (const Testbed& testbed : testbeds()) {
    for (const Kernel& kernel : kernels()) CHECK(find_paper_row(testbed.name, kernel.name) != nullptr);
  }
  for (const PaperRow& row : paper_rows()) {
    const Testbed* testbed = find_testbed(row.testbed);
    REQUIRE(testbed != nullptr);
    CHECK(find_kernel(row.kernel) != nullptr);
    CHECK(row.tasks <= testbed->hosts);
  }
  CHECK(find_testbed("token-ring") == nullptr);
  CHECK(find_paper_row("ethernet", "lu") == nullptr);
}

TEST_CASE("paper: fsend was faster than PVM's daemons everywhere") {
  for (const PaperRow& row : paper_rows()) {
    CAPTURE(row.testbed, row.kernel);
    if (row.kernel == "ep") continue;  // no messages to speak of
    CHECK(row.fsend.time_s < row.daemon.time_s);
    CHECK(row.fsend.comm_s < row.daemon.comm_s);
    CHECK(row.fsend.idle_s < row.fsend.comm_s);
    CHECK(row.daemon.comm_s < row.daemon.time_s);
  }
}

TEST_CASE("paper: variant paper sends the paper's messages where the derivation is unique") {
  for (const PaperRow& row : paper_rows()) {
    if (row.kernel != "ft" && row.kernel != "cg") continue;
    CAPTURE(row.testbed, row.kernel);
    Problem problem;
    problem.problem_class = row.problem_class;
    problem.variant = "paper";
    const Traffic traffic = find_kernel(row.kernel)->traffic(problem, row.tasks);
    CHECK(traffic.messages == row.messages);
  }
}

/// \file
/// `nasvm run` over real machines: every kernel over every transport, with every small number of tasks.

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "fake_executor.hpp"
#include "support/process.hpp"
#include "vm/system/table.hpp"
#include "vm/transport/table.hpp"

using namespace nasvm;
using namespace nasvm::test;

namespace {

/// Every transport that this build can start, joined for `--transport`.
std::string every_transport() {
  std::string names = "auto";
  for (const TransportRow& row : transports()) names += "," + std::string(row.name);
  for (const SystemRow& row : message_systems()) {
    if (std::filesystem::exists(built_program("nasvm-" + std::string(row.name) + "-task"))) {
      names += "," + std::string(row.name);
    }
  }
  return names;
}

}  // namespace

TEST_CASE("every kernel verifies over every transport") {
  const int ranks = GENERATE(range(1, 10));
  CAPTURE(ranks);
  const std::string transports = every_transport();
  const ProcessResult result = run_process(
      built_program("nasvm"),
      {"run", "all", "--class", "S", "--np", std::to_string(ranks), "--transport", transports, "--format", "json"});
  INFO(result.err);
  REQUIRE(result.exit_status == 0);
  std::set<std::string> seen;
  for (const RunRecord& run : from_json(result.out, "standard output").runs) {
    CAPTURE(run.kernel, run.transport);
    CHECK(run.verified);
    CHECK(seen.insert(run.kernel + " " + run.transport).second);
  }
  CHECK(seen.size() == 5 * (1 + static_cast<std::size_t>(std::ranges::count(transports, ','))));
}

TEST_CASE("every kernel verifies over PVM's direct route, which counts as pvm") {
  if (!std::filesystem::exists(built_program("nasvm-pvm-task"))) return;
  const int ranks = GENERATE(range(1, 10));
  CAPTURE(ranks);
  const ProcessResult result =
      run_process(built_program("nasvm"), {"run", "all", "--class", "S", "--np", std::to_string(ranks), "--transport",
                                           "pvm:route=direct", "--format", "json"});
  INFO(result.err);
  REQUIRE(result.exit_status == 0);
  for (const RunRecord& run : from_json(result.out, "standard output").runs) {
    CAPTURE(run.kernel);
    CHECK(run.verified);
    CHECK(run.comm.by_method.size() <= 1);
    if (ranks > 1) CHECK(run.comm.by_method.at("pvm").bytes == run.comm.volume_bytes);
    CHECK(run.comm.idle_max_s <= run.comm.time_max_s);
  }
}

/// \file
/// `nasvm reproduce` in a real lab; skipped where no hosts can be made.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "../../fake_executor.hpp"
#include "support/lab.hpp"
#include "support/process.hpp"
#include "support/skip.hpp"

using namespace nasvm;
using namespace nasvm::test;
using Catch::Contains;

TEST_CASE("real reproduce: kernels on quick testbeds, and nothing stays", "[heavy]") {
  const Folder folder;
  const ProcessResult result = run_process(built_program("nasvm"), {"reproduce", "gigaswitch", "--quick", "--kernels",
                                                                    "mg,is", "--out", folder.file("out put")});
  if (lacks_lab(result.err)) return skip(result.err);
  INFO(result.err);
  CHECK(result.exit_status == 0);
  const Document document = read_document(folder.file("out put/gigaswitch.json"));
  CHECK(document.machine.hosts.size() == 4);
  CHECK(document.records<RunRecord>().size() == 9);
  for (const RunRecord& run : document.records<RunRecord>()) {
    CAPTURE(run.kernel, run.variant, run.transport);
    CHECK(run.verified);
    CHECK(run.np == 4);
    CHECK(run.comm.by_rank.back().host != run.comm.by_rank.front().host);
  }
  for (const char* name : {"report.md", "report.html", "efficiency.svg"}) {
    CHECK(std::filesystem::file_size(folder.file("out put") + "/" + name) > 0);
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder.file("out put"))) {
    CHECK(entry.path().extension() != ".hosts");
  }
}

TEST_CASE("real reproduce: two networks at the same time, in one report", "[heavy]") {
  const Folder folder;
  const ProcessResult result = run_process(
      built_program("nasvm"), {"reproduce", "fddi", "ethernet", "--kernels", "ep", "--out", folder.file("out")});
  if (lacks_lab(result.err)) return skip(result.err);
  INFO(result.err);
  CHECK(result.exit_status == 0);
  CHECK_THAT(result.err, Contains("fddi: at the same time as ethernet"));
  CHECK_THAT(result.out, Contains("16 tasks on ethernet") && Contains("8 tasks on fddi"));
  const std::string report = content(folder.file("out/report.md"));
  CHECK_THAT(report, Contains("16 tasks on ethernet") && Contains("8 tasks on fddi"));
  CHECK(report.find("on fddi: 8 hosts") < report.find("on ethernet: 16 hosts"));  // as they were asked for
  for (const char* name : {"fddi", "ethernet"}) {
    const auto runs = read_document(folder.file("out/") + name + ".json").records<RunRecord>();
    CHECK(runs.size() >= 4);
    CHECK(std::ranges::all_of(runs, &RunRecord::verified));
  }
}

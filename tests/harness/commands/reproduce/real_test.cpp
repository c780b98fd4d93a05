/// \file
/// `nasvm reproduce` in a real lab; skipped where no hosts can be made.

#include <catch2/catch.hpp>
#include <filesystem>

#include "../../fake_executor.hpp"
#include "support/process.hpp"
#include "support/skip.hpp"

using namespace nasvm;
using namespace nasvm::test;
using Catch::Contains;

TEST_CASE("real reproduce: kernels on quick testbeds, and nothing stays", "[heavy]") {
  const Folder folder;
  const ProcessResult result = run_process(built_program("nasvm"), {"reproduce", "gigaswitch", "--quick", "--kernels",
                                                                    "mg,is", "--out", folder.file("out put")});
  if (result.err.find("can be made") != std::string::npos) return skip(result.err);
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

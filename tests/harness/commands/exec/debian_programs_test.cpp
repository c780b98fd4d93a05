/// \file
/// `nasvm exec` of programs of others as Debian has built them, for Open MPI, unmodified.

#include <catch2/catch.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include "../../fake_executor.hpp"
#include "support/process.hpp"
#include "support/skip.hpp"
#include "vm/process/programs.hpp"

using namespace nasvm;
using namespace nasvm::test;
using Catch::Matchers::Contains;

namespace {

const std::filesystem::path sources =
    std::filesystem::path(NASVM_SOURCE_FOLDER) / "tests/harness/commands/exec/programs";

/// A problem of 64 unknowns on 1 x 2 tasks; the rest as in the package's example.
constexpr const char* hpcc_input = R"(HPLinpack benchmark input file
nasvm
HPL.out      output file name (if any)
8            device out
1            # of problems sizes (N)
64           Ns
1            # of NBs
16           NBs
0            PMAP process mapping
1            # of process grids (P x Q)
1            Ps
2            Qs
16.0         threshold
1            # of panel fact
2            PFACTs
1            # of recursive stopping criterium
4            NBMINs
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs
1            # of broadcast
1            BCASTs
1            # of lookahead depth
1            DEPTHs
2            SWAP
64           swapping threshold
0            L1 in form
0            U  in form
1            Equilibration
8            memory alignment in double
#####
0            Number of additional problem sizes for PTRANS
64           values of N
0            number of additional blocking sizes for PTRANS
16           values of NB
)";

}  // namespace

TEST_CASE("exec runs NetPIPE as Debian has built it", "[exec]") {
  if (process::find_in_path("NPopenmpi").empty()) return skip("netpipe-openmpi is not installed");
  const Folder folder;
  const std::string document = folder.file("netpipe.json");
  const ProcessResult result =
      run_process(built_program("nasvm"),
                  {"exec", "--np", "2", "--quiet", "--transport", "daemon,direct,shm", "--expect", "64 bytes .*Mbps",
                   "--export-json", document, "--", "NPopenmpi", "-n", "5", "-u", "64", "-o", "/dev/null"});
  INFO(result.err);
  REQUIRE(result.exit_status == 0);
  for (const RunRecord& run : read_document(document).records<RunRecord>()) {
    CAPTURE(run.transport);
    CHECK(run.verified);
    CHECK(run.comm.by_method.at(run.transport).messages == run.comm.messages);
  }
}

TEST_CASE("exec runs HPC Challenge as Debian has built it", "[exec]") {
  if (process::find_in_path("hpcc").empty()) return skip("hpcc is not installed");
  const std::string transport = GENERATE("shm", "direct");
  const Folder folder;
  (void)folder.write("hpccinf.txt", hpcc_input);
  // It looks for its input, and leaves its output, where it is started.
  const std::string command = "cd '" + folder.file("") + "' && exec '" + built_program("nasvm") +
                              "' exec --np 2 --quiet --transport " + transport + " -- hpcc";
  const ProcessResult result = run_process("/bin/sh", {"-c", command});
  INFO(transport << ": " << result.err);
  REQUIRE(result.exit_status == 0);
  const std::string out = content(folder.file("hpccoutf.txt"));
  CHECK_THAT(out, Contains("Success=1"));
  CHECK_THAT(out, !Contains("FAILED"));
}

TEST_CASE("exec runs a program of mpi4py", "[exec]") {
  const std::string python = "/usr/bin/python3";  // whose packages are Debian's
  if (!std::filesystem::exists(python) || run_process(python, {"-c", "import mpi4py"}).exit_status != 0) {
    return skip("python3-mpi4py is not installed");
  }
  const ProcessResult result = run_process(
      built_program("nasvm"), {"exec", "--np", "3", "--quiet", "--transport", "daemon,shm", "--expect",
                               "squares .0, 1, 4., sum 3", "--", python, (sources / "objects.py").string()});
  INFO(result.err);
  CHECK(result.exit_status == 0);
}

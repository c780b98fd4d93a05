// Programs built with our own compilers' commands (nasvm mpicc, mpicxx, mpifort): no other MPI takes part.

#include <catch2/catch.hpp>
#include <filesystem>

#include "support/folder.hpp"
#include "support/process.hpp"
#include "support/skip.hpp"

using namespace nasvm::test;
using Catch::Matchers::Contains;

namespace {

namespace fs = std::filesystem;

/// Builds a program.
void build(const std::string& command, const std::string& source, const std::string& program) {
  const ProcessResult built =
      run_process(built_program("nasvm"),
                  {command, "-O1", "-pthread", std::string(NASVM_SOURCE_FOLDER "/") + source, "-o", program});
  INFO(source << ": " << built.err);
  REQUIRE(built.exit_status == 0);
}

/// Builds a program and runs it with so many tasks over shm and direct: it is to print that.
void check_program(const std::string& command, const std::string& source, const std::vector<std::string>& tasks,
                   const std::string& expected) {
  const Folder folder;
  const std::string program = folder.file("program");
  build(command, source, program);
  for (const std::string transport : {"shm", "direct"}) {
    for (const std::string& np : tasks) {
      const ProcessResult run =
          run_process(built_program("nasvm"), {"mpiexec", "-n", np, "--transport", transport, program});
      INFO(np << " tasks over " << transport << ": " << run.out << run.err);
      CHECK(run.out == expected);
      CHECK(run.exit_status == 0);
    }
  }
}

const std::string folder = "tests/vm/abi/mpi/standard/programs/";
const std::string shared_folder = "tests/vm/abi/mpi/openmpi/programs/";

}  // namespace

TEST_CASE("the first program of the documentation, built with nasvm mpicc", "[mpi]") {
  check_program("mpicc", "examples/pi.c", {"1", "2", "4"}, "pi is about 3.141592654\n");
}

TEST_CASE("a task is one program of MPI: others of its script are told so", "[mpi]") {
  const Folder folder;
  const std::string program = folder.file("program");
  build("mpicc", "examples/pi.c", program);
  const auto script = [&](const std::string& commands) {
    return run_process(built_program("nasvm"),
                       {"mpiexec", "-n", "1", "--timeout", "60", "sh", "-c", commands, program});
  };
  // One after the other, and at the same time.
  const ProcessResult result =
      script(GENERATE("\"$0\"; \"$0\"", "\"$0\" & \"$0\"; own=$?; wait $!; exit $((own + $?))"));
  INFO(result.err);
  CHECK(result.out == "pi is about 3.141592654\n");
  CHECK(result.exit_status == 3);
  CHECK_THAT(result.err, Contains("MPI_Init: another program of this task has already been one: start each by a "
                                  "nasvm exec of its own"));
}

TEST_CASE("a program that does not have the daemon's socket says so", "[mpi]") {
  const Folder folder;
  const std::string program = folder.file("program");
  build("mpicc", "examples/pi.c", program);
  const ProcessResult result = run_process("/usr/bin/env", {"NASVM_TASK_FD=77", program});
  CHECK(result.exit_status == 3);
  CHECK_THAT(result.err, Contains("MPI_Init: NASVM_TASK_FD names no socket to a daemon"));
}

TEST_CASE("a program that nobody has launched ends with the last eight bits of its code, or as a failure", "[mpi]") {
  const Folder folder;
  const std::string program = folder.file("program");
  build("mpicc", "tests/harness/commands/exec/programs/member.c", program);
  const auto status = [&](const char* code) { return run_process(program, {"abort", code}).exit_status; };
  CHECK(status("0") == 0);
  CHECK(status("7") == 7);
  CHECK(status("263") == 7);
  CHECK(status("256") == 1);
  CHECK(status("16384") == 1);
}

TEST_CASE("counts that differ between tasks in a collective over messages end the program", "[mpi]") {
  const Folder scratch;
  const std::string program = scratch.file("program");
  build("mpicc", folder + "counts_that_differ.c", program);
  std::vector<std::string> words{"mpiexec", "-n", "2", "--transport", "direct", program};
  std::string function = "MPI_Gather: ";
  if (GENERATE(false, true)) {
    words.emplace_back("background");
    function.clear();  // whichever has seen the message
  }
  const ProcessResult run = run_process(built_program("nasvm"), words);
  INFO(run.err);
  CHECK(run.out.empty());
  CHECK(run.exit_status == 3);
  CHECK_THAT(run.err, Contains(function + "MPI_ERR_TRUNCATE: the counts of this task and of rank 1 differ: a piece "
                                          "of 16 came where 4 bytes were expected"));
}

TEST_CASE("an invalid communicator is no error of the one whose error handler hears of it", "[mpi]") {
  const Folder scratch;
  const std::string program = scratch.file("program");
  build("mpicc", folder + "freed_communicator.c", program);
  const ProcessResult run = run_process(program, {});
  INFO(run.err);
  CHECK_THAT(run.err, Contains("MPI_Barrier: MPI_ERR_COMM: invalid communicator"));
}

TEST_CASE("the standard's binary interface is what its header says", "[mpi]") {
  check_program("mpicc", folder + "interface.c", {"1", "3"}, "all right\n");
}

TEST_CASE("errors without a communicator and splitting by hardware are as in MPI-4", "[mpi]") {
  check_program("mpicc", folder + "since_mpi_4.c", {"1", "3"}, "all right\n");
}

TEST_CASE("counts, displacements and sizes may be larger than an int", "[mpi]") {
  check_program("mpicc", folder + "large_counts.c", {"1", "3"}, "all right\n");
}

TEST_CASE("programs of MPI-4 do by the standard's binary interface what they do by Open MPI's", "[mpi]") {
  check_program(
      "mpicc",
      shared_folder + GENERATE("buffers_of_their_own.c", "collectives_in_the_background.c", "completion_and_modes.c",
                               "elements_within_each_other.c", "errors_of_several.c", "graphs.c",
                               "nothing_for_tools.c", "partitions.c", "seldom_used.c", "sessions.c",
                               "sessions_and_init.c", "small_additions.c", "types_and_handles.c"),
      {"1", "3"}, "all right\n");
}

TEST_CASE("threads of a task wait for each other's messages", "[mpi]") {
  check_program("mpicc", folder + "threads.c", {"1", "3"}, "all right\n");
}

TEST_CASE("threads of a task make communicators at the same time", "[mpi]") {
  check_program("mpicc", folder + "threads_make_communicators.c", {"1", "2", "5"}, "all right\n");
}

TEST_CASE("what threads of a task send goes beside the collectives of others, and tags tell their groups apart",
          "[mpi]") {
  check_program("mpicc", folder + "threads_beside_collectives.c", {"1", "2", "5"}, "all right\n");
}

TEST_CASE("programs in Fortran by our own module", "[mpi]") {
  if (!fs::exists("/usr/bin/gfortran")) return skip("gfortran is not installed");
  const fs::path module = fs::path(built_program("nasvm")).parent_path() / "mpi/include/mpi.mod";
  if (!fs::exists(module)) return skip("gfortran was not there when this was built");
  check_program("mpifort", folder + "ring.f90", {"1", "3"}, "all right\n");
}

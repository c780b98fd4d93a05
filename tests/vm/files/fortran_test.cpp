// Programs that know nothing of tasks: with the Fortran names of the file cache, which gfortran has compiled
// (fortran/records.f90), and with its C interface (calls/calls.cpp, examples/edonio/elements.c).

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "support/folder.hpp"
#include "support/process.hpp"
#include "support/skip.hpp"
#include "vm/launch/machine.hpp"

using namespace nasvm;
using namespace nasvm::test;

namespace {

namespace fs = std::filesystem;

/// What the program should leave behind: 8 GiB, 20 bytes and a record, nearly all of it a gap.
void check_file(const fs::path& file) {
  REQUIRE(fs::exists(file));
  CHECK(fs::file_size(file) == (std::uintmax_t{2} << 32) + 20 + 32);
  fs::remove(file);
}

}  // namespace

TEST_CASE("a Fortran program has the file cache by the names of the paper", "[files]") {
  const std::string program = built_program("tests/nasvm-files-fortran");
  if (!fs::exists(program)) return skip("nasvm-files-fortran is not built: CMake has found no Fortran compiler");
  const Folder folder;
  const std::string file = folder.file("records");

  const ProcessResult alone = run_process(program, {"1", file});
  INFO(alone.err);
  CHECK(alone.exit_status == 0);
  check_file(file);

  Machine machine({});
  Machine::Program tasks;
  tasks.path = program;
  tasks.arguments = {"3", file};
  tasks.size = 3;
  REQUIRE_NOTHROW(machine.run(tasks));
  check_file(file);
}

TEST_CASE("a task is one program of the file cache: a second one of its script is refused at once", "[files]") {
  const std::string program = built_program("tests/nasvm-files-fortran");
  if (!fs::exists(program)) return skip("nasvm-files-fortran is not built: CMake has found no Fortran compiler");
  const Folder folder;
  const std::string file = folder.file("records");
  const ProcessResult result =
      run_process(built_program("nasvm"), {"exec", "--np", "2", "--transport", "shm", "--timeout", "60", "--", "sh",
                                           "-c", "\"$0\" 2 \"$1\" && \"$0\" 2 \"$1\"", program, file});
  INFO(result.err);
  CHECK(result.exit_status != 0);
  CHECK_THAT(result.err, Catch::Contains("donio"));
  CHECK_THAT(result.err, !Catch::Contains("time-out") && !Catch::Contains("neither MPI_Init"));
  check_file(file);
}

namespace {

/// Of tasks that make these calls, started by a line of sh: "$0" "$@".
ProcessResult run_calls(const std::string& line, std::vector<std::string> calls) {
  calls.insert(calls.begin(), {"exec", "--np", "2", "--transport", "shm", "--timeout", "60", "--", "sh", "-c", line,
                               built_program("tests/nasvm-files-calls")});
  return run_process(built_program("nasvm"), calls);
}

}  // namespace

TEST_CASE("who alone has a wrong number, and ends well, does not leave the others waiting", "[files]") {
  const std::string wrong = GENERATE("0", "1");
  const std::string right = wrong == "0" ? "1" : "0";
  const ProcessResult result = run_calls(R"(exec "$0" "$@")", {right + ": nio", wrong + ": nio " + right});
  INFO(result.out << result.err);
  CHECK(result.exit_status == 3);
  CHECK_THAT(result.err, Catch::Contains("do_nio(" + right + ", 2): this is task " + wrong + " of 2"));
  CHECK_THAT(result.err, !Catch::Contains("time-out"));
}

TEST_CASE("a program that has tried other numbers, and then the right one, ends well", "[files]") {
  const ProcessResult result = run_calls(R"(exec "$0" "$@")", {"nio 7", "nio"});
  INFO(result.out << result.err);
  CHECK(result.exit_status == 0);
}

TEST_CASE("what is wrong with one task's parameters all are told, and none waits", "[files]") {
  const std::string wrong = GENERATE("0", "1");
  const Folder folder;
  const ProcessResult result =
      run_calls("test $OMPI_COMM_WORLD_RANK != " + wrong + R"( || export NASVM_EDONIO=owners=0,5; exec "$0" "$@")",
                {"nio", "update " + folder.file("a")});
  INFO(result.out << result.err);
  CHECK(result.exit_status == 0);
  const std::string error = "owners=0,5: there are tasks 0 to 1\n";
  std::string expected = "update " + folder.file("a") + " = -1 EINVAL: do_nio has failed: " + error;
  for (const std::string& line : {"nio = -1 EINVAL: " + error, expected}) {
    const std::size_t first = result.out.find(line);
    REQUIRE(first != std::string::npos);
    CHECK(result.out.find(line, first + 1) != std::string::npos);
  }
}

TEST_CASE("who ends without do_close is told what may be lost", "[files]") {
  const Folder folder;
  const std::string open = "update " + folder.file("a");
  const std::string lost = "nasvm: " + folder.file("a") +
                           ": the program has ended without do_flush or do_close: what it has written may be lost\n";
  const std::string program = built_program("tests/nasvm-files-calls");
  CHECK(run_process(program, {"nio", open, "write text"}).err == lost);
  for (const char* last : {"flush", "close"})
    CHECK(run_process(program, {"nio", open, "write text", last}).err.empty());
  const ProcessResult of_two = run_calls(R"(exec "$0" "$@")", {"nio", open, "1: write text"});
  CHECK(of_two.exit_status == 0);
  CHECK_THAT(of_two.err, Catch::Contains(lost));
}

TEST_CASE("a program without the daemon's socket is told so by do_nio", "[files]") {
  const std::string program = built_program("tests/nasvm-files-elements");
  if (!fs::exists(program)) return skip("nasvm-files-elements is not built");
  const Folder folder;
  const ProcessResult result = run_process("/usr/bin/env", {"NASVM_TASK_FD=77", program, folder.file("elements")});
  CHECK(result.exit_status == 3);
  CHECK_THAT(result.err, Catch::Contains("NASVM_TASK_FD names no socket to a daemon"));
}

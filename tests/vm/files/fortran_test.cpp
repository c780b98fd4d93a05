// The Fortran names of the file cache, in a program that gfortran has compiled (fortran/records.f90).

#include <catch2/catch.hpp>
#include <filesystem>

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

TEST_CASE("a program without the daemon's socket is told so by do_nio", "[files]") {
  const std::string program = built_program("tests/nasvm-files-elements");
  if (!fs::exists(program)) return skip("nasvm-files-elements is not built");
  const Folder folder;
  const ProcessResult result = run_process("/usr/bin/env", {"NASVM_TASK_FD=77", program, folder.file("elements")});
  CHECK(result.exit_status == 3);
  CHECK_THAT(result.err, Catch::Contains("NASVM_TASK_FD names no socket to a daemon"));
}

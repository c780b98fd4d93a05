// Programs in C, C++ and Fortran, built here with the compilers of Debian's Open MPI, run over the library. What they
// expect they say themselves (programs/).

#include <catch2/catch.hpp>
#include <filesystem>

#include "support/folder.hpp"
#include "support/process.hpp"
#include "support/skip.hpp"

using namespace nasvm::test;

namespace {

namespace fs = std::filesystem;

/// Builds a program; false: its compiler is not here. Open MPI's compilers only call others, which may be missing.
bool build(const std::string& source, const std::string& program) {
  const bool is_cxx = source.ends_with(".cpp");
  const std::string compiler = is_cxx                   ? "/usr/bin/mpicxx"
                               : source.ends_with(".c") ? "/usr/bin/mpicc"
                                                        : "/usr/bin/mpif90";
  if (!fs::exists(compiler) || run_process(compiler, {"--version"}).exit_status != 0) return false;
  const std::string folder = NASVM_SOURCE_FOLDER "/tests/vm/abi/mpi/openmpi/programs/";
  // Our library is linked: Debian's lacks what came with MPI-4.
  const std::string library = fs::path(built_program("nasvm")).parent_path() / "mpi/openmpi";
  const ProcessResult built = run_process(compiler, {"-O1", folder + source, "-o", program, "-L" + library,
                                                     is_cxx ? "-Wl,--no-as-needed" : "-Wl,--as-needed"});
  INFO(built.err);
  REQUIRE(built.exit_status == 0);
  return true;
}

void check_program(const std::string& source) {
  const Folder folder;
  const std::string program = folder.file("program");
  if (!build(source, program)) return skip("mpicc, mpicxx or mpif90 is not installed, or not its compiler");
  for (const std::string transport : {"shm", "direct"}) {
    const ProcessResult run =
        run_process(built_program("nasvm"), {"mpiexec", "-n", "5", "--transport", transport, program});
    INFO(source << " over " << transport << ": " << run.out << run.err);
    CHECK(run.out == "all right\n");
    CHECK(run.exit_status == 0);
  }
}

}  // namespace

TEST_CASE("programs in C get from the library what MPI promises", "[mpi]") {
  check_program(GENERATE(
      "between_groups.c", "buffers_of_their_own.c", "duplicates_in_background.c", "elements_within_each_other.c",
      "errors_of_several.c", "groups_apart.c", "hints_at_any_time.c", "nothing_for_tools.c", "numbers_of_messages.c",
      "own_messages.c", "partitions.c", "requests_of_all_kinds.c", "ring_of_neighbours.c", "seldom_used.c",
      "sent_at_once.c", "sessions.c", "sessions_and_init.c", "small_additions.c", "started_again.c"));
}

TEST_CASE("programs in Fortran get from the library what MPI promises", "[mpi]") { check_program("columns.f90"); }

TEST_CASE("programs in C++ run with the bindings that mpicxx links", "[mpi]") {
  check_program("linked_with_bindings.cpp");
}

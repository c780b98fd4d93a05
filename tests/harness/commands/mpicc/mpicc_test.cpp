/// \file
/// The lines of `nasvm mpicc` and its like for the system's compilers.

#include "harness/commands/mpicc/mpicc.hpp"

#include <catch2/catch.hpp>

#include "../../fake_executor.hpp"
#include "harness/cli/values.hpp"
#include "harness/text.hpp"

using namespace nasvm;
using namespace nasvm::test;

namespace {

const MpiCompiler& c() { return mpi_compilers()[0]; }
const MpiCompiler& fortran() { return mpi_compilers()[2]; }

std::string line_of(const MpiCompiler& compiler, const std::string& words, const std::string& program = "cc") {
  return joined(compiler_line(compiler, program, split(words, ' '), "/m"), " ");
}

}  // namespace

TEST_CASE("mpicc: what is only compiled gets the headers, what is linked the library", "[mpicc]") {
  CHECK(line_of(c(), "-O2 -c a.c") == "cc -I/m/include -O2 -c a.c");
  CHECK(line_of(c(), "-o a a.c") ==
        "cc -I/m/include -o a a.c -L/m/standard -Wl,--enable-new-dtags -Wl,-rpath,/m/standard -lmpi_abi");
  CHECK(line_of(c(), "-E a.c") == "cc -I/m/include -E a.c");
}

TEST_CASE("mpicc: what cannot be linked statically is refused with a line that says so", "[mpicc]") {
  for (const std::string word : {"-static", "--static", "-static-pie"}) {
    CAPTURE(word);
    CHECK_THROWS_WITH(line_of(c(), word + " -o a a.c"),
                      "mpicc: " + word + ": our MPI is a shared library, without a static one: leave " + word +
                          " out; what is for a library of the compiler alone, such as -static-libgcc, can stay");
    CHECK_NOTHROW(line_of(c(), word + " -c a.c"));
  }
  CHECK_THROWS_AS(line_of(fortran(), "-static a.f90"), UsageError);
  CHECK_NOTHROW(line_of(c(), "-static-libgcc a.c"));
}

TEST_CASE("mpicc: what only asks the compiler something links nothing", "[mpicc]") {
  CHECK(line_of(c(), "--version") == "cc -I/m/include --version");
}

TEST_CASE("mpicc: a compiler may have words of its own", "[mpicc]") {
  CHECK(line_of(c(), "-c a.c", "ccache gcc") == "ccache gcc -I/m/include -c a.c");
}

TEST_CASE("mpicc: does not call itself where CC names it, as configure and make have it", "[mpicc]") {
  CHECK(chosen_compiler(c(), "", false) == "cc");
  CHECK(chosen_compiler(c(), "ccache gcc", false) == "ccache gcc");
  CHECK(chosen_compiler(c(), "nasvm mpicc", false) == "cc");
  CHECK(chosen_compiler(c(), "/usr/bin/nasvm  mpicc", false) == "cc");
  CHECK(chosen_compiler(c(), "/a/nasvm-like mpicc", false) == "/a/nasvm-like mpicc");
  CHECK(chosen_compiler(c(), "./our-mpicc", true) == "cc");
  CHECK(chosen_compiler(fortran(), "nasvm mpifort", false) == "gfortran");
  CHECK(chosen_compiler(fortran(), "nasvm mpif90", false) == "gfortran");
}

TEST_CASE("mpifort: its libraries are those of Fortran", "[mpicc]") {
  CHECK(line_of(fortran(), "a.f90", "gfortran") ==
        "gfortran -I/m/include -fallow-argument-mismatch a.f90 -L/m/openmpi -Wl,--enable-new-dtags "
        "-Wl,-rpath,/m/openmpi -lmpi_mpifh -lmpi");
}

TEST_CASE("mpicc: shows its line in the words of other MPIs", "[mpicc]") {
  CHECK(shown_by("-show") == ShownPart::all);
  CHECK(shown_by("--showme") == ShownPart::all);
  CHECK(shown_by("--showme:compile") == ShownPart::compiling);
  CHECK(shown_by("--showme:link") == ShownPart::linking);
  CHECK(shown_by("-shared") == ShownPart::nothing);
  CHECK(shown_line(c(), "cc", {}, "/m", ShownPart::compiling) == "-I/m/include");
  CHECK(shown_line(c(), "cc", {}, "/a place", ShownPart::compiling) == "'-I/a place/include'");
}

TEST_CASE("mpicc: other MPIs' names of the commands are known", "[mpicc]") {
  Session session;
  for (const std::string name : {"mpif90", "mpif77"}) {
    CAPTURE(name);
    session.out.clear();
    CHECK(session({name, "--help"}) == 0);
    CHECK_THAT(session.out, Catch::Contains("Usage: nasvm mpifort"));
  }
  session.out.clear();
  CHECK(session({"mpic++", "--help"}) == 0);
  CHECK_THAT(session.out, Catch::Contains("Usage: nasvm mpicxx"));
}

TEST_CASE("mpicc: words reach the compiler as they were typed", "[mpicc]") {
  const CommandRow row = mpi_compiler_command(c());
  const std::vector<std::string> typed{"nasvm", "mpicc", "-o", "a", "-Wall", "--help-me"};
  CHECK(joined(row.instead(typed), " ") == "nasvm mpicc -- -o a -Wall --help-me");
  const std::vector<std::string> help{"nasvm", "mpicc", "--help"};
  CHECK(joined(row.instead(help), " ") == "nasvm mpicc --help");
}

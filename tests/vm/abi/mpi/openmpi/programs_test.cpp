// Programs in C, C++ and Fortran, built here with the compilers of Debian's Open MPI, run over the library. What they
// expect they say themselves (programs/).

#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

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

std::string in_lower_case(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return text;
}

/// What tests call: of programs MPI_Name, of the core api::name. Headers only declare it.
std::set<std::string> functions_in_tests() {
  static const std::regex function("(?:mpi_|api::)(\\w+)");
  std::set<std::string> found;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(NASVM_SOURCE_FOLDER "/tests/vm/abi/mpi")) {
    if (!entry.is_regular_file() || entry.path().extension() == ".h") continue;
    std::ifstream file(entry.path());
    const std::string text = in_lower_case({std::istreambuf_iterator<char>(file), {}});
    for (std::sregex_iterator at(text.begin(), text.end(), function), end; at != end; ++at) found.insert((*at)[1]);
  }
  return found;
}

/// Builds a program, or notes that the case is skipped.
bool can_run(const std::string& source, const std::string& program) {
  const bool is_built = build(source, program);
  if (!is_built) skip("mpicc, mpicxx or mpif90 is not installed, or not its compiler");
  return is_built;
}

void check_program(const std::string& source) {
  const Folder folder;
  const std::string program = folder.file("program");
  if (!can_run(source, program)) return;
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
      "between_groups.c", "buffers_of_their_own.c", "collectives_in_the_background.c", "completion_and_modes.c",
      "duplicates_in_background.c", "elements_within_each_other.c", "errors_of_several.c", "extensions.c", "graphs.c",
      "groups_apart.c", "hints_at_any_time.c", "nothing_for_tools.c", "numbers_of_messages.c", "own_messages.c",
      "partitions.c", "requests_of_all_kinds.c", "ring_of_neighbours.c", "seldom_used.c", "sent_at_once.c",
      "sessions.c", "sessions_and_init.c", "small_additions.c", "started_again.c", "types_and_handles.c"));
}

TEST_CASE("programs in Fortran get from the library what MPI promises", "[mpi]") { check_program("columns.f90"); }

TEST_CASE("programs in C++ run with the bindings that mpicxx links", "[mpi]") {
  check_program("linked_with_bindings.cpp");
}

TEST_CASE("lines that a task has written leave at once, and are there when a signal has ended it", "[mpi]") {
  const Folder folder;
  const std::string program = folder.file("program");
  if (!can_run("standard_output.c", program)) return;
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"mpiexec", "-n", "2", "--transport", "shm"});
    return run_process(built_program("nasvm"), words);
  };
  const ProcessResult killed = run({program, "killed"});
  INFO(killed.err);
  CHECK(killed.out == "by line\n");
  CHECK(killed.exit_status == 128 + SIGKILL);
  // Where it does not go to the launcher, and where it is no task, standard output is the program's own.
  CHECK(run({"/bin/sh", "-c", program + " >" + folder.file("output")}).exit_status == 0);
  CHECK(run_process("/bin/cat", {folder.file("output")}).out == "by block\n");
  const std::string library = fs::path(built_program("nasvm")).parent_path() / "mpi/openmpi";
  CHECK(run_process("/usr/bin/env", {"LD_LIBRARY_PATH=" + library, program}).out == "by block\n");
}

TEST_CASE("who is ended by an error of one of several requests reads which error it was", "[mpi]") {
  const Folder folder;
  const std::string program = folder.file("program");
  if (!can_run("ended_by_a_request.c", program)) return;
  const std::vector<std::string> calls{"MPI_Waitall", "MPI_Waitsome", "MPI_Testall", "MPI_Testsome"};
  for (std::size_t way = 0; way < calls.size(); ++way) {
    const ProcessResult run =
        run_process(built_program("nasvm"), {"mpiexec", "-n", "1", program, std::to_string(way)});
    CHECK_THAT(run.err, Catch::Matchers::Contains(calls[way] + " on MPI_COMM_SELF: MPI_ERR_TRUNCATE"));
    CHECK(run.exit_status == 15);  // MPI_ERR_TRUNCATE of Open MPI
  }
}

TEST_CASE("a test calls each function of the table that is not missing", "[mpi]") {
  const std::set<std::string> called = functions_in_tests();
  std::ifstream table(NASVM_SOURCE_FOLDER "/vm/abi/mpi/functions.table");
  std::set<std::string> without_test;
  int functions = 0;
  for (std::string line; std::getline(table, line);) {
    const std::string name = line.substr(0, line.find(' '));
    if (name.empty() || name == "#" || line == name + " | missing") continue;
    ++functions;
    if (!called.contains(in_lower_case(name))) without_test.insert(name);
  }
  CHECK(functions > 300);
  CHECK(without_test == std::set<std::string>{});
}

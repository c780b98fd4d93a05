/// \file
/// The command line of `nasvm mpiexec` as one of `nasvm exec`.

#include "harness/commands/exec/exec.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

#include "../../fake_executor.hpp"
#include "harness/cli/values.hpp"

using namespace nasvm;
using namespace nasvm::test;
using Catch::Matchers::Contains;

namespace {

std::string line_of(const std::string& words) {
  std::vector<std::string> line{"nasvm", "mpiexec"};
  for (const std::string& word : split(words, ' ')) line.push_back(word);
  return joined(exec_line_of(line), " ");
}

}  // namespace

TEST_CASE("mpiexec: the options of others' launchers become those of exec", "[exec]") {
  CHECK(line_of("./a") == "nasvm exec --quiet --np 1 -- ./a");
  CHECK(line_of("-n 4 ./a -n 5") == "nasvm exec --quiet --np 4 -- ./a -n 5");
  CHECK(line_of("-np 4 -- ./a") == "nasvm exec --quiet --np 4 -- ./a");
  CHECK(line_of("--np=4 --timeout=3 ./a") == "nasvm exec --quiet --np 4 --timeout 3 -- ./a");
  CHECK(line_of("-machinefile m -n 2 ./a") == "nasvm exec --quiet --hostfile m --np 2 -- ./a");
  CHECK(line_of("-l -n 2 ./a") == "nasvm exec --quiet --tag-output --np 2 -- ./a");
}

TEST_CASE("mpiexec: variables of all kinds become one list", "[exec]") {
  ::setenv("NASVM_TEST_A", "1", 1);
  CHECK(line_of("-n 1 -x NASVM_TEST_A -x B=1,2 -env C 3 -genv D 4 ./a") ==
        "nasvm exec --quiet --np 1 -x NASVM_TEST_A,B=1\\,2,C=3,D=4 -- ./a");
  ::unsetenv("NASVM_TEST_A");
}

TEST_CASE("mpiexec: a variable that is not set is left out", "[exec]") {
  CHECK(line_of("-n 1 -x NASVM_TEST_NOTHING ./a") == "nasvm exec --quiet --np 1 -- ./a");
  CHECK(line_of("-n 1 -x NASVM_TEST_NOTHING -x B=1 ./a") == "nasvm exec --quiet --np 1 -x B=1 -- ./a");
}

TEST_CASE("mpiexec: values keep their commas and backslashes", "[exec]") {
  const std::vector<std::string> variables{"A=x\\", "B=y", "C=\\,", "D=\\\\", "E=\\n"};
  Session session;
  std::vector<std::string> seen;
  session.program_behaviour = [&](const ExecSpec& spec, const ExecOptions& options) {
    seen = options.variables;
    return good_exec_result(spec, options);
  };
  std::vector<std::string> line{"mpiexec", "-n", "1"};
  for (const std::string& variable : variables) line.insert(line.end(), {"-x", variable});
  line.emplace_back("./a");
  CHECK(session(line) == 0);
  CHECK(seen == variables);
}

TEST_CASE("mpiexec: what means nothing here is passed over", "[exec]") {
  CHECK(line_of("--oversubscribe --mca btl tcp,self --bind-to core --map-by node -n 2 ./a") ==
        "nasvm exec --quiet --np 2 -- ./a");
  CHECK(line_of("--bind-to none -n 2 ./a") == "nasvm exec --quiet --bind none --np 2 -- ./a");
  CHECK(line_of("--gmca a b --prefix /opt/mpi --nooversubscribe --display-map -v -n 2 ./a") ==
        "nasvm exec --quiet --np 2 -- ./a");
}

TEST_CASE("mpiexec: how tasks are placed is passed over with one host alone", "[exec]") {
  CHECK(line_of("-n 4 -ppn 2 ./a") == "nasvm exec --quiet --np 4 -- ./a");
  CHECK(line_of("-N 3 ./a") == "nasvm exec --quiet --np 3 -- ./a");
  CHECK(line_of("-n 2 --rank-by core --host localhost:2 ./a") ==
        "nasvm exec --quiet --np 2 --host localhost:2 -- ./a");
  const std::string hosts = " --host 127.0.0.1,127.0.0.2 -n 2 ./a";
  CHECK(line_of("--map-by slot:OVERSUBSCRIBE" + hosts) ==
        "nasvm exec --quiet --host 127.0.0.1,127.0.0.2 --np 2 -- ./a");
  for (const std::string option : {"-ppn 1", "-N 1", "--npernode 1", "--map-by node", "--rank-by node"}) {
    CAPTURE(option);
    CHECK_THROWS_WITH(line_of(option + hosts), Contains(option.substr(0, option.find(' '))) && Contains("slots=N"));
  }
}

TEST_CASE("mpiexec: says its version, and is known as mpirun", "[exec]") {
  for (const std::string option : {"--version", "-V", "-version"}) CHECK(line_of(option) == "nasvm --version");
  Session session;
  CHECK(session({"mpirun", "--version"}) == 0);
  CHECK_THAT(session.out, Contains("nasvm "));
  CHECK(session({"mpirun", "-n", "2", "./a"}) == 0);
}

TEST_CASE("mpiexec: the program runs in the folder that -wdir names", "[exec]") {
  CHECK(line_of("-wdir d -n 2 ./a") == "nasvm exec --quiet --folder d --np 2 -- ./a");
  const Folder folder;
  const std::string there = folder.file("there");
  std::filesystem::create_directory(there);
  Session session;
  ExecOptions seen;
  session.program_behaviour = [&](const ExecSpec& spec, const ExecOptions& options) {
    seen = options;
    return good_exec_result(spec, options);
  };
  CHECK(session({"mpiexec", "--wdir", there, "-n", "1", "bin/a"}) == 0);
  CHECK(seen.folder == there);
  CHECK(seen.program == there + "/bin/a");
  CHECK(session({"mpiexec", "--wdir", there, "-n", "1", "a"}) == 0);
  CHECK(seen.program == "a");
  CHECK(session({"mpiexec", "--wdir", folder.file("nowhere"), "-n", "1", "a"}) == 2);
  CHECK_THAT(session.err, Contains("--folder") && Contains("there is no such folder"));
}

TEST_CASE("mpiexec: wrong lines are refused, and help is given", "[exec]") {
  CHECK_THROWS_WITH(line_of("-n"), Contains("-n: its value is missing"));
  CHECK_THROWS_WITH(line_of("-n 2"), Contains("name a program"));
  CHECK_THROWS_WITH(line_of("-n 1 ./a : -n 1 ./b"), Contains("several programs (:)"));
  CHECK_THROWS_WITH(line_of("--bogus ./a"), Contains("--bogus: this option is not known"));
  CHECK(line_of("--help") == "nasvm mpiexec --help");
  Session session;
  CHECK(session({"mpiexec", "--help"}) == 0);
  CHECK_THAT(session.out, Contains("-machinefile") && Contains("--oversubscribe"));
  Session wrong;
  CHECK(wrong({"mpiexec", "--bogus", "./a"}) == 2);
  CHECK(wrong.err_lines() == 1);
}

TEST_CASE("mpiexec: runs a program once, says nothing, and has its exit status", "[exec]") {
  Session session;
  std::vector<ExecOptions> seen;
  session.program_behaviour = [&](const ExecSpec& spec, const ExecOptions& options) {
    seen.push_back(options);
    return good_exec_result(spec, options);
  };
  CHECK(session({"mpiexec", "-n", "3", "-x", "A=1,2", "./a", "-x"}) == 0);
  CHECK((session.out + session.err).empty());
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].program == "./a");
  CHECK(seen[0].arguments == std::vector<std::string>{"-x"});
  CHECK(seen[0].variables == std::vector<std::string>{"A=1,2"});
  CHECK(seen[0].task_counts == std::vector<int>{3});

  session.program_behaviour = [](const ExecSpec&, const ExecOptions&) -> ExecResult { throw RunError("it failed"); };
  session.program_status = 17;
  CHECK(session({"mpiexec", "-n", "3", "./a"}) == 17);
  CHECK(session.err_lines() == 1);
}

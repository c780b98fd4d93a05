/// \file
/// Programs of others over the real mpirun: read, timed out, interrupted, and gone afterwards.

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "../../fake_executor.hpp"
#include "support/deadline.hpp"
#include "support/process.hpp"
#include "support/skip.hpp"
#include "vm/system/mpi/mpi_program.hpp"

using namespace nasvm;
using namespace nasvm::test;
using Catch::Contains;

namespace {

/// Is mpirun there? Without it there is nothing to test.
bool has_mpirun() { return std::system("command -v mpirun >/dev/null 2>&1") == 0; }

std::string script(const Folder& folder, const std::string& name, const std::string& commands) {
  const std::string path = folder.write(name, "#!/bin/sh\n" + commands + "\n");
  ::chmod(path.c_str(), 0755);
  return path;
}

/// What the script prints is our own result block: `nasvm` stands in for a peer.
std::string own_block_script() {
  return built_program("nasvm") + " run ep --class S --np 1 --transport direct --format npb";
}

}  // namespace

TEST_CASE("programs of others run on as many tasks as asked, and what they print is kept") {
  if (!has_mpirun()) return skip("mpirun is not installed");
  const Folder folder;
  const std::string program = script(folder, "p", "echo rank $OMPI_COMM_WORLD_RANK; echo complaint >&2; exit 0");
  const MpiProgramResult result = run_mpi_program({program, 3}, no_timeout);
  std::vector<std::string> lines = result.output;
  std::ranges::sort(lines);
  CHECK(lines == std::vector<std::string>{"rank 0", "rank 1", "rank 2"});
  CHECK(std::ranges::count(result.errors, "complaint") == 3);
  CHECK(result.ended_well);
  CHECK_FALSE(result.overdue);
}

TEST_CASE("how a program of others ends is told") {
  if (!has_mpirun()) return skip("mpirun is not installed");
  const Folder folder;
  const MpiProgramResult result = run_mpi_program({script(folder, "p", "exit 16"), 1}, no_timeout);
  CHECK_FALSE(result.ended_well);
  CHECK(result.ending == "exited with status 16");
}

TEST_CASE("a program of others that is overdue is ended with all its tasks") {
  if (!has_mpirun()) return skip("mpirun is not installed");
  const Folder folder;
  const std::string pid_file = folder.file("pid");
  const std::string program = script(folder, "p", "echo $$ > " + pid_file + "; exec sleep 600");
  std::string pid;
  // As long as it takes until the program is there before its time is over.
  for (auto timeout = std::chrono::seconds(1); pid.empty() && timeout < deadline_length(); timeout *= 2) {
    const MpiProgramResult result = run_mpi_program({program, 1}, timeout);
    CHECK(result.overdue);
    CHECK_FALSE(result.ended_well);
    pid = content(pid_file);
  }
  REQUIRE_FALSE(pid.empty());
  CHECK_FALSE(is_running(std::stoi(pid)));
}

TEST_CASE("peers: measures ours and a peer over the real machine") {
  if (!has_mpirun()) return skip("mpirun is not installed");
  const Folder folder;
  script(folder, "ep.S.x", own_block_script());
  const ProcessResult result =
      run_process(built_program("nasvm"), {"peers", "ep", "--bin", folder.file(""), "--class", "S", "--np", "1",
                                           "--runs", "2", "--warmup", "0", "--format", "json"});
  INFO(result.err);
  CHECK(result.exit_status == 0);
  const Document document = from_json(result.out, "standard output");
  REQUIRE(document.records<PeerRecord>().size() >= 2);  // more where conditions changed
  CHECK(document.records<PeerRecord>()[0].verified);
  CHECK(document.records<PeerRecord>()[0].time_s > 0);
  REQUIRE(document.records<RunRecord>().size() >= 2);
  CHECK(document.records<PeerRecord>()[0].sampled.conditions.has_value());
  CHECK(document.records<RunRecord>()[0].sampled.conditions.has_value());
}

TEST_CASE("peers: interrupted while a peer runs, it ends the peer and itself") {
  if (!has_mpirun()) return skip("mpirun is not installed");
  const Folder folder;
  const std::string pid_file = folder.file("pid");
  script(folder, "ep.S.x", "echo $$ > " + pid_file + "; exec sleep 600");
  const pid_t pid = start_process_quietly(built_program("nasvm"), {"peers", "ep", "--bin", folder.file(""), "--class",
                                                                   "S", "--np", "1", "--warmup", "0"});
  REQUIRE(eventually([&] { return content(pid_file).find('\n') != std::string::npos; }));
  const auto started = descendants(pid);
  CHECK(started.size() >= 3);  // a daemon, mpirun, the peer
  ::kill(pid, SIGINT);
  int status = 0;
  REQUIRE(eventually([&] { return ::waitpid(pid, &status, WNOHANG) == pid; }));
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGINT);
  CHECK(eventually([&] { return std::ranges::none_of(started, is_running); }));
}

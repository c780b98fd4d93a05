#include "vm/system/mpi/mpirun_listener.hpp"

#include <catch2/catch.hpp>
#include <sstream>
#include <string>
#include <vector>

using namespace nasvm;

namespace {

/// The ends that mpirun tells in these lines.
std::vector<TaskEnd> ends_in(const std::string& text) {
  MpirunListener listener;
  std::vector<TaskEnd> ends;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (auto end = listener.hear(line)) ends.push_back(*std::move(end));
  }
  return ends;
}

using Ends = std::vector<TaskEnd>;

}  // namespace

TEST_CASE("mpirun tells of a task that a signal has killed", "[systems]") {
  CHECK(ends_in("--------------------------------------------------------------------------\n"
                "Primary job  terminated normally, but 1 process returned\n"
                "a non-zero exit code. Per user-direction, the job has been aborted.\n"
                "--------------------------------------------------------------------------\n"
                "--------------------------------------------------------------------------\n"
                "mpirun noticed that process rank 1 with PID 0 on node lab0 exited on signal 9 (Killed).\n"
                "--------------------------------------------------------------------------\n") ==
        Ends{{1, Gravity::killed, "was killed by signal 9 (SIGKILL)"}});
}

TEST_CASE("mpirun tells of a task that has exited, in a block of lines", "[systems]") {
  CHECK(ends_in("--------------------------------------------------------------------------\n"
                "mpirun detected that one or more processes exited with non-zero status, thus causing\n"
                "the job to be terminated. The first process to do so was:\n"
                "\n"
                "  Process name: [[57513,1],2]\n"
                "  Exit code:    5\n"
                "--------------------------------------------------------------------------\n") ==
        Ends{{2, Gravity::exited, "exited with status 5"}});
}

TEST_CASE("mpirun tells of a task that has left without a word", "[systems]") {
  CHECK(ends_in("mpirun has exited due to process rank 3 with PID 4711 on\n"
                "node lab0 exiting improperly. There are three reasons this could occur:\n") ==
        Ends{{3, Gravity::exited, "exited before its end"}});
}

TEST_CASE("an exit code without a process is nobody's", "[systems]") {
  CHECK(ends_in("  Exit code:    5\n").empty());
}

TEST_CASE("other words of mpirun tell of no end", "[systems]") {
  CHECK(ends_in("mpirun was unable to launch the specified application as it could not access\n"
                "or execute an executable:\n"
                "\n"
                "Executable: /nowhere/program\n"
                "Node: lab0\n"
                "\n"
                "while attempting to start process rank 0.\n")
            .empty());
  CHECK(ends_in("process rank \nprocess rank x with PID 1 on node a exited on signal 9\nExit code:\n\n").empty());
}

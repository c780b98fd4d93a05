/// \file
/// `--threads` as the tasks have it.

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "kernels/kernel.hpp"
#include "support/process.hpp"

using namespace nasvm;
using namespace nasvm::test;
using Catch::Contains;

namespace {

/// Threads of a process; 0 when it is gone.
std::size_t threads_of(pid_t pid) {
  std::error_code error;
  const std::filesystem::directory_iterator threads("/proc/" + std::to_string(pid) + "/task", error);
  return error ? 0 : static_cast<std::size_t>(std::distance(begin(threads), end(threads)));
}

}  // namespace

TEST_CASE("every kernel computes with the threads that were asked for, in every task", "[heavy]") {
  for (const Kernel& kernel : kernels()) {
    CAPTURE(kernel.name);
    const pid_t pid =
        start_process_quietly(built_program("nasvm"), {"run", std::string(kernel.name), "--class", "A", "--np", "2",
                                                       "--threads", "3", "--transport", "direct", "--runs", "100"});
    const auto both_have_three = [&] {
      const auto all = descendants(pid);
      return std::ranges::count_if(all, [](pid_t one) { return threads_of(one) == 3; }) == 2;
    };
    CHECK(eventually(both_have_three));
    ::kill(pid, SIGINT);
    int status = 0;
    CHECK(eventually([&] { return ::waitpid(pid, &status, WNOHANG) == pid; }));
  }
}

TEST_CASE("more threads than the system allows are refused before anything starts") {
  const ProcessResult result =
      run_process(built_program("nasvm"), {"run", "ep", "--np", "4096", "--threads", "1024"});
  CHECK(result.exit_status == 2);
  CHECK_THAT(result.err, Contains("4194304 threads") && Contains("this system allows"));
  CHECK(std::ranges::count(result.err, '\n') == 1);
}

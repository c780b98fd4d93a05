// The file cache in full: the appendix program with 1 to 17 tasks over each transport, caches from one block to all,
// files from nothing to beyond 4 GiB; tasks that are killed; calls in which a task is missing. Takes minutes, so it
// is asked for: `vm_tests "[.full][files]"`. It writes a line for each case; results/io-conformance has them.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>

#include "chaos.hpp"

using namespace nasvm;
using namespace nasvm::test;

namespace {

void print_line(const std::string& line) {
  std::puts(line.c_str());
  std::fflush(stdout);
}

struct Size {
  const char* name;
  int n;           ///< elements in each direction
  int per_access;  ///< elements
  int begin_mib;
};

/// An element has 32 bytes, a block of the cache 64 KB.
constexpr Size sizes[] = {{"0 B", 0, 1, 0},
                          {"32 B", 1, 1, 0},
                          {"62.5 KB", 12, 1, 0},
                          {"2 MB", 40, 3, 0},
                          {"8.7 MB", 65, 65, 0},
                          {"2 MB from 4095 MiB on", 40, 3, 4095},
                          {"2 MB from 9 GiB on", 40, 1, 9216}};

/// Nothing; or what went wrong.
std::string error_of_run(Machine& machine, const Machine::Program& program) {
  try {
    machine.run(program);
    return {};
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("the appendix program verifies every byte: tasks, transports, caches and files in full", "[.full][files]") {
  Folder folder;
  print_line("transport\ttasks\tcache KB\tfile\toutcome");
  for (const char* transport : {"shm", "direct", "daemon"}) {
    auto machine = std::make_unique<Machine>(Machine::Options{two_hosts(9), "local"});
    for (int tasks = 1; tasks <= 17; ++tasks) {
      for (const int disk_kb : {64, 256, 65536}) {
        for (const Size& size : sizes) {
          const std::string path = folder.file("ex.bin");
          const std::string error = error_of_run(
              *machine,
              files_program("files: appendix", tasks, transport, path,
                            {size.n, size.per_access, disk_kb == 64 ? 0 : 512, disk_kb, tasks % 2, size.begin_mib}));
          print_line(fmt::format("{}\t{}\t{}\t{}\t{}", transport, tasks, disk_kb, size.name,
                                 error.empty() ? "right" : error));
          CHECK(error.empty());
          if (!error.empty()) machine = std::make_unique<Machine>(Machine::Options{two_hosts(9), "local"});
          std::filesystem::remove(path);
        }
      }
    }
  }
}

TEST_CASE("what was flushed is on disk, in full", "[.full][files]") {
  print_line("seed\ttransport\ttasks\tparameters\tkilled\tafter us\trounds flushed\toutcome");
  for (int seed = 0; seed < 300; ++seed) {
    const ChaosOutcome outcome = chaos(seed);
    print_line(fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}", seed, outcome.transport, outcome.tasks,
                           outcome.parameters, outcome.victim, outcome.microseconds, outcome.flushed,
                           outcome.fault.empty() ? "as promised" : outcome.fault));
    CHECK_THAT(outcome.error, Catch::Contains("signal 14"));
    CHECK(outcome.fault.empty());
  }
}

TEST_CASE("every collective call names a task that is missing, in full", "[.full][files]") {
  constexpr const char* calls[] = {"do_open",  "do_flush", "do_close", "do_preload",
                                   "do_csize", "do_lsize", "do_gsync"};
  print_line("transport\ttasks\tcall\tthe last task\tafter s\terror");
  for (const char* transport : {"shm", "direct", "daemon"}) {
    for (int call = 0; call < static_cast<int>(std::size(calls)); ++call) {
      for (const int tasks : {2, 5}) {
        for (const int waits : {0, 1}) {
          Folder folder;
          Machine machine({two_hosts(3), "local"});
          const auto reports =
              machine.run(files_program("files: absent", tasks, transport, folder.file("a"), {call, waits}));
          const std::string wanted =
              fmt::format("task {} {}", tasks - 1, waits != 0 ? "waits in another call" : "has ended");
          const std::string& first = reports[0];
          const auto end = first.find('\n');
          REQUIRE(end != std::string::npos);
          std::string error = first.substr(0, end);
          CHECK_THAT(error, Catch::StartsWith(calls[call]) && Catch::EndsWith(wanted));
          const auto at = error.find(folder.file(""));
          if (at != std::string::npos) error.erase(at, folder.file("").size());
          print_line(fmt::format("{}\t{}\t{}\t{}\t{:.2f}\t{}", transport, tasks, calls[call],
                                 waits != 0 ? "waits" : "has ended", std::stod(first.substr(end + 1)), error));
        }
      }
    }
  }
}

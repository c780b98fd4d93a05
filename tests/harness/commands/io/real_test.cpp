/// \file
/// `nasvm io` over a real machine, with files on a real disk.

#include <signal.h>
#include <sys/wait.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>

#include "../../fake_executor.hpp"
#include "harness/cli/values.hpp"
#include "harness/commands/io/methods/method.hpp"
#include "support/deadline.hpp"
#include "support/process.hpp"
#include "support/skip.hpp"

using namespace nasvm;
using namespace nasvm::test;

namespace {

/// A list of all methods of our own machine, and of Open MPI's where that is here.
std::string methods_here() {
  const bool has_mpi = std::filesystem::exists(built_program("nasvm-mpi-task"));
  if (!has_mpi) skip("nasvm-mpi-task is not built: no MPI-IO");
  std::string list;
  for (const IoMethodRow& row : io_methods()) {
    if (row.system.empty() || has_mpi) list += (list.empty() ? "" : ",") + std::string(row.name);
  }
  return list;
}

}  // namespace

TEST_CASE("io measures every method, every byte is right, and no file stays", "[io]") {
  const Folder folder;
  const std::string methods = methods_here();
  const std::string disk = std::filesystem::path(folder.write("file", "")).parent_path().string();
  const ProcessResult result =
      run_process(built_program("nasvm"), {"io", "--method", methods,  "--np",      "1,3",   "--grid",    "21",
                                           "-t", "32,100",   "--disk", "64k,1M",    "--dir", disk + "/.", "--mounted",
                                           disk, "--runs",   "1",      "--timeout", "60",    "--format",  "json"});
  INFO(result.err);
  REQUIRE(result.exit_status == 0);
  const Document document = from_json(result.out, "standard output");
  REQUIRE(document.records<IoRecord>().size() ==
          (static_cast<std::size_t>(std::ranges::count(methods, ',')) + 2) * 2 * 2);
  for (const IoRecord& record : document.records<IoRecord>()) {
    CAPTURE(record.method, record.np, record.access_bytes);
    CHECK(record.verified);
    CHECK(record.file_bytes == 21 * 21 * 21 * 32);
    CHECK(record.folder == disk);
    CHECK(record.time.write_s > 0);
    CHECK(record.time.read_s > 0);
    const bool cached = record.method == "edonio" || record.method == "auto";
    CHECK((record.cost.disk_bytes >= record.file_bytes) == cached);
    CHECK((record.transport == "mpi") == !io_method(record.method).system.empty());
    CHECK(record.communication_s > 0);
  }
  CHECK(std::distance(std::filesystem::directory_iterator(disk), {}) == 1);
}

TEST_CASE("io leaves no file where it is interrupted", "[io]") {
  const Folder folder;
  const std::string disk = std::filesystem::path(folder.write("file", "")).parent_path().string();
  const auto files = [&] { return std::distance(std::filesystem::directory_iterator(disk), {}); };
  const pid_t pid = start_process_quietly(built_program("nasvm"), {"io", "--method", "posix", "--np", "2", "--grid",
                                                                   "600", "-t", "32", "--dir", disk, "--runs", "1"});
  REQUIRE(eventually([&] { return files() == 2; }));
  ::kill(pid, SIGINT);
  int status = 0;
  REQUIRE(eventually([&] { return ::waitpid(pid, &status, WNOHANG) == pid; }));
  CHECK(files() == 1);
}

TEST_CASE("io has every pattern by every method, from disk too", "[io]") {
  const Folder folder;
  const std::string disk = std::filesystem::path(folder.write("file", "")).parent_path().string();
  const ProcessResult result = run_process(built_program("nasvm"), {"io",
                                                                    "--method",
                                                                    methods_here(),
                                                                    "--pattern",
                                                                    "strided,segmented,random,array,readers",
                                                                    "-b",
                                                                    "96k",
                                                                    "-t",
                                                                    "1536",
                                                                    "--grid",
                                                                    "30",
                                                                    "--np",
                                                                    "3",
                                                                    "--disk",
                                                                    "128k",
                                                                    "--drop-cache",
                                                                    "--dir",
                                                                    disk,
                                                                    "--mounted",
                                                                    disk,
                                                                    "--runs",
                                                                    "1",
                                                                    "--timeout",
                                                                    "60",
                                                                    "--format",
                                                                    "json"});
  INFO(result.err);
  REQUIRE(result.exit_status == 0);
  const Document document = from_json(result.out, "standard output");
  CHECK(document.records<IoRecord>().size() >= 5 * 4);
  for (const IoRecord& record : document.records<IoRecord>()) {
    CAPTURE(record.method, record.pattern);
    CHECK(record.verified);
    CHECK(record.cold);
    CHECK(record.file_bytes == (record.pattern == "array" ? 8 * 30 * 30 * 30 : 3 * 96 * 1024));
    CHECK((record.grid == 0) == (record.pattern != "array"));
  }
}

TEST_CASE("auto reads straight from the page cache what that serves faster", "[io]") {
  const Folder folder;
  const std::string disk = std::filesystem::path(folder.write("file", "")).parent_path().string();
  const ProcessResult result = run_process(
      built_program("nasvm"), {"io", "--method", "edonio,auto", "--np", "2", "--pattern", "segmented", "-t", "32,4k",
                               "-b", "256k", "--dir", disk, "--runs", "1", "--timeout", "60", "--format", "json"});
  INFO(result.err);
  REQUIRE(result.exit_status == 0);
  const Document document = from_json(result.out, "standard output");
  REQUIRE(document.records<IoRecord>().size() == 4);
  for (const IoRecord& record : document.records<IoRecord>()) {
    CAPTURE(record.method, record.access_bytes);
    // The file cache reads from disk what it has not got: the file has been closed.
    const bool reads_by_cache = record.cost.disk_bytes >= 2 * record.file_bytes;
    CHECK(reads_by_cache == (record.method == "edonio" || record.access_bytes == 32));
  }
}

TEST_CASE("io: what a disk has no room for is told where it is written, also by MPI-IO", "[io]") {
  const Folder folder;
  const std::string disk = std::filesystem::path(folder.write("file", "")).parent_path().string();
  for (const std::string& method : split(methods_here(), ',')) {
    if (method != "posix" && io_method(method).system.empty()) continue;
    CAPTURE(method);
    // No file of this run can be longer: as on a full disk, a write is cut short.
    std::vector<std::string> arguments{"-c", R"(ulimit -f 81920; trap '' XFSZ; exec "$0" "$@")",
                                       built_program("nasvm")};
    for (const char* word : {"io", "--np", "1", "--pattern", "segmented", "-b", "96M", "-t", "1M", "--runs", "1"}) {
      arguments.emplace_back(word);
    }
    arguments.insert(arguments.end(), {"--dir", disk, "--method", method});
    const ProcessResult result = run_process("/bin/sh", arguments);
    CHECK(result.exit_status == 3);
    CHECK_THAT(result.err, Catch::Contains("cannot be written"));
  }
}

TEST_CASE("io refuses what it cannot measure", "[io]") {
  const auto error_of = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "io");
    const ProcessResult result = run_process(built_program("nasvm"), arguments);
    CHECK(result.exit_status == 2);
    return result.err;
  };
  CHECK_THAT(error_of({"--method", "posixx"}), Catch::Contains("edonio, posix, mmap"));
  CHECK_THAT(error_of({"--access", "0"}), Catch::Contains("1 bytes at least"));
  CHECK_THAT(error_of({"--disk", "4k"}), Catch::Contains("65536 bytes at least"));
  CHECK_THAT(error_of({"--disk", "1q"}), Catch::Contains("such as 32, 64k, 2M or 1G"));
  CHECK_THAT(error_of({"--data", "1"}),
             Catch::Contains("--data 1: 65536 bytes at least") && Catch::Contains("0: none"));
  CHECK_THAT(error_of({"--pattern", "random,strided", "--grid", "20"}),
             Catch::Contains("--grid: of what? pattern random, strided has blocks (-b)"));
  CHECK_THAT(error_of({"-b", "1M"}), Catch::Contains("--block: of what? pattern elements has a grid (--grid)"));
  CHECK_THAT(error_of({"--dir", "/no/such/folder"}), Catch::Contains("no such folder"));
  CHECK_THAT(error_of({"--dir", "/" + std::string(300, 'x')}), Catch::Contains("File name too long"));
  CHECK_THAT(error_of({"--pattern", "spiral"}), Catch::Contains("strided, segmented"));
  CHECK_THAT(error_of({"--pattern", "random", "-b", "1000", "-t", "32"}), Catch::Contains("no whole number"));
  CHECK_THAT(error_of({"--pattern", "segmented", "-b", "9223372036854775808"}),
             Catch::Contains("no file is as long"));
  CHECK_THAT(error_of({"--method", "mounted"}), Catch::Contains("--mounted names the folder"));
  CHECK_THAT(error_of({"--mounted", "/tmp"}), Catch::Contains("is for --method mounted"));
  CHECK_THAT(error_of({"--method", "mounted", "--mounted", "tmp"}), Catch::Contains("whole path"));
  CHECK_THAT(error_of({"--transport", "mpi"}), Catch::Contains("no file cache"));
}

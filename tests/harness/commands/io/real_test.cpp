/// \file
/// `nasvm io` over a real machine, with files on a real disk.

#include <catch2/catch.hpp>

#include <filesystem>

#include "../../fake_executor.hpp"
#include "harness/commands/io/methods/method.hpp"
#include "support/process.hpp"

using namespace nasvm;
using namespace nasvm::test;

TEST_CASE("io measures every method, every byte is right, and no file stays", "[io]") {
  const Folder folder;
  const std::string disk = std::filesystem::path(folder.write("file", "")).parent_path().string();
  const ProcessResult result =
      run_process(built_program("nasvm"), {"io", "--np", "1,3", "--grid", "21", "-t", "32,100", "--disk", "64k,1M",
                                           "--dir", disk, "--runs", "1", "--timeout", "60", "--format", "json"});
  INFO(result.err);
  REQUIRE(result.exit_status == 0);
  const Document document = from_json(result.out, "standard output");
  REQUIRE(document.records<IoRecord>().size() == (io_methods().size() + 1) * 2 * 2);
  for (const IoRecord& record : document.records<IoRecord>()) {
    CAPTURE(record.method, record.np, record.access_bytes);
    CHECK(record.verified);
    CHECK(record.file_bytes == 21 * 21 * 21 * 32);
    CHECK(record.time.write_s > 0);
    CHECK(record.time.read_s > 0);
    CHECK((record.cost.disk_bytes >= record.file_bytes) == (record.method == "edonio"));
  }
  CHECK(std::distance(std::filesystem::directory_iterator(disk), {}) == 1);
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
  CHECK_THAT(error_of({"--dir", "/no/such/folder"}), Catch::Contains("no such folder"));
  CHECK_THAT(error_of({"--transport", "mpi"}), Catch::Contains("no file cache"));
}

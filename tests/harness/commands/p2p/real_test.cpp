/// \file
/// `nasvm p2p` over real machines: every transport of the table, every yardstick, one host and two.

#include <catch2/catch.hpp>

#include <filesystem>

#include "../../fake_executor.hpp"
#include "harness/commands/p2p/pair/yardstick.hpp"
#include "support/process.hpp"
#include "support/skip.hpp"
#include "vm/system/runner.hpp"
#include "vm/transport/table.hpp"

using namespace nasvm;
using namespace nasvm::test;

namespace {

Document measured(const std::string& paths, const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"p2p",    "--transport", paths,       "-m", "0:128k",   "-i",
                                     "3",      "-x",          "1",         "-W", "4",        "-c",
                                     "--runs", "1",           "--timeout", "60", "--format", "json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const ProcessResult result = run_process(built_program("nasvm"), arguments);
  INFO(result.err);
  REQUIRE(result.exit_status == 0);
  return from_json(result.out, "standard output");
}

void check(const Document& document, const std::string& path, std::size_t sizes) {
  std::size_t records = 0;
  for (const P2pRecord& record : document.records<P2pRecord>()) {
    if (record.transport != path) continue;
    ++records;
    CAPTURE(path, record.bytes);
    CHECK(record.method == path);
    CHECK(record.data == DataCheck::passed);
    CHECK(record.iterations == 3);
    CHECK(record.latency.median_us > 0);
    CHECK((record.bandwidth.median_mb_s > 0) == (record.bytes > 0));
  }
  CHECK(records == sizes);
}

}  // namespace

TEST_CASE("p2p measures every transport, and all data arrive as sent") {
  for (const TransportRow& row : transports()) check(measured(std::string(row.name), {}), std::string(row.name), 19);
}

TEST_CASE("p2p measures message systems where they are built in") {
  for (const SystemRow& row : message_systems()) {
    const std::string name(row.name);
    if (const std::string lack = lack_for(row); !lack.empty()) {
      skip(lack);
    } else {
      check(measured(name, {}), name, 19);
    }
  }
}

TEST_CASE("p2p measures every yardstick, which has no empty messages") {
  std::string paths;
  for (const Yardstick& one : yardsticks()) paths += (paths.empty() ? "" : ",") + std::string(one.name);
  const Document document = measured(paths, {});
  for (const Yardstick& one : yardsticks()) check(document, std::string(one.name), 18);
}

TEST_CASE("p2p measures between the first and the last host of a hostfile") {
  const Folder folder;
  const std::string hosts = folder.write("hosts", "127.0.0.1 slots=2\n127.0.0.2 slots=4\n127.0.0.3 slots=1\n");
  const Document document = measured("daemon,direct,raw-tcp", {"--hostfile", hosts});
  REQUIRE(document.machine.hosts.size() == 2);
  CHECK(document.machine.hosts[1].name == document.machine.hosts[0].name);  // as this computer names itself
  check(document, "daemon", 19);
  check(document, "direct", 19);
  check(document, "raw-tcp", 18);
}

namespace {

Document measured_by(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "p2p");
  arguments.insert(arguments.end(), {"--runs", "1", "--timeout", "60", "--format", "json"});
  const ProcessResult result = run_process(built_program("nasvm"), arguments);
  INFO(result.err);
  REQUIRE(result.exit_status == 0);
  return from_json(result.out, "standard output");
}

void check_collectives(const std::string& path) {
  const Document document = measured_by(
      {"--collective", "all", "--np", "3", "--transport", path, "-m", "8:64k", "-i", "2", "-x", "1", "-c"});
  CAPTURE(path);
  CHECK(document.records<CollectiveRecord>().size() == 1 + 5 * 14);
  for (const CollectiveRecord& record : document.records<CollectiveRecord>()) {
    CHECK(record.np == 3);
    CHECK(record.method == path);
    CHECK(record.data == DataCheck::passed);
    CHECK(record.time.median_us > 0);
  }
}

}  // namespace

TEST_CASE("p2p measures every collective over every transport, with right results") {
  for (const TransportRow& row : transports()) check_collectives(std::string(row.name));
}

TEST_CASE("p2p measures collectives of Open MPI where it is built in") {
  if (std::filesystem::exists(built_program("nasvm-mpi-task"))) check_collectives("mpi");
}

TEST_CASE("p2p runs the coupled model over two transports, and all data are right") {
  const Document document =
      measured_by({"--coupled", "--np", "4", "--skip-poll", "adaptive,20", "-m", "16:16", "-i", "20", "-x", "2"});
  REQUIRE(document.records<CoupledRecord>().size() == 6);
  for (const CoupledRecord& record : document.records<CoupledRecord>()) {
    CAPTURE(record.transport);
    CHECK(record.np == 4);
    CHECK(record.iterations == 20);
    CHECK(record.latency.mean_us > 0);
    CHECK(record.data == DataCheck::passed);
  }
}

TEST_CASE("p2p measures two transports at once, in one program") {
  for (const std::string other : {"direct", "daemon"}) {
    const Document document = measured_by({"--mixed", "--transport", "shm," + other, "--skip-poll", "adaptive,1,64",
                                           "-m", "0:1", "-i", "20", "-x", "2"});
    REQUIRE(document.records<MixedRecord>().size() == 12);
    for (const MixedRecord& record : document.records<MixedRecord>()) {
      CHECK(record.latency.mean_us > 0);
      CHECK(record.iterations >= (record.transport == "shm" ? 20 : 4));
    }
  }
}

TEST_CASE("p2p measures two transports at once between two hosts") {
  const Folder folder;
  const std::string hosts = folder.write("hosts", "127.0.0.1\n127.0.0.2\n");
  CHECK(measured_by({"--mixed", "--hostfile", hosts, "--skip-poll", "8", "-i", "20", "-x", "2"})
            .records<MixedRecord>()
            .size() == 4);
}

TEST_CASE("p2p measures with several buffers, and all data arrive as sent") {
  const Document document =
      measured_by({"--transport", "shm,direct", "--buffers", "8", "-m", "1:64k", "-i", "3", "-x", "1", "-c"});
  for (const P2pRecord& record : document.records<P2pRecord>()) {
    CHECK(record.data == DataCheck::passed);
    CHECK(record.buffers == 8);
  }
}

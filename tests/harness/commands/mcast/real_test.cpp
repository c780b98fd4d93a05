/// \file
/// `nasvm mcast` over real machines: every protocol of the table and the yardstick, one host and several, beside
/// message systems; and the papers' figures in a lab, skipped where no hosts can be made.

#include <catch2/catch.hpp>

#include <cmath>
#include <filesystem>

#include "../../fake_executor.hpp"
#include "support/lab.hpp"
#include "support/process.hpp"
#include "support/skip.hpp"
#include "vm/system/runner.hpp"

using namespace nasvm;
using namespace nasvm::test;

namespace {

Document measured(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "mcast");
  arguments.insert(arguments.end(), {"-i", "3", "-x", "1", "--runs", "1", "--timeout", "60", "--format", "json"});
  const ProcessResult result = run_process(built_program("nasvm"), arguments);
  INFO(result.err);
  REQUIRE(result.exit_status == 0);
  return from_json(result.out, "standard output");
}

void check(const Document& document, std::size_t records) {
  REQUIRE(document.records<McastRecord>().size() == records);
  for (const McastRecord& record : document.records<McastRecord>()) {
    CAPTURE(record.protocol, record.receivers, record.bytes);
    CHECK(record.iterations == 3);
    // On one computer. Of nothing Comm's own broadcast brings nothing: its receivers need not wait for the sender.
    if (record.kind == McastKind::copies) continue;
    if (record.bytes > 0 || record.chosen.empty()) CHECK(record.last.median_s > 0);
    if (record.kind == McastKind::unreliable) continue;
    CHECK(record.data == DataCheck::passed);
    CHECK(record.time.median_s > 0);
  }
}

}  // namespace

TEST_CASE("mcast measures every protocol, and all data arrive as sent") {
  check(measured({"--receivers", "1,3", "-m", "0,1,1000,100000", "-c"}), (multicast::protocols().size() + 3) * 2 * 4);
}

TEST_CASE("mcast measures between hosts, without authentication, with parameters") {
  const Folder folder;
  const std::string hosts = folder.write("hosts", "127.0.0.1 slots=2\n127.0.0.2\n127.0.0.3\n");
  const Document document = measured({"--hostfile", hosts, "--receivers", "2", "-m", "20000:20000", "-c", "--no-auth",
                                      "--protocol", "nak,raw", "--packet", "1000,1400"});
  check(document, 4);
  CHECK(document.machine.hosts.size() == 3);
  for (const McastRecord& record : document.records<McastRecord>()) {
    CAPTURE(record.protocol, record.parameters);
    CHECK_FALSE(record.authenticated);
    CHECK(record.packet_bytes == (record.parameters == "packet=1000" ? 1000 : 1400));
    CHECK(record.cost.data_packets >= std::ceil(20'000.0 / static_cast<double>(record.packet_bytes)));
  }
}

TEST_CASE("mcast says what the program has chosen by itself") {
  const Folder folder;
  const std::string hosts = folder.write("hosts", "127.0.0.1\n127.0.0.2\n127.0.0.3\n127.0.0.4\n");
  const Document document =
      measured({"--hostfile", hosts, "--receivers", "1,3", "-m", "20000:20000", "-c", "--protocol", "auto"});
  check(document, 2);
  const auto& records = document.records<McastRecord>();
  CHECK(records.front().chosen.starts_with("messages (one other host: "));
  const bool reached = records.back().unreached == 0;
  CHECK(records.back().chosen.starts_with(reached ? "nak (anything else: " : "messages (multicast reaches fewer"));
}

TEST_CASE("mcast: the group that the program makes by itself is as asked for") {
  const Folder folder;
  const std::string hosts = folder.write("hosts", "127.0.0.1\n127.0.0.2\n127.0.0.3\n127.0.0.4\n");
  const Document document = measured({"--hostfile", hosts, "--receivers", "3", "-m", "20000:20000", "-c",
                                      "--protocol", "auto,nak", "--no-auth", "--ttl", "2"});
  check(document, 2);
  const auto& records = document.records<McastRecord>();
  CHECK(records[0].packet_bytes == records[1].packet_bytes);  // without a tag
  for (const McastRecord& record : records) {
    CHECK_FALSE(record.authenticated);
    CHECK(record.ttl == 2);
  }
}

TEST_CASE("mcast measures message systems beside") {
  for (const SystemRow& row : message_systems()) {
    const std::string name(row.name);
    if (const std::string lack = lack_for(row); !lack.empty()) {
      skip(lack);
    } else {
      check(measured({"--protocol", "fanout", "--beside", name, "--receivers", "3", "-m", "1,1000", "-c"}), 4);
    }
  }
}

TEST_CASE("real mcast figures: in a lab, and nothing stays", "[heavy]") {
  const Folder folder;
  const ProcessResult result = run_process(
      built_program("nasvm"),
      {"mcast", "--figures", "3.4,7", "--quick", "--runs", "1", "-i", "2", "--out", folder.file("out put")});
  if (lacks_lab(result.err)) return skip(result.err);
  INFO(result.err);
  CHECK(result.exit_status == 0);
  const Document document = read_document(folder.file("out put/figures.json"));
  CHECK(document.machine.hosts.size() == 9);
  CHECK(document.records<McastRecord>().size() == 3 * 2 * 2 + 2);
  for (const char* name : {"report.md", "report.html", "figure3.4.svg", "figure7.svg"}) {
    CHECK(std::filesystem::file_size(folder.file("out put") + "/" + name) > 0);
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder.file("out put"))) {
    CHECK(entry.path().extension() != ".hosts");
  }
}

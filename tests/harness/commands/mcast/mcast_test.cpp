#include "harness/commands/mcast/mcast.hpp"

#include <catch2/catch.hpp>

#include "../../fake_executor.hpp"
#include "harness/commands/mcast/views.hpp"
#include "sample_rows.hpp"

using namespace nasvm;
using namespace nasvm::test;
using Catch::Contains;

namespace {

struct McastSession : Session {
  McastSession() { protocols = mcast_rows; }
};

/// The data of one size arrive wrong with nak.
McastReport wrong_with_nak(const McastSpec& spec, const McastOptions& options) {
  McastReport report = good_mcast_report(spec, options);
  if (spec.variant.protocol != "nak") return report;
  report.records[0].data = DataCheck::failed;
  report.complaints = {"1024 bytes: byte 3 arrived at rank 1 as 0x00 instead of 0x01"};
  return report;
}

}  // namespace

TEST_CASE("mcast: measures every protocol in every round and prints the table") {
  McastSession session;
  CHECK(session({"mcast", "--protocol", "nak,raw", "--receivers", "2,4", "--runs", "2", "-m", "1k,64k"}) == 0);
  CHECK(session.mcast_seen.size() == 8);
  CHECK_THAT(session.out, Contains("Known") && Contains("than raw"));
  CHECK(session.err.empty());
}

TEST_CASE("mcast: the document has the contract's members, with its units") {
  McastSession session;
  CHECK(session({"mcast", "--protocol", "nak", "-W", "20", "--receivers", "3", "--runs", "2", "-m", "10000:10000",
                 "--beside", "mpi", "--format", "json"}) == 0);
  for (const char* name : {"protocol", "receivers", "bytes", "packet_bytes", "window", "time_s", "throughput_mbit_s",
                           "data_packets", "retransmitted", "control_packets"}) {
    CHECK_THAT(session.out, Contains(fmt::format("\"{}\"", name)));
  }
  const Document document = from_json(session.out, "out");
  CHECK(document.machine == small_machine());
  REQUIRE(document.records<McastRecord>().size() == 4);
  const McastRecord& first = document.records<McastRecord>()[0];
  CHECK(first.protocol == "nak");
  CHECK(first.parameters == "window=20");
  CHECK(first.receivers == 3);
  CHECK(first.bytes == 10'000);
  CHECK(first.time.median_s == Approx(0.002));
  CHECK(first.throughput_mbit_s() == Approx(40));
  CHECK(first.cost.data_packets == 7);
  CHECK(document.records<McastRecord>()[1].kind == McastKind::system);
  CHECK(document.records<McastRecord>()[2].repeat == 1);
}

TEST_CASE("mcast: protocols that have not got a parameter are measured without it, which is said") {
  McastSession session;
  CHECK(session({"mcast", "--protocol", "fanout,nak", "--poll", "3,5", "--runs", "1"}) == 0);
  CHECK(session.mcast_seen.size() == 3);
  CHECK(session.err == "nasvm: --poll: fanout has no such parameter: measured without\n");
}

TEST_CASE("mcast: whom multicast does not reach is said once") {
  McastSession session;
  session.mcast_behaviour = [](const McastSpec& spec, const McastOptions& options) {
    McastReport report = good_mcast_report(spec, options);
    for (McastRecord& record : report.records) record.unreached = 1;
    report.remarks = {"multicast does not reach far: they get a copy each"};
    return report;
  };
  CHECK(session({"mcast", "--protocol", "nak", "--runs", "3"}) == 0);
  CHECK(session.err == "nasvm: multicast does not reach far: they get a copy each\n");
  CHECK_THAT(session.out, Contains("did not reach all receivers"));
}

TEST_CASE("mcast: data that arrived wrong have no figure, and the exit status is 1") {
  for (const std::string_view format : format_names_of("mcast")) {
    McastSession session;
    session.mcast_behaviour = wrong_with_nak;
    CAPTURE(format);
    CHECK(session({"mcast", "--protocol", "nak,fanout", "--runs", "1", "-m", "1024:1024", "-c", "--format",
                   std::string(format)}) == 1);
    CHECK(session.mcast_seen.size() == 2);
    CHECK(session.err ==
          "nasvm: nak: data arrived wrong: 1024 bytes: byte 3 arrived at rank 1 as 0x00 instead of 0x01\n");
  }
}

TEST_CASE("mcast: samples under other conditions are taken again, and left out of the figures") {
  const auto is_far = [](const std::string& protocol, int receivers, int repeat) {
    return protocol == "nak" && receivers == 4 && repeat == 1;
  };
  McastSession session;
  session.mcast_behaviour = [&](const McastSpec& spec, const McastOptions& options) {
    const bool far = is_far(spec.variant.protocol, spec.receivers, spec.repeat);
    McastReport report = good_mcast_report(spec, options);
    report.sampled.conditions =
        Conditions{far ? 250.0 : 55.0, 12, 0, 0, 10 + 0.001 * static_cast<double>(session.mcast_seen.size())};
    return report;
  };
  const Folder folder;
  CHECK(session({"mcast", "--protocol", "fanout,nak", "--receivers", "2,4", "--runs", "3", "-m", "8:8",
                 "--export-json", folder.file("f")}) == 0);
  REQUIRE(session.mcast_seen.size() == 13);
  CHECK(session.mcast_seen.back().variant.protocol == "nak");
  CHECK(session.mcast_seen.back().receivers == 4);
  CHECK(session.mcast_seen.back().repeat == 3);
  const auto records = read_document(folder.file("f")).records<McastRecord>();
  REQUIRE(records.size() == 13);
  for (const McastRecord& record : records) {
    CAPTURE(record.protocol, record.receivers, record.repeat);
    CHECK(record.sampled.changed == is_far(record.protocol, record.receivers, record.repeat));
  }
  CHECK_THAT(session.out, Contains("1.201"));  // the median of nak to 4; with that sample 1.151
  CHECK_THAT(session.out,
             Contains("Conditions: core to core 55 ns, memory 12.0 GB/s, stolen 0.0 % of a core, load by others 0.0; "
                      "1 of 13 samples were under others and count only where there are no more."));
  CHECK(session.err.empty());
}

TEST_CASE("mcast: a run that cannot finish ends with exit 3, and what was measured before is kept") {
  const Folder folder;
  McastSession session;
  session.mcast_behaviour = [](const McastSpec& spec, const McastOptions& options) {
    if (spec.variant.protocol == "nak") throw RunError("task 1 was killed by signal 9");
    return good_mcast_report(spec, options);
  };
  CHECK(session({"mcast", "--protocol", "fanout,nak", "-m", "8:8", "--export-json", folder.file("f")}) == 3);
  CHECK(session.err == "nasvm: task 1 was killed by signal 9\n");
  CHECK(read_document(folder.file("f")).records<McastRecord>().size() == 1);
}

TEST_CASE("mcast: exports hold the same results, and compare prints what mcast printed") {
  const Folder folder;
  McastSession session;
  CHECK(session({"mcast", "--protocol", "nak,raw", "--beside", "mpi", "--runs", "2", "-m", "1k,2k", "-c",
                 "--export-json", folder.file("j"), "--export-csv", folder.file("c"), "--export-markdown",
                 folder.file("m")}) == 0);
  CHECK(read_document(folder.file("j")).records<McastRecord>().size() == 12);
  const std::string csv = content(folder.file("c"));
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 13);
  CHECK(content(folder.file("m")).find("| ---: |") != std::string::npos);
  Session printed;
  CHECK(printed({"compare", folder.file("j")}) == 0);
  CHECK(printed.out == session.out);
  Session both;
  CHECK(both({"compare", folder.file("j"), folder.file("j")}) == 0);
  CHECK_THAT(both.out, Contains("File B"));
}

TEST_CASE("mcast: regress judges protocols, not what they are held against") {
  const Folder folder;
  Document document;
  for (const char* protocol : {"nak", "raw", "mpi"}) {
    document.records<McastRecord>().push_back(mcast_record(2, 1000, 3));
    document.records<McastRecord>().back().protocol = protocol;
  }
  document.records<McastRecord>()[1].kind = McastKind::unreliable;
  document.records<McastRecord>()[2].kind = McastKind::system;
  const std::vector<Compared> all = compared_mcast(document);
  REQUIRE(all.size() == 1);
  CHECK(all[0].name == "mcast of 1000 bytes to 2 receivers, nak");
  CHECK(all[0].value == Approx(0.003));
  CHECK(all[0].figure.unit == "s");
}

TEST_CASE("mcast: what carried packets makes another case, where it is not the usual") {
  McastSession session;
  CHECK(session({"mcast", "--protocol", "nak,raw,auto", "--receivers", "2", "--runs", "1", "-m", "8:8", "--transport",
                 "direct", "--ttl", "4", "--format", "json"}) == 0);
  const Document document = from_json(session.out, "out");
  const auto& records = document.records<McastRecord>();
  REQUIRE(records.size() == 3);
  CHECK(records[0].transport == "direct");  // over links, in these rows
  CHECK(records[0].ttl == 1);
  CHECK(records[1].transport == "auto");
  CHECK(records[1].ttl == 4);
  CHECK(records[2].transport == "direct");
  CHECK(records[2].ttl == 4);
  CHECK(compared_mcast(document).at(0).name == "mcast of 8 bytes to 2 receivers, nak, over direct");
  const std::vector<Source> sources{{"", document}};
  CHECK_THAT(mcast_csv(sources), Contains(",chosen,transport,ttl,conditions_changed\n"));
  CHECK_THAT(text_of(mcast_grids(sources, Columns::usual).at(0)),
             Contains("nak, over direct") && Contains("raw, ttl 4") && Contains("auto, over direct, ttl 4"));
}

TEST_CASE("mcast: fewer than 100 messages have no p99, and the one that older documents have is not shown") {
  Document document;
  document.records<McastRecord>() = {mcast_record(2, 1000, 3)};  // p99 6 ms
  McastRecord& record = document.records<McastRecord>()[0];
  record.protocol = "nak";
  const auto table = [&] { return text_of(mcast_grids(std::vector<Source>{{"", document}}, Columns::all).at(0)); };
  const auto csv = [&] { return mcast_csv(std::vector<Source>{{"", document}}); };
  record.iterations = 100;
  CHECK_THAT(table(), Contains("6.000"));
  CHECK_THAT(csv(), Contains(",0.006,"));
  record.iterations = 99;
  CHECK_THAT(table(), !Contains("6.000"));
  CHECK_THAT(csv(), !Contains(",0.006,") && !Contains("nan"));
  CHECK_THAT(to_json(document), Contains("\"time_p99_s\": 0.006,"));
  record.time.p99_s = McastTime{}.p99_s;
  CHECK_THAT(csv(), !Contains("nan"));
  CHECK_THAT(to_json(document), Contains("\"time_p99_s\": null,"));
  CHECK(from_json(to_json(document), "again") == document);
}

TEST_CASE("mcast: of fewer than six messages nothing says where the median lies at 95 %, and a document keeps it") {
  Document document;
  document.records<McastRecord>() = {mcast_record(2, 1000, 4)};
  McastRecord& record = document.records<McastRecord>()[0];
  record.protocol = "nak";
  const auto table = [&] { return text_of(mcast_grids(std::vector<Source>{{"", document}}, Columns::all).at(0)); };
  record.iterations = 6;
  CHECK_THAT(table(), Contains("3.500") && Contains("5.000") && Contains("from, to: "));
  record.iterations = 5;
  CHECK_THAT(table(), !Contains("3.500") && !Contains("5.000"));
  CHECK_THAT(mcast_csv(std::vector<Source>{{"", document}}), Contains(",0.004,,,"));
  CHECK_THAT(to_json(document), Contains("\"time_low_s\": 0.0035,"));
  record.time.low_s = record.time.high_s = McastTime{}.low_s;
  CHECK_THAT(to_json(document), Contains("\"time_low_s\": null, \"time_high_s\": null,"));
}

TEST_CASE("mcast: the table says of how many receptions some were incomplete, with all columns of each size") {
  Document document;
  auto& records = document.records<McastRecord>();
  for (const std::uint64_t bytes : {1000U, 2000U}) {
    records.push_back(mcast_record(3, bytes, 4));
    records.back().protocol = "raw";
    records.back().kind = McastKind::unreliable;
    records.back().iterations = 5;
  }
  records.back().incomplete = 3;
  const auto table = [&](Columns columns) {
    return text_of(mcast_grids(std::vector<Source>{{"", document}}, columns).at(0));
  };
  CHECK_THAT(table(Columns::usual), Contains("raw: 3 of 30 receptions were incomplete;") && !Contains("Incomplete"));
  CHECK_THAT(table(Columns::all), Contains("Incomplete") && Contains("20.00"));
  for (McastRecord& record : records) record.kind = McastKind::protocol;
  CHECK_THAT(table(Columns::all), !Contains("Incomplete"));
}

TEST_CASE("mcast: notes name the protocols and systems that are there, and what packets of links are") {
  Document document;
  auto& records = document.records<McastRecord>();
  for (const char* protocol : {"tree:degree=2", "nak", "pvm:broadcast=mcast"}) {
    records.push_back(mcast_record(3, 1000, 4));
    records.back().protocol = protocol;
  }
  records.back().kind = McastKind::system;
  CHECK_THAT(text_of(mcast_grids(std::vector<Source>{{"", document}}, Columns::usual).at(0)),
             Contains("\ntree: packets are pieces") && Contains("\npvm: a broadcast, and an answer"));
}

TEST_CASE("mcast: of a document with no more than the contract's members the rest is not known, not 0") {
  const Folder folder;
  const std::string file = folder.write("other.json", R"({"schema": "nasvm-result/1", "mcast": [{"protocol": "nak",
      "receivers": 3, "bytes": 8, "packet_bytes": 1472, "window": 64, "time_s": 0.5, "throughput_mbit_s": 0.000128,
      "data_packets": 1, "retransmitted": 0, "control_packets": 3}]})");
  Session csv;
  CHECK(csv({"compare", file, "--format", "csv"}) == 0);
  CHECK_THAT(csv.out, Catch::Contains(",0.5,,,,,,") && !Catch::Contains("nan"));
  Session json;
  CHECK(json({"compare", file, "--format", "json"}) == 0);
  CHECK_THAT(json.out, Catch::Contains("\"time_s\": 0.5, \"time_low_s\": null"));
}

TEST_CASE("mcast: rows say which packets were not authenticated") {
  Document document;
  document.records<McastRecord>() = {mcast_record(2, 1000, 3)};
  document.records<McastRecord>()[0].protocol = "nak";
  Document other = document;
  other.records<McastRecord>()[0].authenticated = false;
  const std::vector<Source> sources{{"a.json", document}, {"b.json", other}};
  CHECK_THAT(text_of(mcast_grids(sources, Columns::usual).at(0)), Contains("nak, not authenticated"));
}

TEST_CASE("mcast: a yardstick is as fast as its runs in which a message arrived whole") {
  Document document;
  auto& records = document.records<McastRecord>();
  for (const double ms : {4.0, 0.0, 2.0}) {
    records.push_back(mcast_record(2, 1000, ms));
    records.back().protocol = "raw";
    records.back().kind = McastKind::unreliable;
    if (ms == 0) records.back().time = records.back().last = {};
  }
  records.push_back(mcast_record(2, 1000, 1));
  records.back().protocol = "nak";
  const std::vector<Source> sources{{"", document}};
  CHECK_THAT(text_of(mcast_grids(sources, Columns::usual).at(0)), Contains("3.00x"));
}

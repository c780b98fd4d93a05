#include "harness/commands/p2p/p2p.hpp"

#include <catch2/catch.hpp>

#include "../../fake_executor.hpp"
#include "harness/report/condition_lines.hpp"

using namespace nasvm;
using test::content;
using test::Folder;
using test::good_p2p_report;
using test::Session;

namespace {

/// The data of one size over `direct` arrive wrong.
P2pReport wrong_at_8(const P2pSpec& spec, const P2pOptions& options) {
  P2pReport report = good_p2p_report(spec, options);
  if (spec.path != "direct") return report;
  for (P2pRecord& record : report.records) {
    if (record.bytes == 8) record.data = DataCheck::failed;
  }
  report.complaints = {"8 bytes, stream: byte 3 arrived as 0x00 instead of 0x01"};
  return report;
}

}  // namespace

TEST_CASE("p2p: measures every path in every round and prints the table") {
  Session session;
  CHECK(session({"p2p", "--transport", "daemon,direct", "--runs", "2", "-m", "4:8"}) == 0);
  CHECK(session.p2p_seen.size() == 4);
  CHECK(session.out.find("Latency") != std::string::npos);
  CHECK(session.err.empty());
}

TEST_CASE("p2p: the document has the envelope of all results, and every repeat") {
  Session session;
  CHECK(session({"p2p", "--transport", "direct,raw-tcp", "--runs", "2", "-m", "8:8", "--format", "json"}) == 0);
  const Document document = from_json(session.out, "out");
  CHECK(document.machine == test::small_machine());
  CHECK(document.command.at(1) == "p2p");
  CHECK(document.records<RunRecord>().empty());
  REQUIRE(document.records<P2pRecord>().size() == 4);
  CHECK(document.records<P2pRecord>()[2].transport == "raw-tcp");
  CHECK(document.records<P2pRecord>()[2].repeat == 1);
  CHECK(document.records<P2pRecord>()[0].bytes == 8);
  CHECK(document.records<P2pRecord>()[0].latency.median_us == Approx(10.008));
  for (const char* name : {"\"transport\"", "\"bytes\"", "\"latency_us\"", "\"bandwidth_mb_s\"", "\"iterations\""}) {
    CHECK(session.out.find(name) != std::string::npos);
  }
}

TEST_CASE("p2p: data that arrived wrong have no figure, and the exit status is 1") {
  for (const std::string_view format : test::format_names_of("p2p")) {
    Session session;
    session.p2p_behaviour = wrong_at_8;
    CAPTURE(format);
    const std::string sizes = format == "table6" ? "1,8" : "8:8";  // it has none of 8 bytes
    CHECK(session({"p2p", "--transport", "direct,daemon", "--runs", "1", "-m", sizes, "-c", "--format",
                   std::string(format)}) == 1);
    CHECK(session.p2p_seen.size() == 2);
    CHECK(session.out.find("10.00") == std::string::npos);  // the latency over direct, in microseconds
    CHECK(session.err ==
          "nasvm: direct: data arrived wrong: 8 bytes, stream: byte 3 arrived as 0x00 instead of 0x01\n");
  }
}

TEST_CASE("p2p: a run that cannot finish ends with exit 3, and what was measured before is kept") {
  const Folder folder;
  Session session;
  session.p2p_behaviour = [](const P2pSpec& spec, const P2pOptions& options) {
    if (spec.path == "direct") throw RunError("task 1 was killed by signal 9");
    return good_p2p_report(spec, options);
  };
  CHECK(session({"p2p", "--transport", "daemon,direct", "-m", "8:8", "--export-json", folder.file("f")}) == 3);
  CHECK(session.err == "nasvm: task 1 was killed by signal 9\n");
  CHECK(session.out.find("daemon") != std::string::npos);
  const Document document = read_document(folder.file("f"));
  CHECK(document.records<P2pRecord>().size() == 1);
  CHECK(document.interrupted == PartRecord{1, 6});  // three runs of each
  CHECK_THAT(session.out, Catch::Contains("\nNot complete: 1 of 6 planned runs were carried out.\n"));
}

TEST_CASE("p2p: a document says that it is not complete until it is") {
  const Folder folder;
  const std::string file = folder.file("f");
  Session session;
  std::vector<std::uint64_t> done;
  session.p2p_behaviour = [&](const P2pSpec& spec, const P2pOptions& options) {
    if (const std::string text = content(file); !text.empty()) {
      done.push_back(from_json(text, file).interrupted.value_or(PartRecord{}).done);
    }
    return good_p2p_report(spec, options);
  };
  CHECK(session({"p2p", "--transport", "daemon,direct", "--runs", "2", "-m", "8:8", "--export-json", file}) == 0);
  CHECK(done == std::vector<std::uint64_t>{1, 2, 3});
  CHECK_FALSE(read_document(file).interrupted);
  CHECK_THAT(content(file), !Catch::Contains("interrupted"));
}

TEST_CASE("p2p: a run that fails at once prints no empty table") {
  Session session;
  session.p2p_behaviour = [](const P2pSpec&, const P2pOptions&) -> P2pReport { throw RunError("no daemon"); };
  CHECK(session({"p2p"}) == 3);
  CHECK(session.out.empty());
}

TEST_CASE("p2p: exports hold the same results in every format") {
  const Folder folder;
  Session session;
  CHECK(session({"p2p", "--transport", "direct,daemon", "--runs", "2", "-m", "1:4", "--export-json", folder.file("j"),
                 "--export-csv", folder.file("c"), "--export-markdown", folder.file("m")}) == 0);
  CHECK(read_document(folder.file("j")).records<P2pRecord>().size() == 12);
  const std::string csv = content(folder.file("c"));
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 13);
  CHECK(content(folder.file("m")).find("| ---: |") != std::string::npos);
}

TEST_CASE("p2p: an export that cannot be opened is refused before anything runs") {
  const Folder folder;
  Session session;
  CHECK(session({"p2p", "--export-csv", folder.file("no/such/f")}) == 2);
  CHECK(session.p2p_seen.empty());
}

TEST_CASE("p2p: progress is shown at a terminal only, and removed") {
  Session session;
  session.terminal = true;
  CHECK(session({"p2p", "--transport", "direct", "--runs", "1"}) == 0);
  CHECK(session.err.find("p2p, direct") != std::string::npos);
  CHECK(session.err.rfind("\r\033[K") == session.err.size() - 4);
}

TEST_CASE("compare: prints of a saved p2p document what p2p printed") {
  const Folder folder;
  for (const std::string_view format : test::format_names_of("p2p")) {
    const std::string name(format);
    if (name == "csv") continue;  // names the file
    Session measured;
    CHECK(measured({"p2p", "--table6", "--format", name, "--export-json", folder.file("f")}) == 0);
    Session printed;
    CHECK(printed({"compare", folder.file("f"), "--format", name}) == 0);
    CAPTURE(name);
    CHECK(printed.out == measured.out);
  }
}

TEST_CASE("compare: sets two p2p documents side by side, and refuses what cannot stand there") {
  const Folder folder;
  Session session;
  CHECK(session({"p2p", "--transport", "direct", "-m", "8:8", "--export-json", folder.file("p")}) == 0);
  CHECK(session({"run", "ep", "--export-json", folder.file("r")}) == 0);

  Session both;
  CHECK(both({"compare", folder.file("p"), folder.file("p")}) == 0);
  CHECK(both.out.find("  A     direct") != std::string::npos);
  CHECK(both.out.find("  B     direct") != std::string::npos);
  Session mixed;
  CHECK(mixed({"compare", folder.file("p"), folder.file("r")}) == 2);
  CHECK(mixed.err.find("like with like") != std::string::npos);
  Session format;
  CHECK(format({"compare", folder.file("r"), "--format", "osu"}) == 2);
  CHECK(format({"compare", folder.file("p"), "--format", "npb"}) == 2);
  CHECK(format.err_lines() == 2);
}

TEST_CASE("p2p: collectives and mixed transports are runs, exports and documents like any other") {
  const Folder folder;
  const std::vector<std::vector<std::string>> kinds{
      {"--collective", "allreduce,barrier", "--np", "4", "--transport", "auto,mpi", "-m", "8:64"},
      {"--mixed", "--skip-poll", "adaptive,4"}};
  for (const std::vector<std::string>& kind : kinds) {
    Session measured;
    std::vector<std::string> arguments{"p2p",          "--runs",        "2", "--export-json", folder.file("f"),
                                       "--export-csv", folder.file("c")};
    arguments.insert(arguments.end(), kind.begin(), kind.end());
    CAPTURE(kind[0]);
    CHECK(measured(arguments) == 0);
    CHECK(measured.p2p_seen.size() == 4);
    const Document document = read_document(folder.file("f"));
    CHECK(document.records<P2pRecord>().empty());
    CHECK(document.records<CollectiveRecord>().size() + document.records<MixedRecord>().size() ==
          (kind[0] == "--mixed" ? 16 : 20));
    Session printed;
    CHECK(printed({"compare", folder.file("f")}) == 0);
    CHECK(printed.out == measured.out);
    const std::string csv = content(folder.file("c"));
    CHECK(std::count(csv.begin(), csv.end(), '\n') == (kind[0] == "--mixed" ? 17 : 21));
  }
}

TEST_CASE("p2p: mixed records keep their transports and get their value of skip_poll") {
  Session session;
  CHECK(session({"p2p", "--mixed", "--skip-poll", "4", "--runs", "1", "-m", "8:8", "--format", "json"}) == 0);
  const Document document = from_json(session.out, "out");
  REQUIRE(document.records<MixedRecord>().size() == 2);
  CHECK(document.records<MixedRecord>()[0].transport == "shm");
  CHECK(document.records<MixedRecord>()[1].transport == "direct");
  CHECK(document.records<MixedRecord>()[1].skip_poll == 4);
}

TEST_CASE("p2p: samples under other conditions are taken again, and left out of the figures") {
  Session session;
  session.p2p_behaviour = [&session](const P2pSpec& spec, const P2pOptions& options) {
    const bool far = spec.path == "direct" && spec.repeat == 1;
    P2pReport report = good_p2p_report(spec, options);
    // No two runs take equally long.
    const double elapsed_s = 10 + 0.001 * static_cast<double>(session.p2p_seen.size());
    report.sampled.conditions = Conditions{far ? 250.0 : 55.0, 12, 0, 0, elapsed_s};
    return report;
  };
  const Folder folder;
  CHECK(session({"p2p", "--transport", "daemon,direct", "--runs", "3", "-m", "8:8", "--export-json",
                 folder.file("f")}) == 0);
  REQUIRE(session.p2p_seen.size() == 7);
  CHECK(session.p2p_seen.back().path == "direct");
  CHECK(session.p2p_seen.back().repeat == 3);
  const auto records = read_document(folder.file("f")).records<P2pRecord>();
  REQUIRE(records.size() == 7);
  for (const P2pRecord& record : records) {
    CAPTURE(record.transport, record.repeat);
    CHECK(record.sampled.changed == (record.transport == "direct" && record.repeat == 1));
  }
  CHECK(session.out.find("12.01") != std::string::npos);  // direct's median; with that sample 11.51
  CHECK(session.out.find(
            "Conditions: core to core 55 ns, memory 12.0 GB/s, stolen 0.0 % of a core, load by others 0.0; "
            "1 of 7 samples were under others and count only where there are no more.") != std::string::npos);
  CHECK(session.err.empty());
}

TEST_CASE("p2p: of mixed transports one value of skip_poll is taken again, and a sample is apart as a whole") {
  Session session;
  session.p2p_behaviour = [](const P2pSpec& spec, const P2pOptions& options) {
    const bool far = spec.skip_poll == 4 && spec.repeat == 1;
    P2pReport report = good_p2p_report(spec, options);
    report.sampled.conditions = Conditions{far ? 250.0 : 55.0, 12, 0, 0, 10};
    return report;
  };
  const Folder folder;
  CHECK(session({"p2p", "--mixed", "--skip-poll", "adaptive,4", "--runs", "3", "-m", "8:16", "--export-json",
                 folder.file("f")}) == 0);
  REQUIRE(session.p2p_seen.size() == 7);
  CHECK(session.p2p_seen.back().skip_poll == 4);
  CHECK(session.p2p_seen.back().repeat == 3);
  const auto records = read_document(folder.file("f")).records<MixedRecord>();
  REQUIRE(records.size() == 7 * 4);  // two transports, two sizes
  for (const MixedRecord& record : records) {
    CAPTURE(record.skip_poll, record.repeat);
    CHECK(record.sampled.changed == (record.skip_poll == 4 && record.repeat == 1));
  }
}

TEST_CASE("p2p: what is said of the engine's own skip_poll calls it adaptive, as the table does") {
  Session session;
  session.p2p_behaviour = [](const P2pSpec& spec, const P2pOptions& options) {
    P2pReport report = good_p2p_report(spec, options);
    const double apart = spec.skip_poll == 0 ? 500.0 * spec.repeat : 0;
    report.sampled.conditions = Conditions{55.0 + apart, 12, 0, 0, 10};
    return report;
  };
  CHECK(session({"p2p", "--mixed", "--skip-poll", "adaptive,4", "--runs", "3", "-m", "8"}) == 0);
  CHECK_THAT(session.err, Catch::Contains("p2p, skip_poll adaptive: 1 of "));
}

TEST_CASE("p2p: a run is one sample, however many sizes it has") {
  Document document;
  for (const double run : {0, 1}) {
    for (const std::uint64_t bytes : {8, 16, 32}) {
      P2pRecord record = test::p2p_record("direct", bytes, 10);
      record.sampled = {Conditions{run > 0 ? 250.0 : 55.0, 12, 0, 0, 10 + run}, run > 0};
      document.records<P2pRecord>().push_back(record);
    }
  }
  const Source source{"", document};
  CHECK(condition_lines<P2pRecord>(std::span(&source, 1))
            .at(0)
            .ends_with("1 of 2 samples were under others and count only where there are no more."));
}

TEST_CASE("p2p: samples are judged also where a run breaks off, and CSV says which are set apart") {
  const Folder folder;
  Session session;
  session.p2p_behaviour = [&session](const P2pSpec& spec, const P2pOptions& options) {
    const std::size_t runs = session.p2p_seen.size();
    if (runs == 5) throw RunError("a task was killed");
    P2pReport report = good_p2p_report(spec, options);
    report.sampled.conditions = Conditions{runs == 2 ? 250.0 : 55.0, 12, 0, 0, static_cast<double>(runs)};
    return report;
  };
  CHECK(session({"p2p", "--transport", "direct", "--runs", "6", "-m", "8:8", "--export-json", folder.file("f"),
                 "--export-csv", folder.file("c")}) == 3);
  const auto records = read_document(folder.file("f")).records<P2pRecord>();
  REQUIRE(records.size() == 4);
  for (std::size_t i = 0; i < records.size(); ++i) CHECK(records[i].sampled.changed == (i == 1));
  const std::vector<std::string> lines = test::lines_of_text(content(folder.file("c")));
  CHECK(lines.at(0).ends_with(",conditions_changed"));
  CHECK(lines.at(1).ends_with(",false"));
  CHECK(lines.at(2).ends_with(",true"));
}

TEST_CASE("compare: pairs, collectives and mixed transports do not stand in one table") {
  const Folder folder;
  Session session;
  CHECK(session({"p2p", "-m", "8:8", "--export-json", folder.file("pair")}) == 0);
  CHECK(session({"p2p", "--collective", "barrier", "--export-json", folder.file("collective")}) == 0);
  Session mixed;
  CHECK(mixed({"compare", folder.file("pair"), folder.file("collective")}) == 2);
  CHECK(mixed.err.find("like with like") != std::string::npos);
  Session format;
  CHECK(format({"compare", folder.file("collective"), "--format", "table6"}) == 2);
  CHECK(format.err_lines() == 1);
}

TEST_CASE("p2p: collectives that do not fit into memory are refused before anything runs") {
  P2pOptions options;
  options.kind = P2pKind::collective;
  options.collectives = {"alltoall"};
  options.np = 8;
  options.sizes = {8, 1 << 20};
  const std::uint64_t needed = 8 * 2 * 8 * (std::uint64_t{1} << 20);
  CHECK_NOTHROW(check_memory(options, needed));
  CHECK_THROWS_WITH(check_memory(options, needed - 1),
                    Catch::Matchers::Contains("no memory: alltoall of 1048576 bytes"));
  Session session;
  CHECK(session({"p2p", "--collective", "alltoall", "--np", "4096", "-m", "1G:1G"}) == 3);
  CHECK(session.p2p_seen.empty());
}

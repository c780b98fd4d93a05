#include <unistd.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>

#include "../../fake_executor.hpp"
#include "harness/commands/history/series.hpp"
#include "support/skip.hpp"

using namespace nasvm;
using test::Folder;
using test::Session;

namespace {

Document document_at(const std::string& created, const std::string& commit, double time_s) {
  Document document = test::sample_document(3);
  document.created = created;
  document.build.commit = commit;
  for (RunRecord& run : document.records<RunRecord>()) run.time_s *= time_s;
  return document;
}

}  // namespace

TEST_CASE("history: a series has a point for each document, by time, whatever their names") {
  const std::vector<Source> sources{{"a.json", document_at("2026-11-03T00:00:00Z", "third", 3)},
                                    {"b.json", document_at("2026-11-01T00:00:00Z", "first", 1)},
                                    {"c.json", document_at("2026-11-02T00:00:00Z", "second", 2)}};
  const std::vector<Series> all = series_of(sources, commands({}));
  REQUIRE(all.size() == 2);
  CHECK(all[0].name == "ft class A, 2 tasks, daemon");
  CHECK(all[0].title == all[0].name);
  REQUIRE(all[0].points.size() == 3);
  CHECK(all[0].points[0].commit == "first");
  CHECK(all[0].points[2].file == "a.json");
  CHECK(all[0].points[0].values.size() == 3);
  CHECK(all[0].medians() == std::vector<double>{2.125, 4.25, 6.375});
}

TEST_CASE("history: each machine has a series of its own, and names say which where there are several") {
  Document other = document_at("2026-11-02T00:00:00Z", "second", 2);
  other.machine.hosts[0].cpu = "Slow CPU";
  const std::vector<Source> sources{{"a.json", document_at("2026-11-01T00:00:00Z", "first", 1)},
                                    {"b.json", other},
                                    {"c.json", document_at("2026-11-03T00:00:00Z", "third", 1)}};
  const std::vector<Series> all = series_of(sources, commands({}));
  REQUIRE(all.size() == 4);
  CHECK(all[0].title == "ft class A, 2 tasks, daemon on Fast CPU (2 cores)");
  CHECK(all[0].points.size() == 2);
  CHECK(all[2].title == "ft class A, 2 tasks, daemon on Slow CPU (2 cores)");
  CHECK(all[2].points.size() == 1);
  CHECK(all[2].name == "ft class A, 2 tasks, daemon");
  CHECK(all[2].machine == "Slow CPU (2 cores)");
}

TEST_CASE("history: a machine with another number of cores is another one") {
  Document larger = document_at("2026-11-02T00:00:00Z", "second", 2);
  larger.machine.hosts[0].cores = 16;
  const std::vector<Source> sources{{"a.json", document_at("2026-11-01T00:00:00Z", "first", 1)}, {"b.json", larger}};
  const std::vector<Series> all = series_of(sources, commands({}));
  REQUIRE(all.size() == 4);
  CHECK(all[0].title == "ft class A, 2 tasks, daemon on Fast CPU (2 cores)");
  CHECK(all[2].title == "ft class A, 2 tasks, daemon on Fast CPU (16 cores)");
}

TEST_CASE("history: hosts of which nothing but the name is known are counted, and have no processor") {
  Document more = document_at("2026-11-01T00:00:00Z", "first", 1);
  more.machine.hosts.emplace_back().name = "far";
  const std::vector<Source> sources{{"a.json", document_at("2026-11-01T00:00:00Z", "first", 1)}, {"b.json", more}};
  CHECK(series_of(sources, commands({})).back().machine == "2 hosts, Fast CPU (2 cores)");
}

TEST_CASE(
    "history: of a document with wrong results there is no figure, and samples under other conditions do not count") {
  Document document = document_at("2026-11-01T00:00:00Z", "first", 1);
  auto& runs = document.records<RunRecord>();
  for (RunRecord& run : runs) {
    if (run.transport == "daemon") run.verified = false;
  }
  runs[1].sampled.changed = true;
  const Source source{"a.json", document};
  const std::vector<Series> all = series_of(std::span(&source, 1), commands({}));
  REQUIRE(all.size() == 2);
  CHECK(all[0].points[0].wrong == 3);
  CHECK(all[0].points[0].values.empty());
  CHECK(std::isnan(all[0].medians()[0]));
  CHECK(all[1].points[0].is_right());
  CHECK(all[1].points[0].values == std::vector<double>{1.375, 1.5});
}

TEST_CASE("history: a night with wrong results has a row that says so in every format, and no median") {
  const Folder folder;
  for (const char* day : {"1", "2", "3"}) {
    Document document = document_at(std::string("2026-11-0") + day + "T00:00:00Z", "commit" + std::string(day), 1);
    if (day[0] == '2') document.records<RunRecord>()[0].verified = false;  // one of three over daemon
    (void)folder.write(std::string(day) + ".json", to_json(document));
  }
  const std::string path = folder.file("");
  Session overview;
  CHECK(overview({"history", path}) == 0);
  CHECK_THAT(overview.out, Catch::Contains("▅x▅") && Catch::Contains("+0.0 %  ▅▅▅"));
  CHECK_THAT(overview.out, Catch::Contains("\n1 of 3 documents has wrong results: their cases have no figures, x by "
                                           "time.\n"));
  Session detail;
  CHECK(detail({"history", path, "--case", "daemon"}) == 0);
  CHECK_THAT(detail.out, Catch::Contains("commit2        2  FAILED 1/3 "));
  Session csv;
  CHECK(csv({"history", path, "--format", "csv", "--case", "daemon"}) == 0);
  CHECK_THAT(csv.out, Catch::Contains(",commit2,2,,,,Fast CPU (2 cores),1\n"));
  Session svg;
  CHECK(svg({"history", path, "--format", "svg", "--case", "daemon"}) == 0);
  CHECK_THAT(svg.out, Catch::Contains("2.json: FAILED 1/3</title></path>"));
}

TEST_CASE("history: where all results are wrong there are rows that say so") {
  const Folder folder;
  Document document = document_at("2026-11-01T00:00:00Z", "first", 1);
  for (RunRecord& run : document.records<RunRecord>()) run.verified = false;
  (void)folder.write("a.json", to_json(document));
  for (const char* format : {"table", "markdown", "csv", "svg"}) {
    CAPTURE(format);
    Session session;
    CHECK(session({"history", folder.file(""), "--format", format}) == 0);
    CHECK_THAT(session.out, Catch::Contains(format[0] == 'c' ? ",,,,Fast CPU (2 cores),3\n" : "FAILED 3/3"));
    CHECK_THAT(session.out, !Catch::Contains("nan"));
  }
  Session detail;
  CHECK(detail({"history", folder.file(""), "--case", "daemon"}) == 0);
  CHECK_THAT(detail.out, Catch::Contains("FAILED 3/3") && !Catch::Contains("nan"));
}

TEST_CASE("history: a file and links to it are one document, and one elsewhere another") {
  const Folder folder;
  const Folder elsewhere;
  const std::string newest = folder.write("night.json", to_json(document_at("2026-11-02T00:00:00Z", "second", 2)));
  std::filesystem::create_symlink(newest, folder.file("latest.json"));
  const std::string first = elsewhere.write("1.json", to_json(document_at("2026-11-01T00:00:00Z", "first", 1)));
  std::filesystem::create_symlink(first, folder.file("first.json"));
  Session session;
  CHECK(session({"history", folder.file(""), "--format", "csv", "--case", "direct"}) == 0);
  CHECK(test::lines_of_text(session.out).size() == 3);
  CHECK_THAT(session.out,
             Catch::Contains("night.json") && Catch::Contains("first.json") && !Catch::Contains("latest.json"));
}

TEST_CASE("history: cases are found as tables write them, too") {
  const Folder folder;
  (void)folder.write("a.json", to_json(document_at("2026-11-01T00:00:00Z", "first", 1)));
  for (const char* text : {"FT", "FT class A", "ft Class a, 2 TASKS"}) {
    Session session;
    CHECK(session({"history", folder.file(""), "--case", text}) == 0);
    CHECK_THAT(session.out, Catch::Contains("ft class A, 2 tasks, direct"));
  }
}

TEST_CASE("history: a document with results of several commands is passed over, with a line") {
  const Folder folder;
  (void)folder.write("a.json", to_json(document_at("2026-11-01T00:00:00Z", "first", 1)));
  Document both = document_at("2026-11-02T00:00:00Z", "second", 2);
  both.records<P2pRecord>().push_back(test::p2p_record("direct", 8, 10));
  const std::string path = folder.write("both.json", to_json(both));
  Session session;
  CHECK(session({"history", folder.file("")}) == 0);
  CHECK(session.err ==
        "nasvm: passed over: " + path + ": has results of nasvm run and of nasvm p2p; expected one kind in a file\n");
}

TEST_CASE("history: files whose names are not UTF-8 leave the picture XML") {
  const Folder folder;
  (void)folder.write("\xff\xfe.json", to_json(document_at("2026-11-01T00:00:00Z", "first", 1)));
  Session session;
  CHECK(session({"history", folder.file(""), "--format", "svg"}) == 0);
  CHECK(session.out.find('\xff') == std::string::npos);
  CHECK_THAT(session.out, Catch::Contains("/\xef\xbf\xbd\xef\xbf\xbd.json: "));
}

TEST_CASE("history: samples under other conditions are points where a document has no others") {
  Document document = document_at("2026-11-01T00:00:00Z", "first", 1);
  for (RunRecord& run : document.records<RunRecord>()) run.sampled.changed = run.transport == "daemon";
  const Source source{"a.json", document};
  const std::vector<Series> all = series_of(std::span(&source, 1), commands({}));
  REQUIRE(all.size() == 2);
  CHECK(all[0].points[0].values.size() == 3);
  CHECK(all[1].points[0].values.size() == 3);
}

TEST_CASE("history: a sparkline spans from the lowest to the highest value") {
  CHECK(sparkline(std::vector<double>{1, 2, 8}) == "▁▂█");
  CHECK(sparkline(std::vector<double>{5, 5}) == "▅▅");
}

TEST_CASE("history: a sparkline of many values has the medians of neighbours") {
  const std::size_t bytes = std::string("▁").size();
  std::vector<double> values;
  for (const std::size_t count : {most_blocks, most_blocks + 1, std::size_t{1500}}) {
    values.resize(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<double>(i);
    const std::string line = sparkline(values);
    CHECK(line.size() == most_blocks * bytes);
    CHECK(line.starts_with("▁"));
    CHECK(line.ends_with("█"));
  }
  values.assign(3 * most_blocks, 1);
  values[1] = 9;  // one among three
  CHECK(sparkline(values).starts_with("▅▅"));
}

TEST_CASE("history: documents that do not say when they were made are passed over, with a line") {
  CHECK(is_time("2026-11-20T12:00:00Z"));
  CHECK(is_time("2028-02-29T23:59:60Z"));
  for (const char* text : {"", "garbage", "2026-11-20", "2026-11-20 12:00:00Z", "2026-11-20T12:00:00Z ",
                           "2026-13-40T99:00:00Z", "2026-00-10T12:00:00Z", "2026-02-29T12:00:00Z",
                           "2026-11-20T24:00:00Z", "2026-11-20T12:60:00Z", "2026-11-20T12:00:61Z"}) {
    CHECK_FALSE(is_time(text));
  }
  const Folder folder;
  (void)folder.write("a.json", to_json(document_at("2026-11-01T00:00:00Z", "first", 1)));
  const std::string wrong = folder.write("b.json", to_json(document_at("garbage", "second", 2)));
  Session session;
  CHECK(session({"history", folder.file(""), "--format", "csv"}) == 0);
  CHECK(session.err ==
        "nasvm: passed over: " + wrong + ": \"created\" is no time; expected one such as 2026-11-20T12:00:00Z\n");
  CHECK(session.out.find("second") == std::string::npos);
}

TEST_CASE("history: in CSV a case has one name, and the machine a column of its own") {
  const Folder folder;
  Document other = document_at("2026-11-02T00:00:00Z", "second", 2);
  other.machine.hosts[0].cpu = "Slow CPU";
  (void)folder.write("a.json", to_json(document_at("2026-11-01T00:00:00Z", "first", 1)));
  (void)folder.write("b.json", to_json(other));
  Session csv;
  CHECK(csv({"history", folder.file(""), "--format", "csv", "--case", "direct"}) == 0);
  const std::vector<std::string> lines = test::lines_of_text(csv.out);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] == "case,figure,unit,file,created,commit,samples,median,lowest,highest,machine,wrong");
  CHECK(lines[1].ends_with(",Fast CPU (2 cores),0"));
  CHECK(lines[2].ends_with(",Slow CPU (2 cores),0"));
  for (const std::string& line : {lines[1], lines[2]}) {
    CHECK(line.starts_with("\"ft class A, 2 tasks, direct\",time,s,"));
  }
  Session svg;
  CHECK(svg({"history", folder.file(""), "--format", "svg", "--case", "on Slow"}) == 0);
  CHECK(svg.out.find("ft class A, 2 tasks, direct on Slow CPU (2 cores), time") != std::string::npos);
}

TEST_CASE("history: the newest documents of each case alone, where that is asked for") {
  const Folder folder;
  for (const char* day : {"1", "2", "3"}) {
    (void)folder.write(std::string(day) + ".json", to_json(document_at(std::string("2026-11-0") + day + "T00:00:00Z",
                                                                       "commit" + std::string(day), std::stod(day))));
  }
  Session two;
  CHECK(two({"history", folder.file(""), "--last", "2"}) == 0);
  CHECK(two.out.find("+50.0 %  ▁█") != std::string::npos);
  Session all;
  CHECK(all({"history", folder.file(""), "--last", "9"}) == 0);
  CHECK(all.out.find("+200.0 %") != std::string::npos);
  Session none;
  CHECK(none({"history", folder.file(""), "--last", "0"}) == 2);
}

TEST_CASE("history: folders that may not be read are passed over, and the others are not") {
  if (::geteuid() == 0) return test::skip("root may read every folder");
  const Folder folder;
  (void)folder.write("a.json", to_json(document_at("2026-11-01T00:00:00Z", "first", 1)));
  const std::string closed = folder.file("closed");
  REQUIRE(std::filesystem::create_directory(closed));
  std::filesystem::permissions(closed, std::filesystem::perms::none);
  Session session;
  CHECK(session({"history", folder.file("")}) == 0);
  CHECK(session.err.find("passed over: " + closed + ": Permission denied") != std::string::npos);
  CHECK(session.out.find("ft class A") != std::string::npos);
  std::filesystem::permissions(closed, std::filesystem::perms::owner_all);
}

TEST_CASE("history: an overview of all cases, a line for each document of one, and other formats") {
  const Folder folder;
  (void)folder.write("a.json", to_json(document_at("2026-11-01T00:00:00Z", "first", 1)));
  (void)folder.write("b.json", to_json(document_at("2026-11-02T00:00:00Z", "second", 2)));
  (void)folder.write("other.json", "{\"schema\": \"another\"}");
  const std::string path = folder.file("");

  Session overview;
  CHECK(overview({"history", path}) == 0);
  CHECK(overview.out.find("ft class A, 2 tasks, direct") != std::string::npos);
  CHECK(overview.out.find("+100.0 %  ▁█") != std::string::npos);
  CHECK(overview.err.find("passed over: ") != std::string::npos);

  Session detail;
  CHECK(detail({"history", path, "--case", "direct"}) == 0);
  CHECK(detail.out.find("daemon") == std::string::npos);
  CHECK(detail.out.find("2026-11-02T00:00:00Z  second") != std::string::npos);
  CHECK(detail.out.find("#  " + folder.file("b.json") + "\n") != std::string::npos);

  Session csv;
  CHECK(csv({"history", path, "--format", "csv"}) == 0);
  CHECK(std::ranges::count(csv.out, '\n') == 5);
  CHECK(csv.out.find("2026-11-02T00:00:00Z,second,") != std::string::npos);
  Session svg;
  CHECK(svg({"history", path, "--format", "svg"}) == 0);
  CHECK(svg.out.starts_with("<svg "));
  CHECK(svg.out.ends_with("</svg>\n"));
}

TEST_CASE("history: whatever stands in a document, a line of CSV has as many fields as the head") {
  const Folder folder;
  (void)folder.write("a.json", to_json(document_at("2026-11-01T00:00:00Z", "a,\"b\"", 1)));
  Session csv;
  CHECK(csv({"history", folder.file(""), "--format", "csv"}) == 0);
  CHECK(csv.out.find(",2026-11-01T00:00:00Z,\"a,\"\"b\"\"\",") != std::string::npos);
}

TEST_CASE("history: one figure of all, and no word that is none") {
  const Folder folder;
  (void)folder.write("a.json", to_json(document_at("2026-11-01T00:00:00Z", "first", 1)));
  Session known;
  CHECK(known({"history", folder.file(""), "--figure", "time"}) == 0);
  Session unknown;
  CHECK(unknown({"history", folder.file(""), "--figure", "times"}) == 2);
  CHECK(unknown.err.find("--figure times: not known") != std::string::npos);
  CHECK_THAT(unknown.err,
             Catch::Contains("known are time, latency, mean latency, in a row, bandwidth, both ways, message rate"));
}

TEST_CASE("history: a folder without such a case is exit 2, as is no folder") {
  const Folder folder;
  Session empty;
  CHECK(empty({"history", folder.file("")}) == 2);
  CHECK(empty.err.find("no result documents there") != std::string::npos);
  CHECK_THAT(empty.err, Catch::Contains("expected those of nasvm run, ") && Catch::Contains("mcast"));
  CHECK(empty.err.find("such a case") == std::string::npos);  // none was asked for
  (void)folder.write("a.json", to_json(document_at("2026-11-01T00:00:00Z", "first", 1)));
  Session other;
  CHECK(other({"history", folder.file(""), "--case", "nothing"}) == 2);
  CHECK(other.err.find("no result documents there with such a case") != std::string::npos);
  Session missing;
  CHECK(missing({"history", folder.file("missing")}) == 2);
}

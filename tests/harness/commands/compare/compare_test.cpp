#include "harness/commands/compare/compare.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "../../fake_executor.hpp"

using namespace nasvm;
using test::Folder;
using test::Session;

TEST_CASE("compare: prints of a saved document what the run printed") {
  const Folder folder;
  for (const auto format : test::format_names_of("run")) {
    const std::string name(format);
    Session measured;
    CHECK(measured({"run", "ft", "is", "--runs", "2", "--format", name, "--export-json", folder.file("f.json")}) ==
          0);
    Session printed;
    CHECK(printed({"compare", folder.file("f.json"), "--format", name}) == 0);
    const auto without_file = [&](std::string text) {  // the CSV names the file in its first column
      for (std::size_t at = text.find(folder.file("f.json")); name == "csv" && at != std::string::npos;
           at = text.find(folder.file("f.json"))) {
        text.erase(at, folder.file("f.json").size());
      }
      return text;
    };
    CAPTURE(name);
    CHECK(without_file(printed.out) == measured.out);
  }
}

TEST_CASE("compare: sets two documents side by side, transport by transport") {
  const Folder folder;
  Document before = test::sample_document(2);
  Document after = test::sample_document(2);
  for (RunRecord& run : after.records<RunRecord>()) run.time_s /= 2;
  Session session;
  CHECK(session({"compare", folder.write("a.json", to_json(before)), folder.write("b.json", to_json(after))}) == 0);
  CHECK(session.out.find("File A:   " + folder.file("a.json")) != std::string::npos);
  CHECK(session.out.find("File B:   " + folder.file("b.json")) != std::string::npos);
  CHECK(session.out.find("daemon A/B     2.00x") != std::string::npos);
  CHECK(session.out.find("direct A/B     2.00x") != std::string::npos);
}

TEST_CASE("compare: several documents as JSON are an array") {
  const Folder folder;
  const std::string file = folder.write("a.json", to_json(test::sample_document(1)));
  Session session;
  CHECK(session({"compare", file, file, "--format", "json"}) == 0);
  CHECK(session.out.front() == '[');
  CHECK(session.out.substr(session.out.size() - 2) == "]\n");
}

TEST_CASE("compare: a run that had failed shows no speed and gives exit 1") {
  const Folder folder;
  Document document = test::sample_document(1);
  document.records<RunRecord>()[0].verified = false;
  Session session;
  CHECK(session({"compare", folder.write("a.json", to_json(document))}) == 1);
  CHECK(session.out.find("FAILED") != std::string::npos);
  CHECK(session.out.find("2.000") == std::string::npos);
}

TEST_CASE("compare: a document without results is exit 2 and one line that names it, also beside others") {
  const Folder folder;
  const std::string full = folder.write("full.json", to_json(test::sample_document(1)));
  const std::string empty = folder.write("empty.json", to_json(test::sample_document(0)));
  for (const auto& files : {std::vector{empty}, {full, empty}, {empty, full}}) {
    std::vector<std::string> arguments{"compare"};
    arguments.insert(arguments.end(), files.begin(), files.end());
    Session session;
    CHECK(session(arguments) == 2);
    CHECK(session.out.empty());
    CHECK(session.err_lines() == 1);
    CHECK(session.err.find(empty + ": has no results") != std::string::npos);
  }
}

TEST_CASE("compare: a document with results of several commands is refused") {
  const Folder folder;
  Document document = test::sample_document(1);
  document.records<P2pRecord>().push_back(test::p2p_record("direct", 8, 10));
  Session session;
  CHECK(session({"compare", folder.write("both.json", to_json(document))}) == 2);
  CHECK(session.out.empty());
  CHECK(session.err == "nasvm: " + folder.file("both.json") +
                           ": has results of nasvm run and of nasvm p2p; expected one kind in a file\n");
  Document kinds = test::sample_document(0);
  kinds.records<P2pRecord>().push_back(test::p2p_record("direct", 8, 10));
  kinds.records<CollectiveRecord>().push_back(test::collective_record("allreduce", 2, "direct", 8, 10));
  CHECK(session({"compare", folder.write("kinds.json", to_json(kinds))}) == 2);
  CHECK_THAT(session.err, Catch::Contains("nasvm p2p and of nasvm p2p --collective") ||
                              Catch::Contains("nasvm p2p --collective and of nasvm p2p"));
}

TEST_CASE("compare: all columns of p2p, where they are asked for") {
  const Folder folder;
  const std::string file = folder.file("p.json");
  Session measured;
  CHECK(measured({"p2p", "--transport", "direct,daemon", "-m", "8:8", "-f", "--export-json", file}) == 0);
  for (const char* option : {"-f", "--full"}) {
    Session printed;
    CHECK(printed({"compare", file, option}) == 0);
    CHECK(printed.out == measured.out);
  }
}

TEST_CASE("compare: a document on standard input") {
  const Folder folder;
  const std::string file = folder.write("a.json", to_json(test::sample_document(1)));
  const int before = ::dup(STDIN_FILENO);
  const int descriptor = ::open(file.c_str(), O_RDONLY);
  REQUIRE(::dup2(descriptor, STDIN_FILENO) == STDIN_FILENO);
  Session session;
  CHECK(session({"compare", "-"}) == 0);
  CHECK_THAT(session.out, Catch::Contains("daemon"));
  ::close(descriptor);
  if (before < 0) {
    ::close(STDIN_FILENO);
  } else {
    ::dup2(before, STDIN_FILENO);
    ::close(before);
  }
}

TEST_CASE("compare: a format or a view that the results do not have is refused with those that they have") {
  const Folder folder;
  Document document = test::sample_document(0);
  document.records<CollectiveRecord>().push_back(test::collective_record("allreduce", 2, "direct", 8, 10));
  const std::string file = folder.write("c.json", to_json(document));
  Session format;
  CHECK(format({"compare", file, "--format", "osu_latency"}) == 2);
  CHECK(format.err ==
        "nasvm: --format osu_latency: not made for results of --collective; there are: table, json, csv, markdown, "
        "osu\n");
  Session view;
  CHECK(view({"compare", file, "--view", "scaling"}) == 2);
  CHECK(view.err ==
        "nasvm: --view scaling: not made for results of nasvm p2p --collective; there are the usual tables alone\n");
  Session runs;
  CHECK(runs({"compare", folder.write("r.json", to_json(test::sample_document(1))), "--view", "calls"}) == 2);
  CHECK_THAT(runs.err, Catch::Contains("; there are: scaling, by-rank\n"));
}

TEST_CASE("compare: a speed that a document does not have stays unknown") {
  const Folder folder;
  Document document = test::sample_document(1);
  for (RunRecord& run : document.records<RunRecord>()) run.mops = 0;
  const std::string file = folder.write("a.json", to_json(document));
  const auto printed = [&](const char* format) {
    Session session;
    CHECK(session({"compare", file, "--format", format}) == 0);
    return session.out;
  };
  CHECK_THAT(printed("json"), Catch::Contains("\"mops\": null"));
  CHECK_THAT(printed("csv"), Catch::Contains(",2.0,,") || Catch::Contains(",2,,"));
  CHECK_THAT(printed("npb"), !Catch::Contains("Mop/s total     =                     0.00"));
  CHECK_THAT(printed("table"), Catch::Contains("Mop/s") && !Catch::Contains(" 0 "));
}

TEST_CASE("compare: what is in names goes to no terminal as a command") {
  const Folder folder;
  Document document = test::sample_document(1);
  for (RunRecord& run : document.records<RunRecord>()) run.transport = "\x1b[31mred\nline";
  const std::string file = folder.write("a.json", to_json(document));
  for (const char* format : {"table", "markdown"}) {
    Session session;
    CHECK(session({"compare", file, "--format", format}) == 0);
    CHECK(session.out.find('\x1b') == std::string::npos);
    CHECK_THAT(session.out, Catch::Contains("\\x1b[31mred\\nline"));
  }
}

TEST_CASE("compare: a document that is not complete says so") {
  const Folder folder;
  Document document = test::sample_document(1);
  document.interrupted = PartRecord{104, 600};
  const std::string file = folder.write("a.json", to_json(document));
  Session table;
  CHECK(table({"compare", file}) == 0);
  CHECK_THAT(table.out, Catch::Contains("\nNot complete: 104 of 600 planned runs were carried out.\n"));
  Session json;
  CHECK(json({"compare", file, "--format", "json"}) == 0);
  CHECK(json.out == test::content(file));
  CHECK_THAT(json.out, Catch::Contains("\"interrupted\": {\"done\": 104, \"planned\": 600}"));
}

TEST_CASE("compare: a missing file is exit 2 and one line") {
  Session session;
  CHECK(session({"compare", "/no/such/file.json"}) == 2);
  CHECK(session.err == "nasvm: /no/such/file.json: cannot be opened: No such file or directory\n");
}

TEST_CASE("compare: a device without an end is exit 2 and one line") {
  Session session;
  CHECK(session({"compare", "/dev/zero"}) == 2);
  CHECK(session.err == "nasvm: /dev/zero: not JSON; expected a result document of nasvm\n");
}

TEST_CASE("compare: a folder is exit 2 and one line") {
  const Folder folder;
  Session session;
  CHECK(session({"compare", folder.file("")}) == 2);
  CHECK(session.err == "nasvm: " + folder.file("") + ": cannot be read: Is a directory\n");
}

TEST_CASE("compare: says when documents were measured under different conditions") {
  const Folder folder;
  const auto document_at = [&](const std::string& name, double core_to_core_ns) {
    Document document = test::sample_document(2);
    for (RunRecord& run : document.records<RunRecord>()) {
      run.sampled.conditions = Conditions{core_to_core_ns, 12, 0, 0, 10};
    }
    return folder.write(name, to_json(document));
  };
  const std::string a = document_at("a", 55);
  const std::string b = document_at("b", 250);
  constexpr auto complaint =
      "A and B were measured under different conditions: what differs between them may come from that.";
  Session different;
  CHECK(different({"compare", a, b}) == 0);
  CHECK(different.out.find("Conditions B: core to core 250 ns") != std::string::npos);
  CHECK(different.out.find(complaint) != std::string::npos);
  Session same;
  CHECK(same({"compare", a, a}) == 0);
  CHECK(same.out.find(complaint) == std::string::npos);
}

#include "harness/document/document.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "../fake_executor.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using test::Folder;

namespace {

/// The text of the UsageError that reading this gives.
std::string error_of(const std::string& text) {
  try {
    from_json(text, "f.json");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

std::string with_runs(const std::string& runs) { return R"({"schema": "nasvm-result/1", "runs": )" + runs + "}"; }

}  // namespace

TEST_CASE("record: a document survives writing and reading") {
  Document document = test::sample_document(2);
  document.records<RunRecord>()[1].verified = false;
  document.records<RunRecord>()[1].mops = 0;
  document.records<RunRecord>()[2].variant = "tuned \"quoted\", \\ and \n line";
  document.records<RunRecord>()[2].comm.volume_bytes = 18446744073709551615U;
  document.records<RunRecord>()[3].time_s = 0.1 + 0.2;
  document.records<RunRecord>()[3].choices = {{"loop", "AVX2", "the processor has it"},
                                              {"strips", "8 rows", "a trial"}};
  CHECK(from_json(to_json(document), "f.json") == document);
}

TEST_CASE("record: records of a document that ends with the expression are no reference into it") {
  STATIC_REQUIRE(std::is_same_v<decltype(std::declval<Document>().records<RunRecord>()), std::vector<RunRecord>>);
  CHECK(test::sample_document(2).records<RunRecord>() ==
        static_cast<const Document&>(test::sample_document(2)).records<RunRecord>());
}

TEST_CASE("record: the document has the contract's names") {
  const auto json = nlohmann::json::parse(to_json(test::sample_document(1)));
  CHECK(json["schema"] == "nasvm-result/1");
  for (const char* name : {"created", "command", "machine", "build", "runs"}) CHECK(json.contains(name));
  for (const char* name : {"name", "cpu", "cores", "memory_bytes", "kernel"}) {
    CHECK(json["machine"]["hosts"][0].contains(name));
  }
  for (const char* name : {"version", "commit", "compiler", "flags", "libraries"})
    CHECK(json["build"].contains(name));
  const auto& run = json["runs"][0];
  for (const char* name :
       {"kernel", "class", "np", "threads", "transport", "variant", "repeat", "verified", "time_s", "mops", "comm"}) {
    CHECK(run.contains(name));
  }
  for (const char* name : {"volume_bytes", "messages", "time_max_s", "time_mean_s", "idle_max_s", "idle_mean_s"}) {
    CHECK(run["comm"].contains(name));
  }
  for (const char* name :
       {"rank", "host", "bytes_sent", "bytes_received", "messages_sent", "messages_received", "time_s", "idle_s"}) {
    CHECK(run["comm"]["by_rank"][0].contains(name));
  }
  CHECK(run["comm"]["by_method"]["daemon"]["bytes"] == 4000000);
  CHECK(run["comm"]["by_method"]["daemon"]["messages"] == 40);
}

TEST_CASE("record: an unverified run has no speed in the document") {
  Document document = test::sample_document(1);
  document.records<RunRecord>()[0].verified = false;
  const auto json = nlohmann::json::parse(to_json(document));
  CHECK(json["runs"][0]["mops"].is_null());
  CHECK(json["runs"][1]["mops"].is_number());
}

TEST_CASE("record: what a kernel has chosen is an ordered list, left out where there is nothing") {
  Document document = test::sample_document(1);
  document.records<RunRecord>()[0].choices = {{"strips", "8 rows", "a trial"}, {"loop", "AVX2", "the processor"}};
  const auto json = nlohmann::json::parse(to_json(document));
  CHECK(json["runs"][0]["choices"] == nlohmann::json::parse(R"([
    {"what": "strips", "chosen": "8 rows", "why": "a trial"}, {"what": "loop", "chosen": "AVX2", "why": "the processor"}])"));
  CHECK_FALSE(json["runs"][1].contains("choices"));
}

TEST_CASE("record: text that is no UTF-8 does not stop the writing") {
  Document document = test::sample_document(1);
  document.machine.hosts[0].name = "b\xffx";
  CHECK_NOTHROW(nlohmann::json::parse(to_json(document)));
}

TEST_CASE("record: totals are added up over the tasks") {
  CommRecord comm;
  comm.by_rank = {{0, "a", 10, 1, 2, 1, 1.0, 0.5}, {1, "a", 30, 39, 4, 5, 3.0, 0.1}};
  add_up(comm);
  CHECK(comm.volume_bytes == 40);
  CHECK(comm.messages == 6);
  CHECK(comm.time_max_s == 3.0);
  CHECK(comm.time_mean_s == Approx(2.0));
  CHECK(comm.idle_max_s == 0.5);
  CHECK(comm.idle_mean_s == Approx(0.3));
}

TEST_CASE("record: the time of making is written in UTC") {
  const std::string now = utc_now();
  REQUIRE(now.size() == 20);
  CHECK(now[4] == '-');
  CHECK(now[10] == 'T');
  CHECK(now.back() == 'Z');
}

TEST_CASE("record: a minimal document can be read") {
  const Document document = from_json(
      with_runs(R"([{"kernel": "ft", "class": "A", "np": 2, "transport": "direct", "verified": true, "time_s": 1}])"),
      "f.json");
  REQUIRE(document.records<RunRecord>().size() == 1);
  CHECK(document.records<RunRecord>()[0].time_s == 1.0);
  CHECK(document.records<RunRecord>()[0].threads == 1);
}

TEST_CASE("record: errors name the file, the place and what is wrong") {
  CHECK(error_of("hello").find("f.json: not JSON") == 0);
  CHECK(error_of("").find("f.json: not JSON") == 0);
  CHECK(error_of("[1]").find("f.json: not a JSON object") == 0);
  CHECK(error_of("{}").find("nasvm-result/1") != std::string::npos);
  CHECK(error_of(R"({"schema": "nasvm-result/2"})").find("schema is 'nasvm-result/2'") != std::string::npos);
  CHECK(error_of(with_runs("3")) == "f.json: runs is not an array");
  CHECK(error_of(with_runs("[3]")) == "f.json: runs[0] is not an object");
  CHECK(error_of(with_runs("[{}]")) == "f.json: runs[0].kernel is missing");
  CHECK(error_of(with_runs(R"([{"kernel": 5}])")) == "f.json: runs[0].kernel is not a text");
  const std::string begin = R"([{"kernel": "ft", "class": "A", "transport": "direct", "verified": true, )";
  CHECK(error_of(with_runs(begin + R"("np": -2}])")) == "f.json: runs[0].np is not a whole number from 1 up");
  CHECK(error_of(with_runs(begin + R"("np": 0}])")) == "f.json: runs[0].np is not a whole number from 1 up");
  CHECK(error_of(with_runs(begin + R"("np": 2.5}])")) == "f.json: runs[0].np is not a whole number from 1 up");
  for (const char* time : {"\"1\"", "-1", "-1e-300"}) {
    CHECK(error_of(with_runs(begin + R"("np": 2, "time_s": )" + time + "}]")) ==
          "f.json: runs[0].time_s is not a number from 0 up");
  }
  CHECK(error_of(with_runs(begin + R"("np": 2, "time_s": 1, "comm": {"by_rank": [{"bytes_sent": -1}]}}])")) ==
        "f.json: runs[0].comm.by_rank[0].bytes_sent is not a whole number from 0 up");
  CHECK(error_of(with_runs(R"([{"kernel": "ft", "class": "AB"}])")) == "f.json: runs[0].class should be one letter");
}

TEST_CASE("record: a file that cannot be read is a usage error with the system's reason") {
  const Folder folder;
  CHECK_THROWS_WITH(read_document(folder.file("none.json")),
                    Catch::Contains("none.json") && Catch::Contains("No such file"));
  CHECK_THROWS_AS(read_document(folder.file("none.json")), UsageError);
  CHECK_THROWS_AS(read_document(folder.file("")), UsageError);  // a folder
  const std::string path = folder.write("good.json", to_json(test::sample_document(1)));
  CHECK(read_document(path) == test::sample_document(1));
}

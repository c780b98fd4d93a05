#include <catch2/catch.hpp>

#include "../../../fake_executor.hpp"
#include "harness/commands/p2p/coupled/views.hpp"

using namespace nasvm;
using test::render;

namespace {

Document sample() {
  Document document = test::sample_document(0);
  for (int repeat = 0; repeat < 3; ++repeat) {
    for (const char* scenario : {"shm alone", "shm+direct, skip_poll 20"}) {
      CoupledRecord record;
      record.transport = scenario;
      record.np = 6;
      record.bytes = 4096;
      record.repeat = repeat;
      record.iterations = 100;
      record.bound = false;
      record.data = DataCheck::passed;
      record.latency = {100, 125.5 + repeat, 90, 300, 400};
      document.records<CoupledRecord>().push_back(record);
    }
  }
  return document;
}

}  // namespace

TEST_CASE("coupled report: a row for each scenario") {
  const std::string text = render({{"", sample()}}, "table");
  CAPTURE(text);
  CHECK(text.find("shm alone ") != std::string::npos);
  CHECK(text.find("shm+direct, skip_poll 20 ") != std::string::npos);
  CHECK(text.find("126.5") != std::string::npos);
  CHECK(text.find("correct") != std::string::npos);
  CHECK(text.find("Tasks were not bound") != std::string::npos);
}

TEST_CASE("coupled report: is compared by the mean of a step") {
  const auto compared = compared_coupled(sample());
  REQUIRE(compared.size() == 6);
  CHECK(compared[0].name == "coupled model, NP 6, halos of 4096 bytes, shm alone, not bound");
  CHECK(compared[0].value == 125.5);
  CHECK(compared[0].figure.name == "mean latency");
}

TEST_CASE("coupled report: documents are read as they were written") {
  const Document document = sample();
  const Document read = from_json(to_json(document), "here");
  CHECK(read.records<CoupledRecord>() == document.records<CoupledRecord>());
}

TEST_CASE("coupled report: what arrived wrong has no figures") {
  Document document = sample();
  document.records<CoupledRecord>()[0].data = DataCheck::failed;
  const Document read = from_json(to_json(document), "here");
  CHECK(read.records<CoupledRecord>()[0].latency == Latency{});
  CHECK(read.records<CoupledRecord>()[1] == document.records<CoupledRecord>()[1]);
}

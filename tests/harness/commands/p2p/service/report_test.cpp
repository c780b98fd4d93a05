#include <catch2/catch.hpp>

#include "../../../fake_executor.hpp"
#include "harness/commands/p2p/service/views.hpp"

using namespace nasvm;
using test::render;

namespace {

Document sample(bool bound) {
  Document document = test::sample_document(0);
  for (int repeat = 0; repeat < 3; ++repeat) {
    for (const char* transport : {"shm", "direct"}) {
      ServiceRecord record;
      record.transport = record.method = transport;
      record.bytes = 8;
      record.repeat = repeat;
      record.iterations = 100;
      record.bound = bound;
      record.message_us = transport[0] == 's' ? 0.5 : 10;
      record.request_us = record.message_us * 1.25;
      record.sealed_us = record.message_us * 4;
      record.thread_us = record.message_us * 2 + repeat;
      document.records<ServiceRecord>().push_back(record);
    }
  }
  return document;
}

}  // namespace

TEST_CASE("service report: requests beside messages, and their ratios") {
  const std::string text = render({{"", sample(true)}}, "table");
  CAPTURE(text);
  CHECK(text.find("Request /") != std::string::npos);
  CHECK(text.find("1.250") != std::string::npos);
  CHECK(text.find("12.50") != std::string::npos);
  CHECK(text.find("Each task was bound to a core of its own.") != std::string::npos);
  CHECK(render({{"", sample(false)}}, "table").find("Tasks were not bound") != std::string::npos);
}

TEST_CASE("service report: a line for each run in CSV, and each request compared") {
  const Document document = sample(true);
  const std::vector<Source> sources{{"", document}};
  const std::string csv = service_csv(sources);
  CHECK(std::ranges::count(csv, '\n') == 7);
  const std::vector<Compared> compared = compared_requests(document);
  REQUIRE(compared.size() == 24);
  CHECK(compared[0].name == "request of 8 bytes, shm");
  CHECK(compared[1].name == "sealed request of 8 bytes, shm");
  CHECK(compared[1].value == 2);
  CHECK(compared[2].name == "request to a thread of 8 bytes, shm");
  CHECK(compared[2].value == 1);
  CHECK(compared[3].name == "message beside requests of 8 bytes, shm");
  CHECK(compared[3].value == 0.5);
  CHECK(compared_requests(sample(false))[0].name == "request of 8 bytes, shm, not bound");
}

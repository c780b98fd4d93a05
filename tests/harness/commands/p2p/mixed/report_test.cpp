#include "harness/commands/p2p/mixed/views.hpp"

#include <catch2/catch.hpp>

#include "../../../fake_executor.hpp"

using namespace nasvm;
using test::render;

namespace {

Document sample(int repeats) {
  Document document = test::sample_document(0);
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (const int skip : {0, 16}) {
      for (const std::uint64_t bytes : {0, 10'000}) {
        for (const bool cheap : {true, false}) {
          MixedRecord record;
          record.transport = cheap ? "shm" : "direct";
          record.beside = cheap ? "direct" : "shm";
          record.skip_poll = skip;
          record.bytes = bytes;
          record.repeat = repeat;
          record.iterations = 100;
          record.bound = true;
          record.latency.mean_us = (cheap ? 1 : 20) + repeat + (skip == 16 ? 0.5 : 0);
          record.latency.median_us = record.latency.mean_us - 0.25;
          document.records<MixedRecord>().push_back(record);
        }
      }
    }
  }
  return document;
}

}  // namespace

TEST_CASE("mixed report: one row for each skip_poll, both transports beside each other") {
  CHECK(render({{"", sample(2)}}, "table") ==
        "Platform: box (Fast CPU, 2 cores, 24.7 GB, Linux 6.1.0)\n"
        "Program:  nasvm 0.1.0-rc1 (abc123def456), GNU 12.2.0; 2026-11-20 12:00 UTC\n"
        "\n"
        "Bytes  skip_poll           shm  Spread        direct  Spread\n"
        "                  one way (us)          one way (us)\n"
        "------------------------------------------------------------\n"
        "    0   adaptive         1.500    67 %         20.50     5 %\n"
        "              16         2.000    50 %         21.00     5 %\n"
        "\n"
        "10000   adaptive         1.500    67 %         20.50     5 %\n"
        "              16         2.000    50 %         21.00     5 %\n"
        "------------------------------------------------------------\n"
        "Two ping-pongs of one task at once, each with a peer of its own; one way: half a round trip, the mean of a "
        "run.\n"
        "skip_poll: cheap looks at memory for each look at every method. The paper's Figures 6 and 7 (ppmulti).\n"
        "Each task was bound to a core of its own.\n"
        "Medians of 2 runs, taken in alternating order. Spread: (largest - smallest) / median.\n");
}

TEST_CASE("mixed report: of one run there is no spread, and no median of runs") {
  CHECK_THAT(render({{"", sample(1)}}, "table"), !Catch::Contains("Spread") && !Catch::Contains("Medians"));
}

TEST_CASE("mixed report: says when tasks had to share cores, in rows where documents differ in that") {
  const Document bound = sample(1);
  Document unbound = bound;
  for (MixedRecord& record : unbound.records<MixedRecord>()) record.bound = false;
  CHECK(render({{"", unbound}}, "table").find("Tasks were not bound") != std::string::npos);
  CHECK(compared_mixed(unbound).at(0).name == "p2p of 0 bytes, shm beside direct, skip_poll adaptive, not bound");
  const std::string text = render({{"a", bound}, {"b", unbound}}, "table");
  CHECK(text.find(" 16, not bound ") != std::string::npos);
  CHECK(text.find(" 16 ") != std::string::npos);
  CHECK(text.find("\nNot all tasks were bound to cores of their own, as rows say.\n") != std::string::npos);
}

TEST_CASE("mixed report: csv and document keep every record") {
  const Document document = sample(2);
  const std::string csv = render({{"", document}}, "csv");
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 17);
  CHECK(csv.find("\n,direct,shm,16,10000,1,21.25,21.5,,,,100,true,\n") != std::string::npos);
  CHECK(from_json(to_json(document), "x") == document);
}

TEST_CASE("mixed report: is compared by the mean, which is not called as medians are") {
  const std::vector<Compared> compared = compared_mixed(sample(1));
  CHECK(compared.at(0).figure.name == "mean latency");
  CHECK(compared.at(0).value == sample(1).records<MixedRecord>()[0].latency.mean_us);
}

TEST_CASE("mixed report: other pairs of transports cannot stand in one table") {
  Document other = sample(1);
  for (MixedRecord& record : other.records<MixedRecord>())
    (record.transport == "direct" ? record.transport : record.beside) = "daemon";
  CHECK_THROWS_WITH(render({{"a", sample(1)}, {"b", other}}, "table"), Catch::Matchers::Contains("like with like"));
  CHECK_NOTHROW(render({{"a", sample(1)}, {"b", sample(1)}}, "markdown"));
}

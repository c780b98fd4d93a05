#include "harness/commands/p2p/collective/views.hpp"

#include <catch2/catch.hpp>

#include "../../../fake_executor.hpp"

using namespace nasvm;
using test::render;

namespace {

Document sample(const std::vector<std::uint64_t>& sizes, int np, int repeats) {
  Document document = test::sample_document(0);
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (const std::string path : {"auto", "mpi"}) {
      for (const std::uint64_t bytes : sizes) {
        const double us = (path == "mpi" ? 10 : 20) + repeat;
        CollectiveRecord record = test::collective_record("allreduce", np, path, bytes, us);
        if (path == "auto") record.method = "shm";
        record.repeat = repeat;
        document.records<CollectiveRecord>().push_back(record);
      }
    }
  }
  return document;
}

}  // namespace

TEST_CASE("collective report: the table has a block for each size and the ratio of first to last path") {
  CHECK(
      render({{"", sample({8, 16}, 2, 3)}}, "table") ==
      "Platform: box (Fast CPU, 2 cores, 24.7 GB, Linux 6.1.0)\n"
      "Program:  nasvm 0.1.0-rc1 (abc123def456), GNU 12.2.0; 2026-11-20 12:00 UTC\n"
      "\n"
      "Collective  NP  Bytes  Transport    Time  Spread    p99  Average  Spread  In a row  Spread\n"
      "                                    (us)           (us)     (us)              (us)\n"
      "------------------------------------------------------------------------------------------\n"
      "allreduce    2      8  auto (shm)  21.00    10 %  42.00    10.50    10 %     5.250    10 %\n"
      "                       mpi         11.00    18 %  22.00     5.50    18 %     2.750    18 %\n"
      "                       auto/mpi    1.91x                   1.91x             1.91x\n"
      "\n"
      "allreduce    2     16  auto (shm)  21.00    10 %  42.00    10.50    10 %     5.250    10 %\n"
      "                       mpi         11.00    18 %  22.00     5.50    18 %     2.750    18 %\n"
      "                       auto/mpi    1.91x                   1.91x             1.91x\n"
      "------------------------------------------------------------------------------------------\n"
      "Time: of a call between two barriers, its slowest task's, median; p99: 99 of 100 were faster. Average: over\n"
      "tasks and calls, as the OSU programs have it. In a row: calls without anything between them, mean. Bytes: "
      "the\n"
      "vector of each task (reductions), the message (broadcast), the block of each task (allgather) or of each "
      "pair\n"
      "of tasks (alltoall).\n"
      "Each task was bound to a core of its own.\n"
      "Medians of 3 runs, taken in alternating order. Spread: (largest - smallest) / median; of a ratio, from five "
      "runs on: its 95 % interval.\n");
}

TEST_CASE("collective report: says when tasks were on fewer hosts than the table names") {
  Document document = sample({8, 16}, 2, 1);
  document.machine.hosts.resize(3, document.machine.hosts[0]);
  CHECK_THAT(render({{"", document}}, "table"), !Catch::Contains("of the 3 hosts"));
  for (CollectiveRecord& record : document.records<CollectiveRecord>()) record.hosts_used = 1;
  CHECK_THAT(render({{"", document}}, "table"), Catch::Contains("\n2 tasks were on 1 of the 3 hosts.\n"));
  CHECK(from_json(to_json(document), "x") == document);
  for (CollectiveRecord& record : document.records<CollectiveRecord>()) record.hosts_used = 3;
  CHECK_THAT(render({{"", document}}, "table"), !Catch::Contains("of the 3 hosts"));
}

TEST_CASE("collective report: numbers of tasks of different documents stand below each other") {
  const std::vector<Source> sources{{"np2.json", sample({8}, 2, 1)}, {"np8.json", sample({8}, 8, 1)}};
  const std::vector<GroupOf<CollectiveRecord>> groups = group_collectives(sources);
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].first().np == 2);
  CHECK(groups[1].first().np == 8);
  const std::string table = render(sources, "table");
  CHECK(table.find("allreduce    2      8  A     auto (shm)") != std::string::npos);
  CHECK(table.find("allreduce    8      8  B     auto (shm)") != std::string::npos);
}

TEST_CASE("collective report: sizes are sorted within one collective, however the documents come") {
  const std::vector<Source> sources{{"a", sample({64, 8}, 2, 1)}, {"b", sample({16}, 2, 1)}};
  std::vector<std::uint64_t> sizes;
  for (const auto& group : group_collectives(sources)) sizes.push_back(group.first().bytes);
  CHECK(sizes == std::vector<std::uint64_t>{8, 16, 64});
}

TEST_CASE("collective report: a wrong result has no figures and no ratio in any format") {
  Document document = sample({8}, 2, 1);
  document.records<CollectiveRecord>()[0].data = DataCheck::failed;
  document.records<CollectiveRecord>()[1].data = DataCheck::passed;
  for (const char* format : {"table", "csv", "markdown", "osu"}) {
    const std::string text = render({{"", document}}, format);
    CAPTURE(format, text);
    CHECK(text.find("40.00") == std::string::npos);
    if (std::string_view(format) == "osu") CHECK(text.find("10.00") == std::string::npos);
    CHECK(text.find(",20,22,") == std::string::npos);
    CHECK(text.find("auto/mpi") == std::string::npos);
  }
  CHECK(render({{"", document}}, "table").find("WRONG") != std::string::npos);
}

TEST_CASE("collective report: csv has one line for each record") {
  CHECK(render({{"", sample({8}, 2, 1)}}, "csv") ==
        "file,collective,np,transport,method,bytes,repeat,latency_us,latency_mean_us,latency_min_us,latency_p99_us,"
        "latency_max_us,average_us,back_to_back_us,iterations,bound,data,hosts_used,conditions_changed\n"
        ",allreduce,2,auto,shm,8,0,20,22,18,40,60,10,5,1000,true,unchecked,,\n"
        ",allreduce,2,mpi,mpi,8,0,10,11,9,20,30,5,2.5,1000,true,unchecked,,\n");
}

TEST_CASE("collective report: osu's layout has averages over tasks") {
  CHECK(render({{"", sample({8, 16}, 2, 1)}}, "osu") ==
        "# OSU MPI Allreduce Latency Test (layout; measured by nasvm 0.1.0-rc1 over auto, 2 tasks)\n"
        "# Size       Avg Latency(us)\n"
        "8                      10.00\n"
        "16                     10.00\n"
        "\n"
        "# OSU MPI Allreduce Latency Test (layout; measured by nasvm 0.1.0-rc1 over mpi, 2 tasks)\n"
        "# Size       Avg Latency(us)\n"
        "8                       5.00\n"
        "16                      5.00\n"
        "\n");
}

TEST_CASE("collective report: tasks without a core of their own make other cases, and rows where documents differ") {
  const Document bound = sample({8}, 2, 1);
  Document unbound = bound;
  for (CollectiveRecord& record : unbound.records<CollectiveRecord>()) record.bound = false;
  CHECK(compared_collectives(bound).at(0).name == "allreduce of 8 bytes, 2 tasks, auto");
  CHECK(compared_collectives(unbound).at(0).name == "allreduce of 8 bytes, 2 tasks, auto, not bound");
  const std::string text = render({{"a", bound}, {"b", unbound}}, "table");
  CHECK(text.find("B     auto (shm), not bound") != std::string::npos);
  CHECK(text.find("\nNot all tasks were bound to cores of their own, as rows say.\n") != std::string::npos);
  const std::string one = render({{"b", unbound}}, "table");
  CHECK(one.find("\nTasks were not bound to cores.\n") != std::string::npos);
}

TEST_CASE("collective report: is compared by single calls, and by calls in a row") {
  const std::vector<Compared> compared = compared_collectives(sample({8}, 2, 1));
  CHECK(compared.at(0).figure.name == "latency");
  CHECK(compared.at(1).figure.name == "in a row");
  CHECK(compared.at(1).name == compared.at(0).name);
  CHECK(compared.at(1).value == sample({8}, 2, 1).records<CollectiveRecord>()[0].back_to_back_us);
}

TEST_CASE("collective report: fewer than 100 calls have no p99") {
  Document document = sample({8}, 2, 1);
  for (CollectiveRecord& record : document.records<CollectiveRecord>()) record.iterations = 10;
  const std::string text = render({{"", document}}, "table");
  CHECK(text.find("40.00") == std::string::npos);
  CHECK(text.find("\nRows without p99: ") != std::string::npos);
}

TEST_CASE("collective records survive the document") {
  const Document document = sample({8, 16}, 3, 2);
  CHECK(from_json(to_json(document), "x") == document);
}

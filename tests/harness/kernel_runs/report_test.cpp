#include "harness/kernel_runs/view.hpp"

#include <catch2/catch.hpp>

#include "../fake_executor.hpp"
#include "harness/kernel_runs/run_cases.hpp"

using namespace nasvm;
using test::render;

namespace {

/// Daemon did not verify, direct did.
Document with_failure() {
  Document document = test::sample_document(1);
  document.records<RunRecord>()[0].verified = false;
  return document;
}

Document one_run() {
  Document document = test::sample_document(1);
  document.records<RunRecord>().pop_back();
  return document;
}

Document one_failed_run() {
  Document document = one_run();
  document.records<RunRecord>()[0].verified = false;
  return document;
}

}  // namespace

TEST_CASE("report: the table has the paper's columns, medians, spread and the ratio of the transports") {
  CHECK(render({{"", test::sample_document(3)}}, "table") ==
        R"snapshot(Platform: box (Fast CPU, 2 cores, 24.7 GB, Linux 6.1.0)
Program:  nasvm 0.1.0-rc1 (abc123def456), GNU 12.2.0; 2026-11-20 12:00 UTC

Kernel  Class  NP  Transport       Time  Spread  Mop/s  Comm. vol.  Comm. time  Messages  Idle time  Verified
                                    (s)                       (MB)         (s)                  (s)
-------------------------------------------------------------------------------------------------------------
FT      A       2  daemon         2.125  11.8 %  470.6       4.000       1.062        40     0.2656  yes
                   direct         1.375  18.2 %  727.3       4.000       0.688        40     0.1719  yes
                   daemon/direct  1.55x                                  1.55x                1.55x
-------------------------------------------------------------------------------------------------------------
6 of 6 runs verified.
Medians of 3 runs. Spread: (longest - shortest) / median time; of a ratio, from five runs on: its 95 % interval.
Comm. time and idle time: the largest of any task. 1 MB = 10^6 bytes.
)snapshot");
}

TEST_CASE("report: the table shows no speed of a run that did not verify, and no ratio") {
  CHECK(render({{"", with_failure()}}, "table") ==
        R"snapshot(Platform: box (Fast CPU, 2 cores, 24.7 GB, Linux 6.1.0)
Program:  nasvm 0.1.0-rc1 (abc123def456), GNU 12.2.0; 2026-11-20 12:00 UTC

Kernel  Class  NP  Transport   Time  Mop/s  Comm. vol.  Comm. time  Messages  Idle time  Verified
                                (s)               (MB)         (s)                  (s)
-------------------------------------------------------------------------------------------------
FT      A       2  daemon         -      -       4.000           -        40          -  FAILED
                   direct     1.250  800.0       4.000      0.6250        40     0.1562  yes
-------------------------------------------------------------------------------------------------
1 of 2 runs verified; 1 FAILED, and for these no speed is given.
One run of each: differences below 10 % mean nothing. To see how far repeats lie apart: --runs 5 (make: RUNS=5).
Comm. time and idle time: the largest of any task. 1 MB = 10^6 bytes.
)snapshot");
}

TEST_CASE("report: runs with different parameters of a kernel are different cases, and a document keeps them") {
  Document document = test::sample_document(1);
  document.records<RunRecord>()[1] = document.records<RunRecord>()[0];
  document.records<RunRecord>()[1].parameters = {{"order", "token"}};
  const std::vector<Source> sources{{"", document}};
  const auto groups = group_runs(sources);
  REQUIRE(groups.size() == 2);
  CHECK(name_of(groups[1]) == name_of(groups[0]) + ", order token");
  CHECK(kernel_title(groups[1].first()) == "FT token");
  const std::string text = render({{"", document}}, "json");
  CHECK(text.find(R"("parameters": {"order": "token"})") != std::string::npos);
  CHECK(text.find("parameters") == text.rfind("parameters"));

  document.records<RunRecord>()[1].parameters.emplace_back("balance", "a,b");
  const std::string csv = render({{"", document}}, "csv");
  CHECK(csv.find(",commit,parameters,conditions_changed\n") != std::string::npos);
  CHECK(csv.find(",\"order:token;balance:a,b\",") != std::string::npos);
  CHECK(render({{"", one_run()}}, "csv").find("parameters") == std::string::npos);
}

TEST_CASE("report: the table says which way broadcasts between hosts went, and a document keeps it") {
  Document document = one_run();
  document.records<RunRecord>()[0].comm.broadcasts = {{"messages", {2, 16}}, {"nak", {20, 160'000}}};
  CHECK(render({{"", document}}, "table")
            .find("\nBroadcasts between hosts, ft class A, 2 tasks, daemon: 2 by messages (16 bytes), "
                  "20 by nak (160000 bytes).\n") != std::string::npos);
  CHECK(from_json(render({{"", document}}, "json"), "test").records<RunRecord>() == document.records<RunRecord>());
  CHECK(render({{"", one_run()}}, "table").find("Broadcasts") == std::string::npos);
}

TEST_CASE("report: the line on broadcasts says of which case, file and run it is") {
  Document document = one_run();
  auto& runs = document.records<RunRecord>();
  runs[0].host_count = 2;
  runs[0].comm.broadcasts = {{"nak", {20, 160}}};
  runs.push_back(runs[0]);
  runs[1].problem_class = 'B';
  runs[1].threads = 3;
  runs.push_back(runs[1]);
  const std::string text = render({{"a.json", document}, {"b.json", document}}, "table");
  for (const std::string file : {"A", "B"}) {
    CHECK_THAT(text, Catch::Contains("\nBroadcasts between hosts, ft class A, 2 tasks on 2 hosts, daemon in " + file +
                                     ": 20 by nak (160 bytes).\n"));
    CHECK_THAT(text, Catch::Contains("\nBroadcasts between hosts, ft class B, 2 tasks of 3 threads on 2 hosts, "
                                     "daemon in " +
                                     file + ", first run: 20 by nak (160 bytes).\n"));
  }
}

TEST_CASE("report: where --multicast had nothing to do in the timed region, the table says so once for each kernel") {
  Document document = one_run();
  auto& runs = document.records<RunRecord>();
  runs[0].parameters = {{multicast_parameter, "auto"}};
  runs.push_back(runs[0]);
  runs[1].problem_class = 'B';
  runs.push_back(runs[0]);
  runs[2].kernel = "is";
  runs[2].variant = "paper";
  runs.push_back(runs[0]);
  runs[3].kernel = "mg";
  runs.push_back(runs[3]);
  runs[4].host_count = 2;
  runs[4].comm.broadcasts = {{"nak", {20, 160}}};
  const std::string text = render({{"", document}}, "table");
  CHECK_THAT(text, Catch::Contains("\nNo broadcasts between hosts in the timed region of ft, is paper: --multicast "
                                   "changes nothing there.\n"));
  CHECK_THAT(text, Catch::Contains("FT multicast auto"));
  runs.erase(runs.begin(), runs.begin() + 3);
  CHECK_THAT(render({{"", document}}, "table"), !Catch::Contains("No broadcasts"));
}

TEST_CASE("report: runs without a class have no speed, whether they are right or not") {
  Document document = one_run();
  document.records<RunRecord>()[0].problem_class = no_class;
  document.records<RunRecord>()[0].mops = 0;
  CHECK(render({{"", document}}, "csv").find(",true,2,,4000000,") != std::string::npos);
  const std::string json = render({{"", document}}, "json");
  CHECK(json.find(R"("mops": null)") != std::string::npos);
  CHECK(from_json(json, "test").records<RunRecord>() == document.records<RunRecord>());
}

TEST_CASE("report: a document keeps times of a run that did not verify, and CSV has none") {
  const Document document = one_failed_run();
  const std::string json = render({{"", document}}, "json");
  CHECK(json.find(R"("time_max_s": 1.0)") != std::string::npos);
  const Document again = from_json(json, "test");
  CHECK(again.records<RunRecord>()[0].comm == document.records<RunRecord>()[0].comm);
  CHECK(render({{"", again}}, "csv").find(",false,,,4000000,40,,,,,daemon:") != std::string::npos);
}

TEST_CASE("report: the table of two documents sets them side by side") {
  CHECK(render({{"a.json", test::sample_document(2)}, {"b.json", test::sample_document(1)}}, "table") ==
        R"snapshot(File A:   a.json
Platform: box (Fast CPU, 2 cores, 24.7 GB, Linux 6.1.0)
Program:  nasvm 0.1.0-rc1 (abc123def456), GNU 12.2.0; 2026-11-20 12:00 UTC
File B:   b.json
Platform: box (Fast CPU, 2 cores, 24.7 GB, Linux 6.1.0)
Program:  nasvm 0.1.0-rc1 (abc123def456), GNU 12.2.0; 2026-11-20 12:00 UTC

Kernel  Class  NP  File  Transport       Time  Spread  Mop/s  Comm. vol.  Comm. time  Messages  Idle time  Verified
                                          (s)                       (MB)         (s)                  (s)
-------------------------------------------------------------------------------------------------------------------
FT      A       2  A     daemon         2.062   6.1 %  484.8       4.000       1.031        40     0.2578  yes
                   B     daemon         2.000          500.0       4.000       1.000        40     0.2500  yes
                   A     direct         1.312   9.5 %  761.9       4.000       0.656        40     0.1641  yes
                   B     direct         1.250          800.0       4.000       0.625        40     0.1562  yes
                   A     daemon/direct  1.57x                                  1.57x                1.57x
                   B     daemon/direct  1.60x                                  1.60x                1.60x
                         daemon A/B     1.03x                                  1.03x                1.03x
                         direct A/B     1.05x                                  1.05x                1.05x
-------------------------------------------------------------------------------------------------------------------
6 of 6 runs verified.
Medians of up to 2 runs. Spread: (longest - shortest) / median time; of a ratio, from five runs on: its 95 % interval.
Comm. time and idle time: the largest of any task. 1 MB = 10^6 bytes.
)snapshot");
}

TEST_CASE("report: the speed of a row is the work by the time that the row shows") {
  Document document = one_run();
  auto& runs = document.records<RunRecord>();
  runs.push_back(runs.front());
  for (const std::size_t i : {0, 1}) {
    runs[i].time_s = i == 0 ? 1 : 3;
    runs[i].mops = 1200 / runs[i].time_s;
  }
  const std::string text = render({{"", document}}, "table");
  CHECK(text.find("2.000  100.0 %  600.0") != std::string::npos);  // the median of 1200 and 400 is 800
}

TEST_CASE("report: Markdown is the same table") {
  CHECK(render({{"", test::sample_document(3)}}, "markdown") ==
        R"snapshot(Platform: box (Fast CPU, 2 cores, 24.7 GB, Linux 6.1.0)  
Program:  nasvm 0.1.0-rc1 (abc123def456), GNU 12.2.0; 2026-11-20 12:00 UTC  

| Kernel | Class | NP | Transport | Time (s) | Spread | Mop/s | Comm. vol. (MB) | Comm. time (s) | Messages | Idle time (s) | Verified |
| --- | --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |
| FT | A | 2 | daemon | 2.125 | 11.8 % | 470.6 | 4.000 | 1.062 | 40 | 0.2656 | yes |
| | | | direct | 1.375 | 18.2 % | 727.3 | 4.000 | 0.688 | 40 | 0.1719 | yes |
| | | | *daemon/direct* | *1.55x* | | | | *1.55x* | | *1.55x* | |

6 of 6 runs verified.  
Medians of 3 runs. Spread: (longest - shortest) / median time; of a ratio, from five runs on: its 95 % interval.  
Comm. time and idle time: the largest of any task. 1 MB = 10^6 bytes.  
)snapshot");
}

TEST_CASE("report: CSV has one line for each run, and no times and no speed where it did not verify") {
  CHECK(
      render({{"", with_failure()}}, "csv") ==
      R"snapshot(file,kernel,class,np,threads,transport,variant,repeat,verified,time_s,mops,volume_bytes,messages,time_max_s,time_mean_s,idle_max_s,idle_mean_s,by_method,created,hosts,version,commit,conditions_changed
,ft,A,2,1,daemon,,0,false,,,4000000,40,,,,,daemon:4000000:40,2026-11-20T12:00:00Z,box,0.1.0-rc1,abc123def456,
,ft,A,2,1,direct,,0,true,1.25,800,4000000,40,0.625,0.46875,0.15625,0.1171875,direct:4000000:40,2026-11-20T12:00:00Z,box,0.1.0-rc1,abc123def456,
)snapshot");
}

TEST_CASE("report: JSON is the document") {
  CHECK(render({{"", one_run()}}, "json") ==
        R"snapshot({
  "schema": "nasvm-result/1",
  "created": "2026-11-20T12:00:00Z",
  "command": ["nasvm", "run", "ft"],
  "machine": {
    "hosts": [
      {"name": "box", "cpu": "Fast CPU", "cores": 2, "memory_bytes": 24684092000, "kernel": "Linux 6.1.0"}
    ]
  },
  "build": {
    "version": "0.1.0-rc1",
    "commit": "abc123def456",
    "compiler": "GNU 12.2.0",
    "flags": "-O3",
    "date": "20 Nov 2026",
    "simd": "x86-64-v3",
    "libraries": {"eigen": "3.4.0", "fftw": "3.3.10", "openmpi": "4.1.4"}
  },
  "runs": [
    {
      "kernel": "ft",
      "class": "A",
      "np": 2,
      "threads": 1,
      "transport": "daemon",
      "variant": "",
      "repeat": 0,
      "verified": true,
      "time_s": 2.0,
      "mops": 500.0,
      "comm": {
        "volume_bytes": 4000000,
        "messages": 40,
        "time_max_s": 1.0,
        "time_mean_s": 0.75,
        "idle_max_s": 0.25,
        "idle_mean_s": 0.1875,
        "by_rank": [
          {"rank": 0, "host": "box", "bytes_sent": 3000000, "bytes_received": 1000000, "messages_sent": 30, "messages_received": 10, "time_s": 0.5, "idle_s": 0.25},
          {"rank": 1, "host": "box", "bytes_sent": 1000000, "bytes_received": 3000000, "messages_sent": 10, "messages_received": 30, "time_s": 1.0, "idle_s": 0.125}
        ],
        "by_method": {
          "daemon": {"bytes": 4000000, "messages": 40}
        }
      },
      "details": {"error": "1.2e-13"}
    }
  ]
}
)snapshot");
}

TEST_CASE("report: NPB output is the block of the reference codes, and communication below") {
  CHECK(render({{"", one_run()}}, "npb") ==
        R"snapshot(

 NAS Parallel Benchmarks 3.4 -- FT Benchmark

 Result verification successful


 FT Benchmark Completed.
 Class           =                        A
 Size            =              256x256x128
 Iterations      =                        6
 Time in seconds =                 2.000000
 Total processes =                        2
 Active procs    =                        2
 Mop/s total     =                   500.00
 Mop/s/process   =                   250.00
 Operation type  =           floating point
 Verification    =               SUCCESSFUL
 Version         =                    0.1.0
 Compile date    =              20 Nov 2026

 Transport       =                   daemon
 Threads/process =                        1
 Comm. volume MB =                 4.000000
 Comm. messages  =                       40
 Comm. time max  =                 1.000000
 Comm. time mean =                 0.750000
 Idle time max   =                 0.250000
 Idle time mean  =                 0.187500

)snapshot");
}

TEST_CASE("report: NPB output has time and speed of a failed verification, too, as NASA's codes have") {
  CHECK(render({{"", one_failed_run()}}, "npb") ==
        R"snapshot(

 NAS Parallel Benchmarks 3.4 -- FT Benchmark

 Result verification failed


 FT Benchmark Completed.
 Class           =                        A
 Size            =              256x256x128
 Iterations      =                        6
 Time in seconds =                 2.000000
 Total processes =                        2
 Active procs    =                        2
 Mop/s total     =                  3568.22
 Mop/s/process   =                  1784.11
 Operation type  =           floating point
 Verification    =             UNSUCCESSFUL
 Version         =                    0.1.0
 Compile date    =              20 Nov 2026

 Transport       =                   daemon
 Threads/process =                        1
 Comm. volume MB =                 4.000000
 Comm. messages  =                       40

)snapshot");
}

TEST_CASE("report: NPB output has the verification line of each kernel's reference code") {
  const auto block_of = [](const std::string& kernel) {
    Document document = one_run();
    document.records<RunRecord>()[0].kernel = kernel;
    return render({{"", document}}, "npb");
  };
  CHECK(block_of("cg").find("\n VERIFICATION SUCCESSFUL \n") != std::string::npos);
  CHECK(block_of("mg").find("\n VERIFICATION SUCCESSFUL \n") != std::string::npos);
  for (const std::string kernel : {"ep", "is"}) {
    CHECK(block_of(kernel).find("VERIFICATION") == std::string::npos);
    CHECK(block_of(kernel).find(" Verification    =               SUCCESSFUL\n") != std::string::npos);
  }
}

TEST_CASE("report: NPB output after a restart has the iterations that were done, as time and speed are theirs") {
  Document document = one_run();
  document.records<RunRecord>()[0].first_iteration = 4;
  CHECK_THAT(render({{"", document}}, "npb"), Catch::Contains("\n Iterations      =                        3\n"));
}

TEST_CASE("report: fields of CSV are quoted where they must be") {
  Document document = one_run();
  document.machine.hosts[0].name = "a,\"b\"";
  CHECK(render({{"", document}}, "csv").find(",\"a,\"\"b\"\"\",") != std::string::npos);
}

TEST_CASE("report: one task, which does not communicate, has dashes instead of ratios of nothing") {
  Document document = test::sample_document(1);
  for (RunRecord& run : document.records<RunRecord>()) run.comm = {};
  const std::string text = render({{"", document}}, "table");
  CHECK(text.find("nan") == std::string::npos);
  CHECK(text.find("inf") == std::string::npos);
  CHECK(text.find("daemon/direct  1.60x") != std::string::npos);
}

TEST_CASE("report: documents without runs can be printed") {
  for (const auto format : test::format_names_of("run")) CHECK_NOTHROW(render({{"", Document{}}}, format));
}

TEST_CASE("report: a kernel that this program does not know can be printed") {
  Document document = one_run();
  document.records<RunRecord>()[0].kernel = "lu";
  for (const auto format : test::format_names_of("run")) CHECK_NOTHROW(render({{"", document}}, format));
}

TEST_CASE("report: threads and variants are shown where they are not the usual ones") {
  Document document = one_run();
  document.records<RunRecord>()[0].threads = 2;
  document.records<RunRecord>()[0].variant = "other";
  const std::string text = render({{"", document}}, "table");
  CHECK(text.find("FT other") != std::string::npos);
  CHECK(text.find("2 x 2") != std::string::npos);
}

TEST_CASE("report: no line of the table is wider than 120 columns") {
  Document document = test::sample_document(3);
  for (RunRecord& run : document.records<RunRecord>()) run.np = 4096;
  const std::string text = render({{"", document}}, "table");
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    CHECK(end - begin <= 120);
    begin = end + 1;
  }
}

TEST_CASE("report: equal hosts are named together, others each by itself") {
  Document document = one_run();
  document.machine.hosts.push_back(document.machine.hosts[0]);
  document.machine.hosts[1].name = "box2";
  CHECK(render({{"", document}}, "table").find("Platform: 2 hosts: box, box2 (each Fast CPU,") == 0);
  document.machine.hosts[1].cores = 1;
  CHECK(render({{"", document}}, "table").find("Platform: 2 hosts: box (Fast CPU, 2 cores, ") == 0);
  document.machine.hosts[1] = HostRecord{};
  document.machine.hosts[1].name = "far";
  CHECK(render({{"", document}}, "table").find("Linux 6.1.0), far\n") != std::string::npos);
}

TEST_CASE("report: says when tasks were on fewer hosts than the table names, and rows do not") {
  Document document = one_run();
  RunRecord& run = document.records<RunRecord>()[0];
  document.machine.hosts.resize(3, document.machine.hosts[0]);
  run.comm.by_rank.resize(2);
  for (RankRecord& rank : run.comm.by_rank) rank.host = "box";
  CHECK_THAT(render({{"", document}}, "table"), Catch::Contains("\n2 tasks were on 1 of the 3 hosts.\n"));
  run.host_count = 1;
  CHECK_THAT(render({{"", document}}, "table"), !Catch::Contains("of the 3 hosts"));
}

TEST_CASE("report: cases with fewer runs than others are not said to be medians of as many") {
  Document document = test::sample_document(3);
  CHECK_THAT(render({{"", document}}, "table"), Catch::Contains("\nMedians of 3 runs."));
  CHECK_THAT(render({{"a", document}, {"b", document}}, "table"), Catch::Contains("\nMedians of 3 runs."));
  document.records<RunRecord>().pop_back();
  CHECK_THAT(render({{"", document}}, "table"), Catch::Contains("\nMedians of up to 3 runs."));
}

TEST_CASE("table: each of several documents has the ratio between its own transports") {
  const std::string text = render({{"a", test::sample_document(1)}, {"b", test::sample_document(1)}}, "table");
  for (const char* name : {"  A     daemon/direct  ", "  B     daemon/direct  ", "daemon A/B", "direct A/B"}) {
    CAPTURE(name);
    CHECK(text.find(name) != std::string::npos);
  }
}

TEST_CASE("table: says that idle time inside a library's collectives cannot be seen, where there are such") {
  const auto with = [](const std::string& transport, int np) {
    Document document = test::sample_document(1);
    document.records<RunRecord>().back().transport = transport;
    for (RunRecord& run : document.records<RunRecord>()) run.np = np;
    return render({{"", document}}, "table").find("cannot be seen") != std::string::npos;
  };
  CHECK(with("mpi", 2));
  CHECK(with("mpi:over=tcp", 2));
  CHECK_FALSE(with("mpi:collectives=ours", 2));
  CHECK_FALSE(with("direct", 2));
  CHECK_FALSE(with("mpi", 1));
}

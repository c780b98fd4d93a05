#include "harness/commands/p2p/pair/views.hpp"

#include <catch2/catch.hpp>

#include <map>

#include "../../../fake_executor.hpp"

using namespace nasvm;
using test::render;

namespace {

/// Two repeats of three paths at these sizes; `auto` went over direct.
Document sample(const std::vector<std::uint64_t>& sizes, int repeats) {
  Document document = test::sample_document(0);
  P2pOptions options;
  options.sizes = sizes;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (const std::string path : {"daemon", "auto", "raw-tcp"}) {
      for (P2pRecord& record : test::good_p2p_report({path, path == "raw-tcp", repeat}, options).records) {
        record.repeat = repeat;
        if (path == "auto") record.method = "direct";
        document.records<P2pRecord>().push_back(record);
      }
    }
  }
  return document;
}

Document paper_sizes() {
  Document document = sample({1, 100, 10'000}, 1);
  for (P2pRecord& record : document.records<P2pRecord>()) {
    if (record.transport == "auto") record.transport = "direct";
  }
  return document;
}

/// What arrived over `auto` was wrong, the rest right.
Document with_wrong_data() {
  Document document = sample({8}, 1);
  for (P2pRecord& record : document.records<P2pRecord>()) {
    record.data = record.transport == "auto" ? DataCheck::failed : DataCheck::passed;
  }
  return document;
}

/// What stands above and below the tables.
const std::string heading =
    R"snapshot(Platform: box (Fast CPU, 2 cores, 24.7 GB, Linux 6.1.0)
Program:  nasvm 0.1.0-rc1 (abc123def456), GNU 12.2.0; 2026-11-20 12:00 UTC
)snapshot";
const std::string notes =
    R"snapshot(Latency: half a round trip, median; p99: 99 of 100 were faster. Bandwidth, messages: one way, a window at a
time, all its messages in one buffer that stays in the cache; from buffers of their own, large ones are slower.
Both ways: the sum of both directions. 1 MB = 10^6 bytes.
Each task was bound to a core of its own.
raw-tcp: plain blocking TCP sockets, the paper's TTCP.
)snapshot";

}  // namespace

TEST_CASE("p2p report: the table has latency, bandwidth and rate of each path, with the spread of the repeats") {
  CHECK(render({{"", sample({0, 8, 1000}, 2)}}, "table") == heading + R"snapshot(
Bytes  Transport      Latency  Spread    p99  Bandwidth  Spread  Both ways  Messages
                         (us)           (us)     (MB/s)             (MB/s)  (1000/s)
------------------------------------------------------------------------------------
    0  daemon           42.00    10 %  84.00                                    95.5
       auto (direct)     8.40    10 %  16.80                                   477.3

    8  daemon           42.01    10 %  84.02      0.763    10 %      1.145      95.4
       auto (direct)     8.41    10 %  16.82      3.815    10 %      5.722     476.8
       raw-tcp           8.41    10 %  16.82      3.815    10 %      5.722     476.8

 1000  daemon           43.00     9 %  86.00       93.2     9 %      139.8      93.2
       auto (direct)     9.40     9 %  18.80      426.3     9 %      639.5     426.3
       raw-tcp           9.40     9 %  18.80      426.3     9 %      639.5     426.3
------------------------------------------------------------------------------------
Latency: half a round trip, median; p99: 99 of 100 were faster. Bandwidth, messages: one way, a window at a
time, all its messages in one buffer that stays in the cache; from buffers of their own, large ones are slower.
Both ways: the sum of both directions. 1 MB = 10^6 bytes.
Each task was bound to a core of its own.
Medians of 2 runs, taken in alternating order. Spread: (largest - smallest) / median.
raw-tcp: plain blocking TCP sockets, the paper's TTCP.
)snapshot");
}

TEST_CASE("p2p report: one run has no spread; all columns say more of each") {
  CHECK(render({{"", sample({8, 1000}, 1)}}, "table", Columns::all) == heading + R"snapshot(
Bytes  Transport      Latency  Least   Mean    p99   Most  Bandwidth  Both ways  Messages  Round  Window
                         (us)   (us)   (us)   (us)   (us)     (MB/s)     (MB/s)  (1000/s)  trips
--------------------------------------------------------------------------------------------------------
    8  daemon           40.01  20.00  50.01  80.02  160.0      0.800      1.200     100.0   1000       4
       auto (direct)     8.01   4.00  10.01  16.02   32.0      3.996      5.994     499.5   1000       4
       raw-tcp           8.01   4.00  10.01  16.02   32.0      3.996      5.994     499.5   1000       4

 1000  daemon           41.00  20.50  51.25  82.00  164.0       97.6      146.3      97.6   1000       4
       auto (direct)     9.00   4.50  11.25  18.00   36.0      444.4      666.7     444.4   1000       4
       raw-tcp           9.00   4.50  11.25  18.00   36.0      444.4      666.7     444.4   1000       4
--------------------------------------------------------------------------------------------------------
)snapshot" + notes);
}

TEST_CASE("p2p report: the table shows no figures of data that arrived wrong") {
  CHECK(render({{"", with_wrong_data()}}, "table") == heading + R"snapshot(
Bytes  Transport      Latency    p99  Bandwidth  Both ways  Messages  Data
                         (us)   (us)     (MB/s)     (MB/s)  (1000/s)
-----------------------------------------------------------------------------
    8  daemon           40.01  80.02      0.800      1.200     100.0  correct
       auto (direct)        -      -          -          -         -  WRONG
       raw-tcp           8.01  16.02      3.996      5.994     499.5  correct
-----------------------------------------------------------------------------
)snapshot" + notes);
}

TEST_CASE("p2p report: two documents stand side by side, path by path") {
  CHECK(render({{"a.json", sample({8}, 1)}, {"b.json", sample({8}, 1)}}, "table") ==
        R"snapshot(File A:   a.json
Platform: box (Fast CPU, 2 cores, 24.7 GB, Linux 6.1.0)
Program:  nasvm 0.1.0-rc1 (abc123def456), GNU 12.2.0; 2026-11-20 12:00 UTC
File B:   b.json
Platform: box (Fast CPU, 2 cores, 24.7 GB, Linux 6.1.0)
Program:  nasvm 0.1.0-rc1 (abc123def456), GNU 12.2.0; 2026-11-20 12:00 UTC

Bytes  File  Transport      Latency    p99  Bandwidth  Both ways  Messages
                               (us)   (us)     (MB/s)     (MB/s)  (1000/s)
--------------------------------------------------------------------------
    8  A     daemon           40.01  80.02      0.800      1.200     100.0
       B     daemon           40.01  80.02      0.800      1.200     100.0
       A     auto (direct)     8.01  16.02      3.996      5.994     499.5
       B     auto (direct)     8.01  16.02      3.996      5.994     499.5
       A     raw-tcp           8.01  16.02      3.996      5.994     499.5
       B     raw-tcp           8.01  16.02      3.996      5.994     499.5
--------------------------------------------------------------------------
)snapshot" + notes);
}

TEST_CASE("p2p report: Markdown has the cells of the table") {
  CHECK(render({{"", sample({8, 1000}, 1)}}, "markdown") ==
        R"snapshot(Platform: box (Fast CPU, 2 cores, 24.7 GB, Linux 6.1.0)  
Program:  nasvm 0.1.0-rc1 (abc123def456), GNU 12.2.0; 2026-11-20 12:00 UTC  

| Bytes | Transport | Latency (us) | p99 (us) | Bandwidth (MB/s) | Both ways (MB/s) | Messages (1000/s) |
| ---: | --- | ---: | ---: | ---: | ---: | ---: |
| 8 | daemon | 40.01 | 80.02 | 0.800 | 1.200 | 100.0 |
| | auto (direct) | 8.01 | 16.02 | 3.996 | 5.994 | 499.5 |
| | raw-tcp | 8.01 | 16.02 | 3.996 | 5.994 | 499.5 |
| 1000 | daemon | 41.00 | 82.00 | 97.6 | 146.3 | 97.6 |
| | auto (direct) | 9.00 | 18.00 | 444.4 | 666.7 | 444.4 |
| | raw-tcp | 9.00 | 18.00 | 444.4 | 666.7 | 444.4 |

Latency: half a round trip, median; p99: 99 of 100 were faster. Bandwidth, messages: one way, a window at a  
time, all its messages in one buffer that stays in the cache; from buffers of their own, large ones are slower.  
Both ways: the sum of both directions. 1 MB = 10^6 bytes.  
Each task was bound to a core of its own.  
raw-tcp: plain blocking TCP sockets, the paper's TTCP.  
)snapshot");
}

TEST_CASE("p2p report: CSV has a line for each record, and none of its figures where data were wrong") {
  CHECK(
      render({{"a,b.json", with_wrong_data()}}, "csv") ==
      R"snapshot(file,transport,method,bytes,repeat,latency_us,latency_mean_us,latency_min_us,latency_p99_us,latency_max_us,iterations,bandwidth_mb_s,bandwidth_mean_mb_s,bidirectional_mb_s,bidirectional_mean_mb_s,messages_per_s,window,windows,bound,data,buffers,conditions_changed
"a,b.json",daemon,daemon,8,0,40.008,50.010000000000005,20.004,80.016,160.032,1000,0.7998400319936012,0.5998800239952009,1.1997600479904018,0.7998400319936012,99980.00399920015,4,250,true,correct,1,
"a,b.json",auto,direct,8,0,,,,,,1000,,,,,,4,250,true,WRONG,1,
"a,b.json",raw-tcp,raw-tcp,8,0,8.008,10.009999999999998,4.004,16.016,32.032,1000,3.9960039960039966,2.9970029970029977,5.994005994005995,3.9960039960039966,499500.4995004996,4,250,true,correct,1,
)snapshot");
}

TEST_CASE("p2p report: OSU's layout, program by program, with averages") {
  CHECK(render({{"", sample({0, 8, 1000}, 1)}}, "osu") ==
        R"snapshot(# OSU MPI Latency Test (layout; measured by nasvm 0.1.0-rc1 over daemon)
# Size          Latency (us)
0                      50.00
8                      50.01
1000                   51.25

# OSU MPI Bandwidth Test (layout; measured by nasvm 0.1.0-rc1 over daemon)
# Size      Bandwidth (MB/s)
8                       0.60
1000                   73.17

# OSU MPI Bi-Directional Bandwidth Test (layout; measured by nasvm 0.1.0-rc1 over daemon)
# Size      Bandwidth (MB/s)
8                       0.80
1000                   97.56

# OSU MPI Multiple Bandwidth / Message Rate Test (layout; measured by nasvm 0.1.0-rc1 over daemon)
# [ pairs: 1 ]
# Size                  MB/s        Messages/s
8                       0.60          74985.00
1000                   73.17          73170.73

# OSU MPI Latency Test (layout; measured by nasvm 0.1.0-rc1 over auto)
# Size          Latency (us)
0                      10.00
8                      10.01
1000                   11.25

# OSU MPI Bandwidth Test (layout; measured by nasvm 0.1.0-rc1 over auto)
# Size      Bandwidth (MB/s)
8                       3.00
1000                  333.33

# OSU MPI Bi-Directional Bandwidth Test (layout; measured by nasvm 0.1.0-rc1 over auto)
# Size      Bandwidth (MB/s)
8                       4.00
1000                  444.44

# OSU MPI Multiple Bandwidth / Message Rate Test (layout; measured by nasvm 0.1.0-rc1 over auto)
# [ pairs: 1 ]
# Size                  MB/s        Messages/s
8                       3.00         374625.37
1000                  333.33         333333.33

# OSU MPI Latency Test (layout; measured by nasvm 0.1.0-rc1 over raw-tcp)
# Size          Latency (us)
8                      10.01
1000                   11.25

# OSU MPI Bandwidth Test (layout; measured by nasvm 0.1.0-rc1 over raw-tcp)
# Size      Bandwidth (MB/s)
8                       3.00
1000                  333.33

# OSU MPI Bi-Directional Bandwidth Test (layout; measured by nasvm 0.1.0-rc1 over raw-tcp)
# Size      Bandwidth (MB/s)
8                       4.00
1000                  444.44

# OSU MPI Multiple Bandwidth / Message Rate Test (layout; measured by nasvm 0.1.0-rc1 over raw-tcp)
# [ pairs: 1 ]
# Size                  MB/s        Messages/s
8                       3.00         374625.37
1000                  333.33         333333.33

)snapshot");
}

TEST_CASE("p2p report: the layout of one OSU program has its header lines and its figures alone") {
  Document document = sample({8, 1000}, 1);
  auto& records = document.records<P2pRecord>();
  std::erase_if(records, [](const P2pRecord& record) { return record.transport != "daemon"; });
  CHECK(render({{"", document}}, "osu_bw") ==
        R"snapshot(# Measured by nasvm 0.1.0-rc1 over daemon, laid out as by
# OSU MPI Bandwidth Test v5.9
# Size      Bandwidth (MB/s)
8                       0.60
1000                   73.17
)snapshot");
  CHECK(render({{"", document}}, "osu_latency").find("\n8                      50.01\n") != std::string::npos);
  CHECK(render({{"", document}}, "osu_bibw").find("\n8                       0.80\n") != std::string::npos);
  CHECK(render({{"", document}}, "osu_mbw_mr").find("\n8                       0.60          74985.00\n") !=
        std::string::npos);
}

TEST_CASE("p2p report: OSU's layout with all columns and the check of data") {
  CHECK(render({{"", with_wrong_data()}}, "osu", Columns::all) ==
        R"snapshot(# OSU MPI Latency Test (layout; measured by nasvm 0.1.0-rc1 over daemon)
# Size          Latency (us)   Min Latency(us)   Max Latency(us)        Iterations        Validation
8                      50.01             20.00            160.03              1000              Pass

# OSU MPI Bandwidth Test (layout; measured by nasvm 0.1.0-rc1 over daemon)
# Size      Bandwidth (MB/s)        Validation
8                       0.60              Pass

# OSU MPI Bi-Directional Bandwidth Test (layout; measured by nasvm 0.1.0-rc1 over daemon)
# Size      Bandwidth (MB/s)        Validation
8                       0.80              Pass

# OSU MPI Multiple Bandwidth / Message Rate Test (layout; measured by nasvm 0.1.0-rc1 over daemon)
# [ pairs: 1 ]
# Size                  MB/s        Messages/s        Validation
8                       0.60          74985.00              Pass

# OSU MPI Latency Test (layout; measured by nasvm 0.1.0-rc1 over auto)
# Size          Latency (us)   Min Latency(us)   Max Latency(us)        Iterations        Validation
8                          -                 -                 -                 -              Fail

# OSU MPI Bandwidth Test (layout; measured by nasvm 0.1.0-rc1 over auto)
# Size      Bandwidth (MB/s)        Validation
8                          -              Fail

# OSU MPI Bi-Directional Bandwidth Test (layout; measured by nasvm 0.1.0-rc1 over auto)
# Size      Bandwidth (MB/s)        Validation
8                          -              Fail

# OSU MPI Multiple Bandwidth / Message Rate Test (layout; measured by nasvm 0.1.0-rc1 over auto)
# [ pairs: 1 ]
# Size                  MB/s        Messages/s        Validation
8                          -                 -              Fail

# OSU MPI Latency Test (layout; measured by nasvm 0.1.0-rc1 over raw-tcp)
# Size          Latency (us)   Min Latency(us)   Max Latency(us)        Iterations        Validation
8                      10.01              4.00             32.03              1000              Pass

# OSU MPI Bandwidth Test (layout; measured by nasvm 0.1.0-rc1 over raw-tcp)
# Size      Bandwidth (MB/s)        Validation
8                       3.00              Pass

# OSU MPI Bi-Directional Bandwidth Test (layout; measured by nasvm 0.1.0-rc1 over raw-tcp)
# Size      Bandwidth (MB/s)        Validation
8                       4.00              Pass

# OSU MPI Multiple Bandwidth / Message Rate Test (layout; measured by nasvm 0.1.0-rc1 over raw-tcp)
# [ pairs: 1 ]
# Size                  MB/s        Messages/s        Validation
8                       3.00         374625.37              Pass

)snapshot");
}

TEST_CASE("p2p report: a document without all but the usual members is read; what it has not is not shown as 0") {
  const Document document = from_json(
      R"({"schema": "nasvm-result/1", "created": "2026-11-20T12:00:00Z", "command": ["other"],
          "p2p": [{"transport": "udp", "bytes": 8, "latency_us": 12.5, "bandwidth_mb_s": 0.64, "iterations": 1000}]})",
      "other.json");
  const auto is_in = [&](const std::string& format, const std::string& text) {
    CHECK_THAT(render({{"", document}}, format), Catch::Contains(text));
  };
  is_in("table", "\n    8  udp          12.50           0.6400\n");
  is_in("osu_latency", "\n8                      12.50\n");
  is_in("osu_bw", "\n8                       0.64\n");
  is_in("osu_bibw", "\n8                          -\n");
  is_in("osu_mbw_mr", "\n8                       0.64          80000.00\n");
  is_in("csv", ",12.5,,,,,1000,0.64,,,,,");
  is_in("json", "\"bidirectional_mb_s\": null");
  CHECK(compared_pairs(document).size() == 2);
}

TEST_CASE("p2p report: messages of no bytes have no bandwidth, which is known") {
  const std::string csv = render({{"", sample({0}, 1)}}, "csv");
  CHECK_THAT(csv, Catch::Contains(",1000,0,0,0,0,"));
}

TEST_CASE("p2p report: nothing is said of what a document does not tell, and nothing written that it has not said") {
  const Document document = from_json(
      R"({"schema": "nasvm-result/1", "created": "2026-11-20T12:00:00Z", "command": ["other"],
          "p2p": [{"transport": "direct", "bytes": 8, "latency_us": 12.5, "latency_p99_us": 25}]})",
      "other.json");
  const std::string text = render({{"", document}}, "table");
  CHECK_THAT(text, !Catch::Contains("bound") && !Catch::Contains("Rows without p99") && Catch::Contains("25"));
  const std::string json = render({{"", document}}, "json");
  CHECK_THAT(json, !Catch::Contains("\"bound\"") && !Catch::Contains("\"window\""));
  CHECK(from_json(json, "again") == document);
  CHECK_THAT(render({{"", document}}, "csv"), Catch::Contains(",12.5,,,25,,0,") && Catch::Contains(",0,,unchecked,"));

  const std::vector<Compared> compared = compared_pairs(document);
  REQUIRE(compared.size() == 1);  // it has no bandwidth
  CHECK(compared[0].name == "p2p of 8 bytes, direct");

  Document unbound = sample({8}, 1);
  for (P2pRecord& record : unbound.records<P2pRecord>()) record.bound = false;
  const std::string with_ours = render({{"a", sample({8}, 1)}, {"b", document}}, "table");
  CHECK_THAT(with_ours, !Catch::Contains("bound"));
  const std::string with_both = render({{"a", sample({8}, 1)}, {"b", unbound}, {"c", document}}, "table");
  CHECK_THAT(with_both, Catch::Contains("C     direct, bound or not is not known"));
}

TEST_CASE("p2p report: the paper's Table 6 below this machine's, with what was not measured left open") {
  CHECK(render({{"", paper_sizes()}}, "table6") == heading + R"snapshot(Throughput in kB/s (1 kB = 10^3 bytes)

Platform                Path            1 byte  100 bytes       10 kB     1 MB
------------------------------------------------------------------------------
this machine            daemon           25.00    2493.77   200000.00        -
                        direct          124.98   12345.68   555555.56        -
                        raw-tcp         124.98   12345.68   555555.56        -
                        direct/daemon    5.00x      4.95x       2.78x        -
                        direct/raw-tcp   1.00x      1.00x       1.00x        -

this machine, streams   daemon          100.00    9975.06   800000.00        -
                        direct          499.94   49382.72  2222222.22        -
                        raw-tcp         499.94   49382.72  2222222.22        -
                        direct/daemon    5.00x      4.95x       2.78x        -
                        direct/raw-tcp   1.00x      1.00x       1.00x        -

SS1+ Ethernet (paper)   Daemon            0.06      12.88      263.41   358.48
                        Fsend             0.49      81.79      902.42  1003.87
                        TTCP              0.65     130.45      965.04  1125.24
                        Fsend/Daemon     8.17x      6.35x       3.43x    2.80x
                        Fsend/TTCP       0.75x      0.63x       0.94x    0.89x

RS6000 FDDI (paper)     Daemon            0.09      20.67      374.04   711.58
                        Fsend             0.82     112.79     1568.40  2285.89
                        TTCP              1.85     325.40     2573.00  2918.20
                        Fsend/Daemon     9.11x      5.46x       4.19x    3.21x
                        Fsend/TTCP       0.44x      0.35x       0.61x    0.78x

SGI Gigaswitch (paper)  Daemon            0.21      38.92      406.04   483.58
                        Fsend             1.11     102.79     3400.42  9550.87
                        TTCP              2.15     500.40     9203.00  9624.20
                        Fsend/Daemon     5.29x      2.64x       8.37x    19.8x
                        Fsend/TTCP       0.52x      0.21x       0.37x    0.99x
------------------------------------------------------------------------------
First block: message by message, size divided by half a round trip; streams: many messages on their way.
Paper: White, Ålund and Sunderam, Performance of the NAS Parallel Benchmarks on PVM-Based Networks,
Table 6. Its Daemon is our daemon, its Fsend our direct, its TTCP our raw-tcp.
)snapshot");
}

TEST_CASE("p2p report: the document gives back what was written, also wrong data without their figures") {
  const Document document = sample({0, 8, 1000}, 2);
  CHECK(from_json(render({{"", document}}, "json"), "text") == document);

  const Document read = from_json(render({{"", with_wrong_data()}}, "json"), "text");
  REQUIRE(read.records<P2pRecord>().size() == 3);
  CHECK(read.records<P2pRecord>()[1].data == DataCheck::failed);
  CHECK(read.records<P2pRecord>()[1].latency == Latency{});
  CHECK(read.records<P2pRecord>()[1].bandwidth == Bandwidth{});
  CHECK(read.records<P2pRecord>()[2] == with_wrong_data().records<P2pRecord>()[2]);
}

TEST_CASE("p2p report: a document with nonsense in it is refused with its place") {
  std::string text = render({{"", sample({8}, 1)}}, "json");
  text.replace(text.find("\"unchecked\""), 11, "\"perhaps\"");
  CHECK_THROWS_WITH(from_json(text, "f"), "f: p2p[0].data should be unchecked, correct or wrong");
}

TEST_CASE("p2p report: the table says how many buffers messages used in turn") {
  Document document = sample({8}, 1);
  CHECK(render({{"", document}}, "table").find("in one buffer that stays in the cache") != std::string::npos);
  for (P2pRecord& record : document.records<P2pRecord>()) record.buffers = 64;
  CHECK(render({{"", document}}, "table").find("Messages use 64 buffers in turn") != std::string::npos);
}

TEST_CASE("p2p report: where documents differ in buffers, rows say which had several") {
  const Document one = sample({8}, 1);
  Document several = one;
  for (P2pRecord& record : several.records<P2pRecord>()) record.buffers = 64;
  const std::string text = render({{"a.json", one}, {"b.json", several}}, "table");
  CHECK(text.find("B     auto (direct), 64 buffers") != std::string::npos);
  CHECK(text.find("A     auto (direct)  ") != std::string::npos);
  CHECK(text.find("or in as many in turn as the row says.") != std::string::npos);
}

TEST_CASE("p2p report: where windows of a size differ between documents, rows say how long they were") {
  const Document short_ones = sample({8, 1000}, 1);
  Document usual = short_ones;
  for (P2pRecord& record : usual.records<P2pRecord>()) {
    if (record.bytes == 8) record.window = 64;
  }
  const std::string text = render({{"a.json", short_ones}, {"b.json", usual}}, "table");
  CHECK(text.find("A     auto (direct), windows of 4") != std::string::npos);
  CHECK(text.find("B     auto (direct)  ") != std::string::npos);
  CHECK(std::ranges::count_if(test::lines_of_text(text), [](const std::string& line) {
          return line.find(", windows of ") != std::string::npos;
        }) == 3);
}

TEST_CASE("p2p report: a repeat with wrong data is one of the others' case, however long windows were") {
  Document document = sample({8}, 5);  // windows of 4, not the usual 64
  document.records<P2pRecord>()[3].data = DataCheck::failed;
  std::map<std::string, int> results;
  for (const Compared& one : compared_pairs(document)) ++results[one.name];
  CHECK(results == std::map<std::string, int>{{"p2p of 8 bytes, daemon", 5},
                                              {"p2p of 8 bytes, daemon, windows of 4", 10},  // one way, and both
                                              {"p2p of 8 bytes, auto", 5},
                                              {"p2p of 8 bytes, auto, windows of 4", 10}});
}

TEST_CASE("p2p report: tasks without a core of their own make other cases, and other rows where documents differ") {
  const Document bound = sample({8}, 1);
  Document unbound = bound;
  for (P2pRecord& record : unbound.records<P2pRecord>()) record.bound = false;
  CHECK(compared_pairs(bound).at(0).name == "p2p of 8 bytes, daemon");
  CHECK(compared_pairs(unbound).at(0).name == "p2p of 8 bytes, daemon, not bound");
  CHECK(compared_pairs(unbound).at(1).name == "p2p of 8 bytes, daemon, not bound, windows of 4");
  const std::string text = render({{"a.json", bound}, {"b.json", unbound}}, "table");
  CHECK(text.find("A     auto (direct)  ") != std::string::npos);
  CHECK(text.find("B     auto (direct), not bound") != std::string::npos);
  CHECK(text.find("\nNot all tasks were bound to cores of their own, as rows say.\n") != std::string::npos);
  const std::string alike = render({{"a.json", unbound}, {"b.json", unbound}}, "table");
  CHECK(alike.find("\nTasks were not bound to cores.\n") != std::string::npos);
  CHECK(alike.find(", not bound") == std::string::npos);
}

TEST_CASE("p2p report: fewer than 100 round trips have no p99, and the one that older documents have is not shown") {
  Document document = sample({8}, 1);
  CHECK(render({{"", document}}, "table").find("Rows without p99") == std::string::npos);
  auto& records = document.records<P2pRecord>();
  records[0].iterations = 4;
  records[1].iterations = 4;
  records[1].latency.p99_us = 0;
  const std::string text = render({{"", document}}, "table");
  CHECK(text.find("80.02") == std::string::npos);
  CHECK(text.find("16.02") != std::string::npos);
  CHECK(text.find("\nRows without p99: of fewer than 100 measurements it says nothing.\n") != std::string::npos);
  const std::string csv = render({{"", document}}, "csv");
  CHECK(csv.find(",20.004,,160.032,4,") != std::string::npos);
  CHECK(csv.find(",4.004,,32.032,4,") != std::string::npos);
  CHECK(csv.find(",4.004,16.016,32.032,1000,") != std::string::npos);
  const std::string json = render({{"", document}}, "json");
  CHECK(json.find("\"latency_p99_us\": 80.016,") != std::string::npos);
  CHECK(json.find("\"latency_p99_us\": null,") != std::string::npos);
  CHECK(from_json(json, "text") == document);
}

TEST_CASE("p2p report: a row has a p99 where all its repeats were long enough, not that of the quick ones") {
  Document document = sample({8}, 3);
  auto& records = document.records<P2pRecord>();
  std::erase_if(records, [](const P2pRecord& record) { return record.transport != "daemon"; });
  records[1].iterations = 4;
  records[1].latency.p99_us = 0;
  const std::string text = render({{"", document}}, "table");
  CHECK(text.find("88.02") == std::string::npos);  // the middle of 80.016 and 96.016
  CHECK(text.find("Rows without p99") != std::string::npos);
}

TEST_CASE("p2p report: rows with fewer runs than others are not said to be medians of as many") {
  Document document = sample({8}, 3);
  CHECK_THAT(render({{"", document}}, "table"), Catch::Contains("\nMedians of 3 runs"));
  document.records<P2pRecord>().pop_back();
  CHECK_THAT(render({{"", document}}, "table"), Catch::Contains("\nMedians of up to 3 runs"));
}

TEST_CASE("p2p report: Table 6 of none of its sizes is refused") {
  CHECK_THROWS_WITH(render({{"a.json", sample({8, 16}, 1)}}, "table6"),
                    Catch::Contains("a.json: has none of 1, 100, 10000 and 1000000 bytes"));
}

TEST_CASE("p2p report: Table 6 says of how many runs its figures are, and under which conditions") {
  Document document = sample({1, 100}, 2);
  for (P2pRecord& record : document.records<P2pRecord>()) record.sampled.conditions = Conditions{55, 12, 0, 0, 10};
  const std::string text = render({{"", document}}, "table6");
  CHECK(text.find("\nMedians of 2 runs, taken in alternating order.\n") != std::string::npos);
  CHECK(text.find("\nConditions: core to core 55 ns, ") != std::string::npos);
}

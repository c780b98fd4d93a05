#include "harness/commands/p2p/options.hpp"

#include <catch2/catch.hpp>

#include "../../fake_executor.hpp"
#include "harness/cli/sizes.hpp"
#include "harness/commands/p2p/collective/collective.hpp"
#include "harness/commands/p2p/pair/yardstick.hpp"
#include "vm/status.hpp"
#include "vm/transport/table.hpp"

using namespace nasvm;
using test::Session;

namespace {

P2pOptions parsed(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "p2p");
  return test::options_of<P2pOptions>(arguments, [](CommandLine& line, P2pOptions& options) {
    add_p2p_options(line, options, test::format_names_of("p2p"));
  });
}

/// Expects exit status 2, one line on standard error that holds `words`, and no run.
void refuses(std::vector<std::string> arguments, const std::vector<std::string>& words) {
  arguments.insert(arguments.begin(), "p2p");
  Session session;
  const int status = session(arguments);
  CAPTURE(arguments, session.err);
  CHECK(status == 2);
  CHECK(session.err_lines() == 1);
  CHECK(session.out.empty());
  CHECK(session.p2p_seen.empty());
  for (const std::string& word : words) {
    CAPTURE(word);
    CHECK(session.err.find(word) != std::string::npos);
  }
}

using Sizes = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("p2p options: without any, daemon, direct and all yardsticks from 0 B to 4 MiB") {
  const P2pOptions options = parsed({});
  CHECK(options.paths ==
        std::vector<std::string>{"daemon", "direct", "raw-tcp", "raw-tcp-spin", "raw-unix", "raw-forwarder"});
  CHECK(options.sizes.size() == 24);
  CHECK(options.sizes.front() == 0);
  CHECK(options.sizes.back() == 4 << 20);
  CHECK(options.runs == 3);
  CHECK_FALSE(options.effort.iterations.has_value());
  CHECK_FALSE(options.effort.warmup.has_value());
  CHECK_FALSE(options.effort.window.has_value());
  CHECK_FALSE(options.effort.check_data);
  CHECK(options.bind == Binding::core);
  CHECK(options.output.format == "table");
}

TEST_CASE("p2p options: the letters that hands know") {
  const P2pOptions options = parsed({"-m", "8:1k", "-i", "100", "-x", "0", "-W", "16", "-c", "-f"});
  CHECK(options.sizes == Sizes{8, 16, 32, 64, 128, 256, 512, 1024});
  CHECK(options.effort.iterations == 100);
  CHECK(options.effort.warmup == 0);
  CHECK(options.effort.window == 16);
  CHECK(options.effort.check_data);
  CHECK(options.columns == Columns::all);
}

TEST_CASE("p2p options: everything else can be said") {
  const P2pOptions options = parsed({"--transport", "raw-unix,auto,direct+daemon", "--runs", "5", "--timeout", "2.5",
                                     "--bind", "none", "--sample-time", "250", "--format", "osu", "--export-json",
                                     "j", "--export-csv", "c", "--export-markdown", "m"});
  CHECK(options.paths == std::vector<std::string>{"raw-unix", "auto", "direct+daemon"});
  CHECK(options.runs == 5);
  CHECK(options.timeout_s == 2.5);
  CHECK(options.effort.sample_time_s == 0.25);
  CHECK(options.bind == Binding::none);
  CHECK(options.output.format == "osu");
  CHECK(options.output.export_json == "j");
  CHECK(options.output.export_csv == "c");
  CHECK(options.output.export_markdown == "m");
}

TEST_CASE("p2p options: sizes double from the first to the last") {
  CHECK(parse_sizes("0:4") == Sizes{0, 1, 2, 4});
  CHECK(parse_sizes("4") == Sizes{0, 1, 2, 4});
  CHECK(parse_sizes("0") == Sizes{0});
  CHECK(parse_sizes("100:100") == Sizes{100});
  CHECK(parse_sizes("3:13") == Sizes{3, 6, 12});
  CHECK(parse_sizes("2m:") == Sizes{2 << 20, 4 << 20});
  CHECK(parse_sizes("64M:64M") == Sizes{64 << 20});
  CHECK(parse_sizes("1G:1g") == Sizes{1 << 30});
  CHECK(parse_sizes("0:0") == Sizes{0});
}

TEST_CASE("p2p options: one number is the last size, also where doubling misses it") {
  CHECK(parse_sizes("3") == Sizes{0, 1, 2, 3});
  CHECK(parsed({"-m", "10"}).sizes == Sizes{0, 1, 2, 4, 8, 10});
  CHECK(parsed({"--collective", "alltoall", "-m", "9"}).sizes == Sizes{0, 1, 2, 4, 8, 9});
}

TEST_CASE("p2p options: one number is just that size where the sizes are not OSU's") {
  for (const char* kind : {"--mixed", "--service", "--coupled"}) {
    CAPTURE(kind);
    CHECK(parsed({kind, "-m", "10k"}).sizes == Sizes{10'240});
    CHECK(parsed({kind, "-m", "64,32"}).sizes == Sizes{32, 64});
    CHECK(parsed({kind, "-m", "16:64"}).sizes == Sizes{16, 32, 64});
    refuses({kind, "-m", "2G"}, {"-m 2G", "MIN:MAX"});
  }
}

TEST_CASE("p2p options: just the sizes of a list, too, by size") {
  CHECK(parsed({"-m", "64k,0,1k"}).sizes == Sizes{0, 1024, 65'536});
  CHECK(parsed({"-m", "64k,"}).sizes == Sizes{65'536});
  refuses({"-m", "8,8"}, {"-m 8,8", "twice"});
}

TEST_CASE("p2p options: sizes that are none are refused with what is right") {
  for (const char* sizes : {",", "64k,,", ",64k", "8:4", "x", "4q", "4kk", "1:2:3", ":", "-1:4", "2G", "1:2G", "1.5k",
                            "99999999999999999999", "9999999999G"}) {
    refuses({std::string("-m") + sizes}, {"-m", sizes, "MIN:MAX", "8:4k", "2M:2M", "a list (1k,64k)"});
  }
}

TEST_CASE("p2p options: what is not known or out of range is refused in one line") {
  refuses({"--transport", "pigeon"}, {"pigeon", "daemon", "direct", "raw-tcp-spin"});
  refuses({"--transport", "raw-tcp+direct"}, {"raw-tcp+direct: raw-tcp is a yardstick", "stands alone"});
  refuses({"--transport", "direct,direct+raw-tcp-spin"}, {"raw-tcp-spin is a yardstick", "stands alone"});
  refuses({"--transport", "raw-tcp:spin=1"}, {"raw-tcp is a yardstick", "no parameters"});
  refuses({"--transport", "direct,direct"}, {"twice", "--runs"});
  refuses({"--format", "npb"}, {"table, json, csv, markdown, osu, osu_latency"});
  refuses({"--bind", "socket"}, {"--bind socket", "core, none"});
  refuses({"-i", "0"}, {"-i 0", "from 1"});
  refuses({"-x=-1"}, {"-x"});
  refuses({"-W", "0"}, {"-W 0", "from 1"});
  refuses({"-W", "many"}, {"-W many"});
  refuses({"--transport", "raw-tcp,raw-unix", "-m", "0:0"}, {"-m 0", "raw-tcp", "empty"});
  refuses({"--sample-time", "0"}, {"--sample-time 0", "from 1"});
  refuses({"--runs", "0"}, {"--runs 0"});
  refuses({"--timeout", "0"}, {"--timeout 0"});
  refuses({"--table6", "-m", "1:4"}, {"--table6", "-m"});
  refuses({"--export-json", "f", "--export-csv", "f"}, {"two exports"});
  refuses({"--host", "127.0.0.1,127.0.0.2", "--transport", "raw-unix"}, {"raw-unix", "one host"});
  refuses({"-m", "8:16", "--format", "table6"}, {"table6", "10000"});
  refuses({"ft"}, {"nasvm p2p --help"});
  refuses({"--size", "8"}, {"not expected: --size 8", "nasvm p2p --help"});
}

TEST_CASE("p2p options: across hosts the yardsticks that cannot get there are left out") {
  CHECK(parsed({"--host", "127.0.0.1,127.0.0.2"}).paths ==
        std::vector<std::string>{"daemon", "direct", "raw-tcp", "raw-tcp-spin"});
  CHECK(parsed({"--host", "127.0.0.2:2"}).paths == parsed({}).paths);
  CHECK(parsed({"--host", "127.0.0.2:2", "--transport", "direct,raw-unix"}).paths.size() == 2);
}

TEST_CASE("p2p options: --table6 measures the paper's sizes") {
  const P2pOptions options = parsed({"--table6"});
  CHECK(options.sizes == Sizes{1, 100, 10'000, 1'000'000});
  CHECK(options.output.format == "table6");
  CHECK(parsed({"--table6", "--format", "json"}).output.format == "json");
  CHECK(parsed({"--table6", "--format", "table"}).output.format == "table");
  CHECK(parsed({"--table6", "--export-json", "-"}).output.format == "json");
}

TEST_CASE("p2p options: help lists the tables' own names") {
  Session session;
  CHECK(session({"p2p", "--help"}) == 0);
  for (const Yardstick& one : yardsticks()) CHECK(session.out.find(std::string(one.name)) != std::string::npos);
  for (const TransportRow& one : transports()) CHECK(session.out.find(std::string(one.name)) != std::string::npos);
  for (const std::string_view name : test::format_names_of("p2p")) {
    CHECK(session.out.find(std::string(name)) != std::string::npos);
  }
}

TEST_CASE("p2p options: collectives have tasks, sizes and transports of their own") {
  const P2pOptions options = parsed({"--collective", "allreduce,barrier"});
  CHECK(options.kind == P2pKind::collective);
  CHECK(options.collectives == std::vector<std::string>{"allreduce", "barrier"});
  CHECK(options.np == 2);
  CHECK(options.paths == std::vector<std::string>{"daemon", "direct"});
  CHECK(options.sizes.front() == 8);
  CHECK(options.sizes.back() == 1 << 20);
  const P2pOptions more =
      parsed({"--collective", "all", "--np", "8", "-m", "0:64", "-i", "7", "-c", "--transport", "auto"});
  CHECK(more.collectives.size() == collectives().size());
  CHECK(more.np == 8);
  CHECK(more.effort.iterations == 7);
  CHECK(more.effort.check_data);
}

TEST_CASE("p2p options: what does not go with collectives is refused in one line") {
  refuses({"--collective", "gossip"}, {"gossip", "allreduce", "alltoall"});
  refuses({"--collective", "barrier,barrier"}, {"twice", "--runs"});
  refuses({"--collective", "barrier", "--np", "0"}, {"--np 0", "from 1"});
  refuses({"--collective", "barrier", "--transport", "raw-tcp"}, {"raw-tcp", "two tasks"});
  refuses({"--collective", "barrier", "-W", "4"}, {"-W", "--collective"});
  refuses({"--collective", "barrier", "--table6"}, {"--table6", "--collective"});
  refuses({"--collective", "barrier", "--format", "table6"}, {"table6", "--collective"});
  refuses({"--collective", "all,barrier"}, {"all,barrier: all stands alone"});
  refuses({"--collective", "allreduce", "-m", "1:4"}, {"-m", "allreduce", "8 bytes"});
  refuses({"--np", "4"}, {"--np", "--collective"});
}

TEST_CASE("p2p options: mixed transports have the paper's sizes and range of skip_poll") {
  const P2pOptions options = parsed({"--mixed"});
  CHECK(options.kind == P2pKind::mixed);
  CHECK(options.np == 3);
  CHECK(options.paths == std::vector<std::string>{"shm", "direct"});
  CHECK(options.sizes == Sizes{0, 10'000});
  CHECK(options.skips.size() == 14);
  CHECK(options.skips.front() == 0);
  CHECK(options.skips.back() == 4096);
  const P2pOptions more = parsed({"--mixed", "--transport", "shm,daemon", "-m", "8:8", "--skip-poll", "4,adaptive"});
  CHECK(more.paths == std::vector<std::string>{"shm", "daemon"});
  CHECK(more.sizes == Sizes{8});
  CHECK(more.skips == std::vector<int>{4, 0});
  refuses({"--mixed", "--skip-poll", "adaptiv"}, {"--skip-poll adaptiv", "0 to 65536, or adaptive"});
}

TEST_CASE("p2p options: requests are measured over every transport, and over nothing else") {
  const P2pOptions options = parsed({"--service"});
  CHECK(options.kind == P2pKind::service);
  CHECK(options.paths == std::vector<std::string>{"shm", "direct", "daemon"});
  CHECK(parsed({"--service", "--host", "127.0.0.1,127.0.0.2"}).paths == std::vector<std::string>{"direct", "daemon"});
  CHECK(parsed({"--service", "--host", "127.0.0.1:2"}).paths.front() == "shm");
  CHECK(options.sizes.front() == 8);
  CHECK(options.sizes.back() == 65'536);
  CHECK(parsed({"--service", "--transport", "auto", "-m", "8:8"}).sizes.size() == 1);
  refuses({"--service", "--mixed"}, {"--mixed and --service", "one at a time"});
  refuses({"--service", "--transport", "mpi"}, {"mpi", "no requests"});
  refuses({"--service", "--transport", "raw-tcp"}, {"raw-tcp"});
  refuses({"--service", "-c"}, {"-c"});
  refuses({"--service", "--table6"}, {"--table6", "--service"});
  refuses({"--service", "-f"}, {"-f", "--service"});
}

TEST_CASE("p2p options: the coupled model has the paper's shape") {
  const P2pOptions options = parsed({"--coupled"});
  CHECK(options.kind == P2pKind::coupled);
  CHECK(options.np == 6);
  CHECK(options.paths == std::vector<std::string>{"shm", "direct"});
  CHECK(options.sizes == std::vector<std::uint64_t>{4096});
  CHECK(options.skips.front() == 0);
  CHECK(parsed({"--coupled", "--np", "24", "-m", "16:64"}).np == 24);
  refuses({"--coupled", "--np", "2"}, {"--np 2", "from 3"});
  refuses({"--coupled", "-m", "8"}, {"-m 8", "16 bytes or more"});
  refuses({"--coupled", "--transport", "shm"}, {"--coupled", "two transports"});
  refuses({"--coupled", "--transport", "shm,auto"}, {"auto", "by name"});
  refuses({"--coupled", "--transport", "shm,mpi"}, {"mpi", "whole program"});
  refuses({"--coupled", "--mixed"}, {"one at a time"});
  refuses({"--coupled", "-c"}, {"-c"});
  refuses({"--coupled", "-W", "2"}, {"-W", "--coupled"});
  refuses({"--np", "3"}, {"--np", "--collective or --coupled"});
}

TEST_CASE("p2p options: what does not go with mixed transports is refused in one line") {
  refuses({"--mixed", "--transport", "shm"}, {"--mixed", "two transports"});
  refuses({"--mixed", "--transport", "shm,direct,daemon"}, {"--mixed", "two transports"});
  refuses({"--mixed", "--transport", "shm,mpi"}, {"mpi", "whole program"});
  refuses({"--mixed", "--transport", "shm,auto"}, {"auto", "by name"});
  refuses({"--mixed", "--transport", "shm,raw-tcp"}, {"raw-tcp"});
  refuses({"--mixed", "--collective", "barrier"}, {"one at a time"});
  refuses({"--mixed", "--skip-poll", "1,1"}, {"twice"});
  refuses({"--mixed", "--skip-poll", "often"}, {"often", "0 to 65536"});
  refuses({"--mixed", "--format", "osu"}, {"osu", "--mixed"});
  refuses({"--mixed", "-c"}, {"-c"});
  refuses({"--mixed", "--full"}, {"-f", "--mixed"});
  refuses({"--skip-poll", "1"}, {"--skip-poll", "--mixed"});
}

TEST_CASE("p2p options: several buffers are for pairs") {
  CHECK(parsed({}).effort.buffers == 1);
  CHECK(parsed({"--buffers", "64"}).effort.buffers == 64);
  refuses({"--buffers", "0"}, {"--buffers 0", "from 1"});
  refuses({"--buffers", "4", "--collective", "barrier"}, {"--buffers", "--collective"});
}

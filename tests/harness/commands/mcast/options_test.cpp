#include "harness/commands/mcast/options.hpp"

#include <catch2/catch.hpp>

#include <array>

#include "../../fake_executor.hpp"
#include "harness/commands/mcast/rows.hpp"
#include "harness/commands/mcast/sweep.hpp"
#include "sample_rows.hpp"

using namespace nasvm;
using Catch::Contains;
using test::Session;

namespace {

std::span<const multicast::Row> rows() {
  static const std::vector<multicast::Row> all = measured_protocols(test::mcast_rows);
  return all;
}

McastOptions parsed(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "mcast");
  return test::options_of<McastOptions>(std::move(arguments), [](CommandLine& line, McastOptions& options) {
    add_mcast_options(line, options, test::format_names_of("mcast"), rows());
  });
}

std::vector<std::string> texts_of(const McastOptions& options) {
  std::vector<std::string> texts;
  for (const ProtocolVariant& variant : options.variants) texts.push_back(text_of(variant));
  return texts;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("mcast options: without any, all protocols and the yardstick, four receivers, three sizes") {
  const McastOptions options = parsed({});
  CHECK(texts_of(options) == Texts{"fanout", "nak", "lineartree", "raw", "copies", "auto"});
  CHECK(options.receivers == std::vector<int>{4});
  CHECK(options.sizes == std::vector<std::uint64_t>{1024, 65'536, 2'097'152});
  CHECK(options.runs == 3);
  CHECK(options.authenticated);
  CHECK(options.ttl == 1);
  CHECK(options.transport == "auto");
  CHECK(options.beside.empty());
  CHECK_FALSE(options.effort.iterations);
  CHECK(options.figures.chosen.empty());
}

TEST_CASE("mcast options: lists make all combinations, of those parameters that a protocol has") {
  const McastOptions options = parsed(
      {"--protocol", "fanout,nak,lineartree:height=6", "--packet", "1472,8k", "--window", "20,50", "--poll", "16"});
  CHECK(texts_of(options) ==
        Texts{"fanout", "nak:packet=1472:window=20:poll=16", "nak:packet=1472:window=50:poll=16",
              "nak:packet=8k:window=20:poll=16", "nak:packet=8k:window=50:poll=16",
              "lineartree:height=6:packet=1472:window=20", "lineartree:height=6:packet=1472:window=50",
              "lineartree:height=6:packet=8k:window=20", "lineartree:height=6:packet=8k:window=50"});
  CHECK(options.variants[1].protocol == "nak");
  CHECK(options.variants[1].parameters == "packet=1472:window=20:poll=16");
  CHECK(options.remarks == Texts{"--packet: fanout has no such parameter: measured without",
                                 "-W: fanout has no such parameter: measured without",
                                 "--poll: fanout, lineartree:height=6 have no such parameter: measured without"});
}

TEST_CASE("mcast options: a protocol is measured without what has no effect beside the parameters that it has") {
  const std::array polls{SweptParameter{"--poll", "poll", {"16", "40"}}};
  const Sweep sweep = make_sweep(Texts{"nak", "nak:fec=on"}, polls, multicast::protocols());
  Texts texts;
  for (const ProtocolVariant& variant : sweep.variants) texts.push_back(text_of(variant));
  CHECK(texts == Texts{"nak:poll=16", "nak:poll=40", "nak:fec=on"});
  CHECK(sweep.remarks == Texts{"--poll: nak:fec=on has no such parameter: measured without"});
  CHECK_THROWS_WITH(make_sweep(Texts{"nak:fec=on"}, polls, multicast::protocols()),
                    "--poll: none of nak:fec=on has a parameter poll");
}

TEST_CASE("mcast options: everything else can be said") {
  const McastOptions options =
      parsed({"--receivers", "2,4,30",    "-m",        "0:4",        "-i", "7",          "-x", "0",
              "-c",          "-f",        "--no-auth", "--ttl",      "3",  "--runs",     "5",  "--transport",
              "daemon",      "--timeout", "60",        "--hostfile", "h",  "--launcher", "ssh"});
  CHECK(options.receivers == std::vector{2, 4, 30});
  CHECK(options.sizes == std::vector<std::uint64_t>{0, 1, 2, 4});
  CHECK(options.effort.iterations == 7);
  CHECK(options.effort.warmup == 0);
  CHECK(options.effort.check_data);
  CHECK(options.columns == Columns::all);
  CHECK_FALSE(options.authenticated);
  CHECK(options.ttl == 3);
  CHECK(options.runs == 5);
  CHECK(options.transport == "daemon");
  CHECK(options.timeout_s == 60);
  CHECK(options.machine.hostfile == "h");
  CHECK(parsed({"--np", "9"}).receivers == std::vector{8});
  CHECK(parsed({"-m", "2000000:2000000"}).sizes == std::vector<std::uint64_t>{2'000'000});
  CHECK(parsed({"-m", "1k,500000"}).sizes == std::vector<std::uint64_t>{1024, 500'000});
  CHECK(parsed({"--beside", "mpi,pvm:route=direct"}).beside == Texts{"mpi", "pvm:route=direct"});
}

TEST_CASE("mcast options: figures are all of them, or some") {
  CHECK(parsed({"--figures"}).figures.chosen.size() == mcast_figures().size());
  const McastOptions some = parsed({"--figures", "9,table2", "--quick", "--out", "folder", "--lab", "script"});
  REQUIRE(some.figures.chosen.size() == 2);
  CHECK(some.figures.chosen[0]->name == "9");
  CHECK(some.figures.chosen[1]->name == "table2");
  CHECK(some.figures.quick);
  CHECK(some.figures.folder == "folder");
  CHECK(some.figures.lab == "script");
}

TEST_CASE("mcast options: what is wrong is told in one line, and nothing runs") {
  struct Wrong {
    Texts arguments;
    std::string complaint;
  };
  const std::vector<Wrong> all{
      {{"--protocol", "pigeon"}, "pigeon"},
      {{"--protocol", "nak,nak"}, "given twice"},
      {{"--protocol", "nak:height=3"}, "no parameter \"height\""},
      {{"--protocol", "nak", "-W", "0"}, "window=0"},
      {{"--protocol", "nak", "--packet", "70000"}, "packet=70000"},
      {{"--protocol", "nak", "--packet", "8k,"}, "packet="},
      {{"--protocol", "fanout", "--height", "3"}, "--height: none of fanout has a parameter height"},
      {{"--protocol", "lineartree:height=6", "--height", "3"}, "both set height"},
      {{"--protocol", "nak", "--poll", "3,3"}, "given twice"},
      {{"--receivers", "0"}, "--receivers 0"},
      {{"--receivers", "2,2"}, "given twice"},
      {{"--receivers", "5000"}, "4095"},
      {{"--np", "1"}, "--np 1"},
      {{"--np", "4", "--receivers", "3"}, "--np and --receivers"},
      {{"-m", "1k,2q"}, "-m 1k,2q"},
      {{"-m", "4k,4k"}, "given twice"},
      {{"-i", "0"}, "-i 0"},
      {{"--ttl", "256"}, "--ttl 256"},
      {{"--figures", "9", "--sample-time", "5"}, "--sample-time"},
      {{"--beside", "direct"}, "no message system"},
      {{"--beside", "mpi,mpi"}, "given twice"},
      {{"--transport", "mpi"}, "--beside"},
      {{"--transport", "pigeon"}, "pigeon"},
      {{"--figures", "12"}, "--figures 12: not known; known are 4, 5"},
      {{"--figures", "9,9"}, "given twice"},
      {{"--figures", "--protocol", "nak"}, "--figures and --protocol"},
      {{"--figures", "--hostfile", "h"}, "--figures and --hostfile"},
      {{"--quick"}, "--quick is for --figures"},
      {{"--format", "osu"}, "osu"},
  };
  for (const Wrong& wrong : all) {
    Session session;
    session.protocols = test::mcast_rows;
    Texts arguments{"mcast"};
    arguments.insert(arguments.end(), wrong.arguments.begin(), wrong.arguments.end());
    CAPTURE(wrong.arguments);
    CHECK(session(arguments) == 2);
    CHECK_THAT(session.err, Contains(wrong.complaint));
    CHECK(session.err_lines() == 1);
    CHECK(session.mcast_seen.empty());
    CHECK(session.labs_seen.empty());
  }
}

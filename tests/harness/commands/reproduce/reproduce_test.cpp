/// \file
/// `nasvm reproduce` with a lab that has no hosts.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "../../fake_executor.hpp"
#include "harness/cli/values.hpp"
#include "harness/commands/reproduce/plan.hpp"
#include "harness/program.hpp"
#include "vm/machine_topology.hpp"

using namespace nasvm;
using namespace nasvm::test;
using Catch::Contains;

namespace {

std::string value_of(const std::vector<std::string>& words, const std::string& option) {
  return *std::next(std::ranges::find(words, option));
}

/// What `nasvm run` would print: 1 MiB in 2 s over daemon, in 1 s over direct; the usual variants send half of it.
ProgramResult good_runs(const std::vector<std::string>& words) {
  ProgramResult result;
  result.ended_well = true;
  result.exit_status = 0;
  if (words.front() == "vm" || words.front().starts_with("slow ")) return result;
  Document document;
  document.machine = small_machine();
  for (const std::string& transport : split(value_of(words, "--transport"), ',')) {
    RunRecord run;
    run.kernel = words[1];
    run.problem_class = value_of(words, "--class").front();
    run.np = std::stoi(value_of(words, "--np"));
    run.transport = transport;
    run.variant = value_of(words, "--variant");
    run.verified = true;
    run.time_s = 4;
    run.comm.messages = run.variant == "paper" ? 200 : 100;
    run.comm.volume_bytes = (run.variant == "paper" ? 1 : 0.5) * (1 << 20);
    run.comm.time_max_s = transport == "daemon" ? 2 : 1;
    run.comm.by_rank = {{0, "h1"}, {1, "h2"}};
    if (std::ranges::find(words, "--by-rank") != words.end())
      run.comm.by_pair = {{0, 1, 1'000'000, 3}, {1, 0, 48'576, 2}};
    document.records<RunRecord>().push_back(run);
  }
  result.output = split(to_json(document), '\n');
  return result;
}

ProgramResult failed(int status, const std::string& complaint) {
  ProgramResult result;
  result.errors = {complaint};
  result.exit_status = status;
  return result;
}

/// With results in a folder of its own.
struct Reproduction {
  Session session;
  Folder folder;

  explicit Reproduction(FakeLab::Behaviour behaviour = good_runs) { session.lab_behaviour = std::move(behaviour); }

  int operator()(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "reproduce");
    for (const char* word : {"--lab", "/no/lab", "--out"}) arguments.emplace_back(word);
    arguments.push_back(folder.file("out"));
    return session(arguments);
  }
  [[nodiscard]] std::string file(const std::string& name) const { return folder.file("out/" + name); }
};

}  // namespace

TEST_CASE("reproduce: hosts are made, used, and taken down, testbed by testbed") {
  Reproduction reproduce;
  CHECK(reproduce({"fddi", "gigaswitch", "--kernels", "ft"}) == 0);
  const auto& seen = reproduce.session.labs_seen;
  REQUIRE(seen.size() == 10);
  CHECK(seen[0] == "up 8 100 Mbit/s shared");
  CHECK_THAT(seen[1], Contains("run ft --class A --np 8 --variant paper --transport daemon,direct"));
  CHECK_THAT(seen[2], Contains("--variant tuned") && Contains("--hostfile fake.hosts --launcher ssh"));
  CHECK(seen[3] == "exchange\nhost h1\nhost h2\npair 0 1 1000000 3\npair 1 0 48576 2\n");
  CHECK(seen[4] == "down");
  CHECK(seen[5] == "up 9 100 Mbit/s switched");
  CHECK(seen[9] == "down");
}

TEST_CASE("reproduce: the report has the paper's figures beside ours, and efficiencies") {
  Reproduction reproduce;
  CHECK(reproduce({"ethernet", "--kernels", "ft"}) == 0);
  const std::string report = content(reproduce.file("report.md"));
  // 420 MB in 502 s and in 385 s; 1 MiB in 2 s and in 1 s; half of it. At 1.25e6 bytes/s.
  CHECK_THAT(report, Contains("| ethernet | FT | 16 | 70.2 % | 91.5 % | 41.9 % | 83.9 % | 21 % | 41.9 % |"));
  // 1 MiB in 0.5 s over plain sockets.
  CHECK_THAT(report, Contains("| ethernet | FT | 16 | 0.5000 | 168 % | 0.25 | 0.50 |"));
  CHECK_THAT(report, Contains("| ethernet | FT | 16 | 3450 | 200 | 100 | 0.50 | 420 | 1 | 0.5000 | 0.50 |"));
  CHECK_THAT(report, Contains("| the paper, 1994 | fsend | 520 | 420 | 3450 | 385 | 266 | 91.5 % | |"));
  CHECK_THAT(report, Contains("| paper | direct | 4 | 1 | 200 | 1 |"));
  CHECK_THAT(report, Contains("![Communication efficiency](efficiency.svg)"));
  CHECK_THAT(content(reproduce.file("efficiency.svg")), Contains("<svg") && Contains("FT, 1994, fsend: 91.5"));
  CHECK_THAT(reproduce.session.out, Contains("Communication efficiency") && Contains("91.5 %"));
}

TEST_CASE("reproduce: EP where one host is slowed, by what could be had at best") {
  Reproduction reproduce;
  CHECK(reproduce({"fddi", "--kernels", "ep,is"}) == 0);
  const auto& seen = reproduce.session.labs_seen;
  const std::string share = fmt::format("{:.2f}", share_alike(8, usable_cores()));
  const std::string tenth = fmt::format("{:.2f}", share_alike(8, usable_cores()) / 10);
  CHECK(std::ranges::count(seen, "slow 1 " + share) == 2);
  CHECK(std::ranges::count(seen, "slow 8 " + share) == 1);
  CHECK(std::ranges::count(seen, "slow 8 " + tenth) == 1);
  CHECK(std::ranges::count(seen, "slow 8 0.00") == 1);  // before the next kernel
  CHECK(std::ranges::count(seen, "vm start reproduce --hostfile fake.hosts --launcher ssh") == 1);
  CHECK(std::ranges::count_if(seen, [](const std::string& words) { return words.ends_with("--vm reproduce"); }) == 3);
  CHECK(std::ranges::count(seen, "vm stop reproduce") == 1);
  // All in 4 s: 8 hosts' work done at the speed of 7.1.
  const std::string report = content(reproduce.file("report.md"));
  for (const char* variant : {"tuned", "tuned, --balance pilot", "farm"}) {
    CHECK_THAT(report, Contains(fmt::format("| fddi | {}, one host slowed | 8 | 4 | 113 % |", variant)));
  }
}

TEST_CASE("reproduce: where no host can be slowed that is said, the others go on, and the status is 3") {
  Reproduction reproduce([](const std::vector<std::string>& words) {
    if (words.front().starts_with("slow ")) return failed(1, "slow needs real root");
    return good_runs(words);
  });
  CHECK(reproduce({"fddi", "--kernels", "ep"}) == 3);
  CHECK_THAT(reproduce.session.err, Contains("one host slowed") && Contains("slow needs real root"));
  CHECK(std::ranges::any_of(reproduce.session.labs_seen,
                            [](const std::string& words) { return words.starts_with("run ep --class"); }));
}

TEST_CASE("reproduce: a testbed of another rate says so") {
  Reproduction reproduce;
  CHECK(reproduce({"gigaswitch", "--kernels", "ft", "--rate", "25"}) == 0);
  CHECK(read_document(reproduce.file("gigaswitch.json")).records<TestbedRecord>().front().rate_mbit_s == 25);
  CHECK_THAT(content(reproduce.file("report.md")), Contains("25 Mbit/s (the paper's: 100) to and from each host"));
  CHECK(reproduce({"gigaswitch", "--rate", "0"}) == 2);
}

TEST_CASE("reproduce: the page needs no other file") {
  Reproduction reproduce;
  CHECK(reproduce({"fddi", "--kernels", "is"}) == 0);
  const std::string page = content(reproduce.file("report.html"));
  CHECK_THAT(page, Contains("<!DOCTYPE html>") && Contains("<svg") && Contains("<td>2491</td>"));
  CHECK_THAT(page, !Contains("src=") && !Contains("href="));
}

TEST_CASE("reproduce: a document of each testbed, which can be printed again") {
  Reproduction reproduce;
  CHECK(reproduce({"fddi", "--kernels", "mg,cg"}) == 0);
  const Document document = read_document(reproduce.file("fddi.json"));
  REQUIRE(document.records<TestbedRecord>().size() == 1);
  CHECK(document.records<TestbedRecord>().front() == TestbedRecord{"fddi", 8, 100, Medium::shared, false});
  CHECK(document.machine == small_machine());
  REQUIRE(document.records<YardstickRecord>().size() == 2);
  CHECK(document.records<YardstickRecord>().back() == YardstickRecord{"cg", 'A', 4, "paper", 1 << 20, 5, 0.5});
  const auto& runs = document.records<RunRecord>();
  REQUIRE(runs.size() == 10);
  CHECK(runs[4].variant == "paper, --order plain");
  const std::string printed = reproduce.session.out;
  reproduce.session.out.clear();
  CHECK(reproduce.session({"compare", reproduce.file("fddi.json")}) == 0);
  CHECK(reproduce.session.out == printed);
  reproduce.session.out.clear();
  CHECK(reproduce.session({"compare", reproduce.file("fddi.json"), "--format", "html"}) == 0);
  CHECK(reproduce.session.out == content(reproduce.file("report.html")));
  CHECK(reproduce.session({"compare", reproduce.file("fddi.json"), "--format", "csv"}) == 0);
  CHECK_THAT(reproduce.session.out, Contains("fddi,100,shared,mg,A,8,paper,daemon,true,4,1048576,200,2,"));
}

TEST_CASE("reproduce: another problem than the paper's does not stand beside its figures") {
  Reproduction reproduce;
  CHECK(reproduce({"gigaswitch", "--quick", "--kernels", "ft"}) == 0);
  const std::string report = content(reproduce.file("report.md"));
  CHECK_THAT(report, Contains("Not the paper's problem") && !Contains("the paper, 1994"));
  CHECK_THAT(report, Contains("class S, 4 tasks on gigaswitch: 4 hosts"));
}

TEST_CASE("reproduce: what fails is noted, the rest goes on, and the hosts go") {
  Reproduction reproduce([](const std::vector<std::string>& words) {
    return words[1] == "mg" ? failed(3, "nasvm: task 1 was killed by signal 9 (Killed)") : good_runs(words);
  });
  CHECK(reproduce({"fddi", "--kernels", "mg,ft"}) == 3);
  CHECK_THAT(reproduce.session.err,
             Contains("fddi: mg class A, 8 tasks, paper over daemon,direct: task 1 was killed by signal 9"));
  CHECK(reproduce.session.labs_seen.back() == "down");
  CHECK_THAT(content(reproduce.file("report.md")), Contains("Kernel FT") && !Contains("Kernel MG"));
}

TEST_CASE("reproduce: a result that is wrong has no figures and fails it") {
  Reproduction reproduce([](const std::vector<std::string>& words) {
    ProgramResult result = good_runs(words);
    Document document = from_json(joined(result.output, "\n"), "fake");
    document.records<RunRecord>().front().verified = false;
    result.output = split(to_json(document), '\n');
    result.errors = {"nasvm: cg: verification failed"};
    result.ended_well = false;
    result.exit_status = 1;
    return result;
  });
  CHECK(reproduce({"fddi", "--kernels", "cg"}) == 1);
  CHECK_THAT(content(reproduce.file("report.md")), Contains("FAILED"));
}

TEST_CASE("reproduce: the hosts go and the report is written when it is interrupted") {
  int calls = 0;
  Reproduction reproduce([&](const std::vector<std::string>& words) {
    if (++calls == 2) throw RunError("the end");
    return good_runs(words);
  });
  CHECK(reproduce({"fddi", "gigaswitch", "--kernels", "is"}) == 3);
  CHECK(reproduce.session.labs_seen.size() == 4);  // up, two runs, down
  CHECK(reproduce.session.labs_seen.back() == "down");
  CHECK_THAT(content(reproduce.file("report.md")), Contains("Kernel IS"));
}

TEST_CASE("reproduce: what an earlier call has measured of a testbed that has not begun is not in the report") {
  Reproduction reproduce;
  REQUIRE(reproduce({"fddi", "--kernels", "is"}) == 0);
  // It would be measured beside Ethernet, behind Gigaswitch.
  int calls = 0;
  reproduce.session.lab_behaviour = [&](const std::vector<std::string>& words) {
    if (++calls == 2) throw RunError("the end");
    return good_runs(words);
  };
  CHECK(reproduce({"ethernet", "fddi", "gigaswitch", "--kernels", "is"}) == 3);
  CHECK_THAT(content(reproduce.file("report.md")), Contains(" on gigaswitch: ") && !Contains(" on fddi: "));
}

TEST_CASE("reproduce: wrong usage is one line") {
  Reproduction reproduce;
  CHECK(reproduce({"fdi"}) == 2);
  CHECK_THAT(reproduce.session.err, Contains("testbed \"fdi\" is not known; known are ethernet, fddi, gigaswitch"));
  CHECK(reproduce({"--kernels", "lu"}) == 2);
  CHECK(reproduce({"--format", "npb"}) == 2);
  CHECK(reproduce.session.labs_seen.empty());
}

TEST_CASE("reproduce: where no hosts can be made there is no new folder, and one that was there stays") {
  const Folder folder;
  Executors executors;
  executors.lab = [](const LabOptions& options) -> std::unique_ptr<Lab> {
    CHECK(std::filesystem::is_directory(options.folder));  // where its script is called
    throw UsageError("no fddi can be made: no namespaces");
  };
  const std::vector<CommandRow> rows = commands(executors);
  std::string err;
  Console console;
  console.out = [](std::string_view) {};
  console.err = [&err](std::string_view text) { err += text; };
  const std::vector<std::string> words{"nasvm", "reproduce", "fddi", "--lab", "/no/lab", "--out", folder.file("out")};
  const auto reproduce = [&] { return program(words, {.commands = rows, .formats = formats()}, console); };
  CHECK(reproduce() == 2);
  CHECK_THAT(err, Contains("no fddi can be made"));
  CHECK_FALSE(std::filesystem::exists(folder.file("out")));
  std::filesystem::create_directory(folder.file("out"));
  CHECK(reproduce() == 2);
  CHECK(std::filesystem::exists(folder.file("out")));
}

TEST_CASE("reproduce: documents and pages of several testbeds are printed as one") {
  Reproduction reproduce;
  CHECK(reproduce({"fddi", "gigaswitch", "--kernels", "ft", "--format", "json"}) == 0);
  std::vector<Source> sources;
  for (const char* name : {"fddi.json", "gigaswitch.json"}) {
    sources.push_back({reproduce.file(name), read_document(reproduce.file(name))});
  }
  CHECK(reproduce.session.out == render(sources, "json"));
  reproduce.session.out.clear();
  CHECK(reproduce({"fddi", "gigaswitch", "--kernels", "ft", "--format", "csv"}) == 0);
  CHECK(std::ranges::count_if(lines_of_text(reproduce.session.out),
                              [](const std::string& line) { return line.starts_with("file,testbed,"); }) == 1);
  CHECK_THAT(reproduce.session.out, Contains(",fddi,") && Contains(",gigaswitch,"));
  reproduce.session.out.clear();
  CHECK(reproduce({"fddi", "gigaswitch", "--kernels", "ft", "--format", "html"}) == 0);
  CHECK(reproduce.session.out == content(reproduce.file("report.html")));
}

TEST_CASE("reproduce: CSV has no efficiency of wrong results, nor of runs that did not communicate") {
  Document document;
  document.created = "now";
  document.records<TestbedRecord>() = {TestbedRecord{"fddi", 8, 100, Medium::shared, false}};
  RunRecord run;
  run.kernel = "is";
  run.transport = "direct";
  run.verified = true;
  run.time_s = 4;
  run.comm.volume_bytes = 12'500'000;
  run.comm.time_max_s = 2;
  auto& runs = document.records<RunRecord>();
  runs.assign(3, run);
  runs[1].verified = false;
  runs[2].comm.time_max_s = 0;
  const std::string csv = render({{"", document}}, "csv");
  CHECK_THAT(csv, Contains("direct,true,4,12500000,0,2,0,0.5,now,"));
  CHECK_THAT(csv, Contains("direct,false,,12500000,0,,,,now,"));
  CHECK_THAT(csv, Contains("direct,true,4,12500000,0,0,0,,now,"));
}

/// \file
/// `nasvm roofline` with stand-ins for the machine and for its limits.

#include <catch2/catch.hpp>

#include "../../fake_executor.hpp"
#include "harness/program.hpp"

using namespace nasvm;
using namespace nasvm::test;
using Catch::Contains;

TEST_CASE("roofline: limits and what was reached of them") {
  Session session;
  // Half as fast as the bound allows.
  session.behaviour = [](const RunSpec& spec) {
    const Work work = spec.kernel->work(spec.problem, spec.np);
    RunRecord run = good_run(spec.transport, 2 * std::max(work.operations / 100e9, work.bytes / 50e9));
    run.sampled.conditions = Conditions{55, 12, 0, 0, 10};
    return run;
  };
  CHECK(session({"roofline", "ep", "mg", "--class", "B"}) == 0);
  CHECK(session.seen.size() == 8);  // one warm-up, three runs
  CHECK_THAT(session.out,
             Contains("1 core") && Contains("2 cores") && Contains("multiply-add") && Contains("48 KiB"));
  CHECK_THAT(session.out, Contains("compute") && Contains("memory"));
  CHECK_THAT(session.out, Contains("Time: the median of 3 runs.") && Contains("Conditions: core to core 55 ns"));
  std::size_t halves = 0;
  for (std::size_t at = session.out.find("50 %"); at != std::string::npos; at = session.out.find("50 %", at + 1))
    ++halves;
  CHECK(halves == 2);
}

TEST_CASE("roofline: an unverified run has reached nothing") {
  Session session;
  session.behaviour = [](const RunSpec& spec) {
    RunRecord run = good_run(spec.transport, 7.77);
    run.verified = false;
    return run;
  };
  CHECK(session({"roofline", "cg"}) == 1);
  CHECK_THAT(session.out, Contains("FAILED") && !Contains("7.77") && !Contains(" %"));
}

TEST_CASE("roofline: the document has limits and work, and can be printed again") {
  const Folder folder;
  Session session;
  CHECK(session({"roofline", "all", "--np", "2", "--class", "S", "--export-json", folder.file("r.json")}) == 0);
  const Document document = read_document(folder.file("r.json"));
  CHECK(document.records<LimitRecord>() == round_limits({}));
  REQUIRE(document.records<WorkRecord>().size() == kernels().size());
  CHECK(document.records<WorkRecord>()[0].kernel == "ep");
  CHECK(document.records<WorkRecord>()[0].np == 2);
  CHECK(document.records<RunRecord>().size() == 3 * kernels().size());
  CHECK(from_json(to_json(document), "again") == document);
  Session printed;
  CHECK(printed({"compare", folder.file("r.json")}) == 0);
  CHECK(printed.out == session.out);
  for (const auto format : test::format_names_of("roofline")) {
    CHECK(printed({"compare", folder.file("r.json"), "--format", std::string(format)}) == 0);
  }
}

TEST_CASE("roofline: its formats are its own") {
  Session session;
  CHECK(session({"roofline", "ep", "--format", "npb"}) == 2);
  CHECK_THAT(session.err, Contains("known are table, json, csv, markdown"));
}

TEST_CASE("roofline: limits of one host are not held against runs on several") {
  class TwoHosts final : public Executor {
   public:
    explicit TwoHosts(std::string reason) : no_conditions(std::move(reason)) {}
    RunRecord run(const RunSpec& spec) override { return good_run(spec.transport, 1); }
    MachineRecord machine() override {
      MachineRecord two = small_machine();
      two.hosts.push_back(small_machine().hosts.front());
      two.no_conditions = no_conditions;
      return two;
    }
    std::string no_conditions;
  };
  std::string reason = "hosts that may be other computers";
  Executors executors;
  executors.run = [&](const RunOptions&) { return std::make_unique<TwoHosts>(reason); };
  executors.limits = round_limits;
  const std::vector<CommandRow> rows = commands(executors);
  std::string err;
  Console console;
  console.out = [](std::string_view) {};
  console.err = [&](std::string_view text) { err += text; };
  const std::vector<std::string> words{"nasvm", "roofline", "ep"};
  CHECK(program(words, {.commands = rows, .formats = formats()}, console) == 2);
  CHECK_THAT(err, Contains("the limits are those of this computer, and box, box may be others"));
  reason.clear();
  CHECK(program(words, {.commands = rows, .formats = formats()}, console) == 0);
}

TEST_CASE("roofline: hosts that may be others are refused before anything starts") {
  const Folder folder;
  const std::string hostfile = folder.write("hosts", "192.0.2.1 slots=2\n192.0.2.2\n");
  Session session;
  CHECK(session({"roofline", "ep", "--host", "192.0.2.1"}) == 2);
  CHECK_THAT(session.err, Contains("the limits are those of this computer, and 192.0.2.1 may be another"));
  CHECK(session({"roofline", "ep", "--hostfile", hostfile}) == 2);
  CHECK_THAT(session.err, Contains("192.0.2.1, 192.0.2.2 may be others"));
  CHECK(session.seen.empty());
}

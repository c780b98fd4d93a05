#include "harness/commands/regress/regress.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "../../fake_executor.hpp"
#include "harness/commands/regress/formats.hpp"
#include "harness/commands/regress/saved.hpp"

using namespace nasvm;
using test::Folder;
using test::Session;

namespace {

using Times = std::vector<double>;

/// Times around `middle`, each off by up to `noise` (0.02: two percent) either way.
Times times(std::size_t count, double middle, double noise, std::mt19937& random) {
  Times sample;
  for (std::size_t i = 0; i < count; ++i) {
    const double uniform = static_cast<double>(random()) / 4294967296.0;
    sample.push_back(middle * (1 + noise * (2 * uniform - 1)));
  }
  return sample;
}
Times times(std::size_t count, double middle, double noise, unsigned seed) {
  std::mt19937 random(seed);
  return times(count, middle, noise, random);
}

void add_runs(Document& document, const Times& sample, const std::string& kernel = "cg") {
  for (const double time : sample) {
    RunRecord run = test::good_run("direct", time);
    run.kernel = kernel;
    run.problem_class = 'A';
    run.np = 2;
    run.transport = "direct";
    document.records<RunRecord>().push_back(run);
  }
}

Document document_of(const Times& sample, const std::string& kernel = "cg") {
  Document document = test::sample_document(0);
  add_runs(document, sample, kernel);
  return document;
}

/// Every run a launch of its own.
Document launches_of(const Times& sample) {
  Document document = document_of(sample);
  document.whole_launches = true;
  return document;
}

/// Each run under its own conditions.
Document under(Document document, const std::vector<double>& core_to_core_ns) {
  auto& runs = document.records<RunRecord>();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].sampled.conditions = Conditions{core_to_core_ns[i], 12, 0, 0, 10};
  }
  return document;
}

Judgement judged(const Document& baseline, const Document& candidate, const SavedRule& rule = {}) {
  const std::vector<CommandRow> rows = commands({});
  const Source before{"base.json", baseline};
  const Source now{"new.json", candidate};
  return judge_saved(std::span(&before, 1), std::span(&now, 1), rule, rows);
}

CaseVerdict first(const Judgement& judgement) { return judgement.cases.at(0); }

int status_of(const Document& baseline, const Document& candidate, std::vector<std::string> more = {}) {
  const Folder folder;
  Session session;
  more.insert(more.begin(), {"regress", "--baseline", folder.write("base.json", to_json(baseline)),
                             folder.write("new.json", to_json(candidate))});
  return session(more);
}

}  // namespace

TEST_CASE("regress: noise alone is fine") {
  CHECK(first(judged(launches_of(times(10, 1, 0.02, 1)), launches_of(times(10, 1, 0.02, 2)))).verdict ==
        Finding::fine);
  CHECK(status_of(document_of(times(10, 1, 0.02, 3)), document_of(times(10, 1, 0.02, 4))) == 0);
}

TEST_CASE("regress: a real slowdown is found") {
  const CaseVerdict verdict = first(judged(document_of(times(5, 1, 0.02, 1)), document_of(times(5, 1.2, 0.02, 2))));
  CHECK(verdict.verdict == Finding::slower);
  CHECK(verdict.ratio.estimate == Approx(1.2).epsilon(0.03));
  CHECK(status_of(document_of(times(5, 1, 0.02, 3)), document_of(times(5, 1.2, 0.02, 4))) == 1);
}

TEST_CASE("regress: launches find 10 %, repeats inside one launch of each build do not decide about it") {
  const Times base = times(12, 1, 0.02, 1);
  const Times slower = times(12, 1.1, 0.02, 2);
  CHECK(first(judged(launches_of(base), launches_of(slower))).verdict == Finding::slower);
  const CaseVerdict verdict = first(judged(document_of(base), document_of(slower)));
  CHECK(verdict.verdict == Finding::undecided);
  CHECK(verdict.reason == "slower, but launches of one build may differ by that: take several");
}

TEST_CASE("regress: several documents a side are launches, each with the median of its repeats") {
  const Folder folder;
  Session session;
  std::vector<std::string> words{"regress", "--baseline", ""};
  for (int i = 0; i < 6; ++i) {
    const std::string number = std::to_string(i);
    words[2] += (i == 0 ? "" : ",") + folder.write("old" + number, to_json(document_of({1, 1, 9})));
    words.push_back(folder.write("new" + number, to_json(document_of({1.1, 9, 1.1}))));
  }
  CHECK(session(words) == 1);
  CHECK(session.out.find("1.100") != std::string::npos);
  CHECK(session.out.find("6+6") != std::string::npos);
}

TEST_CASE("regress: as many samples are asked for as the number of cases needs") {
  Document baseline = launches_of({});
  Document candidate = launches_of({});
  baseline.records<RunRecord>().clear();
  for (int np = 1; np <= 13; ++np) {
    for (const double factor : {1.0, 2.0}) {
      Document& document = factor > 1 ? candidate : baseline;
      for (int i = 0; i < 5; ++i) {
        add_runs(document, {factor * (1 + 0.001 * i)});
        document.records<RunRecord>().back().np = np;
      }
    }
  }
  const Judgement few = judged(baseline, candidate);
  CHECK(few.count(Finding::undecided) == 13);
  CHECK(first(few).reason ==
        "too noisy for so few samples; among 13 cases at least 6 are needed to find anything slower");
  for (Document* document : {&baseline, &candidate}) {
    for (int np = 1; np <= 13; ++np) {
      add_runs(*document, {document == &baseline ? 1.01 : 2.01});
      document->records<RunRecord>().back().np = np;
    }
  }
  CHECK(judged(baseline, candidate).count(Finding::slower) == 13);
}

TEST_CASE("regress: a slowdown below the tolerance is fine, above another it is not") {
  const Document base = launches_of(times(20, 1, 0.01, 1));
  const Document slightly = launches_of(times(20, 1.03, 0.01, 2));
  CHECK(first(judged(base, slightly)).verdict == Finding::fine);
  CHECK(first(judged(base, slightly, {{0.02, {}}})).verdict == Finding::slower);
  CHECK(first(judged(base, slightly, {{0.05, {{{"cg class A, 2 tasks, direct", "time"}, 0.02}}}})).verdict ==
        Finding::slower);
}

TEST_CASE("regress: something faster is fine") {
  CHECK(first(judged(document_of(times(5, 1, 0.02, 1)), document_of(times(5, 0.5, 0.02, 2)))).verdict ==
        Finding::fine);
}

TEST_CASE("regress: too few runs decide nothing, whatever they say") {
  const CaseVerdict verdict = first(judged(document_of({1, 1, 1}), document_of({9, 9, 9})));
  CHECK(verdict.verdict == Finding::undecided);
  CHECK(verdict.reason == "3 and 3 samples, at least 5 are needed");
  CHECK(status_of(document_of({1, 1, 1}), document_of({9, 9, 9})) == 4);
  CHECK(status_of(document_of({1}), document_of({1})) == 4);
}

TEST_CASE("regress: runs too noisy decide nothing") {
  const Times wild{1.0, 1.9, 1.2, 2.8, 1.1, 2.2};
  const Times wilder{1.1, 2.0, 1.3, 3.1, 1.0, 2.5};
  CHECK(status_of(document_of(wild), document_of(wilder)) == 4);
}

TEST_CASE("regress: false alarms in a comparison of ten cases are as rare as the confidence says") {
  std::mt19937 random(1);
  int alarms = 0;
  for (int trial = 0; trial < 200; ++trial) {
    Document before = launches_of({});
    Document now = launches_of({});
    for (int np = 1; np <= 10; ++np) {
      for (Document* document : {&before, &now}) {
        const std::size_t old = document->records<RunRecord>().size();
        // Just at the tolerance, where alarms are as likely as they can be.
        add_runs(*document, times(8, document == &now ? 1.05 : 1, 0.3, random));
        auto& runs = document->records<RunRecord>();
        for (std::size_t i = old; i < runs.size(); ++i) runs[i].np = np;
      }
    }
    alarms += judged(before, now).count(Finding::slower) > 0 ? 1 : 0;
  }
  CHECK(alarms <= 16);  // 5 % of 200 and a little for chance
}

TEST_CASE("regress: a slowdown of more than the tolerance is seldom called fine") {
  std::mt19937 random(1);
  int misses = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const Document base = launches_of(times(6, 1, 0.1, random));
    misses += first(judged(base, launches_of(times(6, 1.06, 0.1, random)))).verdict == Finding::fine ? 1 : 0;
  }
  CHECK(misses <= 24);
}

TEST_CASE("regress: a slower case counts more than an undecided one, and that more than a fine one") {
  const auto overall_of = [](const std::vector<Finding>& verdicts) {
    Judgement judgement;
    for (const Finding verdict : verdicts) judgement.cases.emplace_back().verdict = verdict;
    return overall(judgement);
  };
  CHECK(overall_of({Finding::fine, Finding::fine}) == Exit::ok);
  CHECK(overall_of({Finding::fine, Finding::undecided}) == Exit::undecided);
  CHECK(overall_of({Finding::undecided, Finding::slower, Finding::fine}) == Exit::failed);
  CHECK(overall_of({Finding::undecided, Finding::failed}) == Exit::failed);
  CHECK(overall({.baseline = {}, .candidate = {}, .cases = {}, .broken = "a launch"}) == Exit::broken);
}

TEST_CASE("regress: a failed verification is a failure; in the baseline it leaves nothing to compare") {
  const Document good = document_of({1, 1, 1, 1, 1});
  Document bad = good;
  bad.records<RunRecord>()[2].verified = false;
  CHECK(first(judged(good, bad)).reason == "verification failed in 1 of 5 runs");
  CHECK(status_of(good, bad) == 1);
  CHECK(status_of(bad, good) == 4);
}

TEST_CASE("regress: a case that is gone is a failure, a new one is named; no common case is exit 2") {
  Document both = document_of({1, 1, 1, 1, 1}, "cg");
  add_runs(both, {2, 2, 2, 2, 2}, "mg");
  const Document one = document_of({1, 1, 1, 1, 1}, "cg");
  const Judgement gone = judged(both, one);
  CHECK(overall(gone) == Exit::failed);
  CHECK(gone.cases.at(1).name == "mg class A, 2 tasks, direct");
  CHECK(gone.cases.at(1).reason == "missing from the new results");
  const Judgement added = judged(one, both);
  CHECK(overall(added) == Exit::ok);
  CHECK(added.notes == std::vector<std::string>{"Not compared: mg class A, 2 tasks, direct: not in the baseline"});
  const Folder folder;
  Session session;
  CHECK(session({"regress", "--baseline", folder.write("base.json", to_json(one)),
                 folder.write("new.json", to_json(document_of({2, 2, 2, 2, 2}, "mg")))}) == 2);
  CHECK_THAT(session.err, Catch::Contains("have no case in common; their first ones are \"cg class A, 2 tasks, "
                                          "direct\" and \"mg class A, 2 tasks, direct\""));
  CHECK(session({"regress", "--baseline", folder.write("both.json", to_json(both)), folder.file("base.json"),
                 "--format", "junit"}) == 1);
  CHECK_THAT(session.out, Catch::Contains("name=\"mg class A, 2 tasks, direct, time\">"));  // it took no time
}

TEST_CASE("regress: more messages or more volume are a failure, whatever the times; fewer are noted") {
  const Document before = document_of({1, 1, 1, 1, 1});
  Document more = before;
  for (RunRecord& run : more.records<RunRecord>()) run.comm.messages += 2;
  CHECK(first(judged(before, more)).reason == "42 messages instead of 40");
  CHECK(status_of(before, more) == 1);
  const Judgement fewer = judged(more, before);
  CHECK(overall(fewer) == Exit::ok);
  CHECK(fewer.notes == std::vector<std::string>{"cg class A, 2 tasks, direct: 40 messages instead of 42"});
  more.records<RunRecord>()[0].comm.volume_bytes += 1;
  CHECK(first(judged(before, more))
            .reason.starts_with("up to 4000001 bytes of volume instead of 4000000; 42 messages"));
}

TEST_CASE("regress: a figure that differs between launches of the baseline is no fact") {
  Document varying = document_of({1, 1, 1, 1, 1});
  varying.records<RunRecord>()[0].comm.messages += 1;
  Document more = document_of({1, 1, 1, 1, 1});
  for (RunRecord& run : more.records<RunRecord>()) run.comm.messages += 7;
  CHECK(status_of(varying, more) == 0);
}

TEST_CASE("regress: a document without results is named, and exit 2") {
  const Folder folder;
  const std::string runs = folder.write("runs.json", to_json(document_of({1, 1, 1, 1, 1})));
  const std::string none = folder.write("none.json", to_json(document_of({})));
  for (const auto& [baseline, candidate] : {std::pair(none, runs), std::pair(runs, none)}) {
    Session session;
    CHECK(session({"regress", "--baseline", baseline, candidate}) == 2);
    CHECK(session.err.starts_with("nasvm: " + none + ": has no results that can be compared; expected"));
    CHECK_THAT(session.err, Catch::Contains(" of nasvm run, ") && Catch::Contains("mcast"));
  }
}

TEST_CASE("regress: a document with results of several commands is refused, not judged in part") {
  const Folder folder;
  const std::string runs = folder.write("runs.json", to_json(document_of({1, 1, 1, 1, 1})));
  Document document = document_of({9, 9, 9, 9, 9});
  document.records<P2pRecord>().push_back(test::p2p_record("direct", 8, 10));
  const std::string both = folder.write("both.json", to_json(document));
  Session session;
  CHECK(session({"regress", "--baseline", runs, both}) == 2);
  CHECK(session.err ==
        "nasvm: " + both + ": has results of nasvm run and of nasvm p2p; expected one kind in a file\n");
}

TEST_CASE("regress: the ends of intervals say how sure they are, of all cases together and of each") {
  Document baseline = document_of({1, 1, 1, 1, 1, 1}, "cg");
  add_runs(baseline, {2, 2, 2, 2, 2, 2}, "mg");
  const Judgement judgement = judged(baseline, baseline);
  CHECK(judgement.interval.low == Approx(0.025));
  CHECK(judgement.interval.high == Approx(0.05));
}

TEST_CASE("regress: both directions at once, and the rate of messages of no bytes, are judged") {
  Document before = test::sample_document(0);
  for (int i = 0; i < 8; ++i) {
    before.records<P2pRecord>().push_back(test::p2p_record("direct", 8, 10));
    before.records<P2pRecord>().push_back(test::p2p_record("direct", 0, 10));
  }
  Document now = before;
  for (P2pRecord& record : now.records<P2pRecord>()) {
    record.bidirectional.median_mb_s /= 10;
    record.messages_per_s /= 10;
  }
  const Judgement judgement = judged(before, now);
  for (const CaseVerdict& one : judgement.cases) {
    CAPTURE(one.name, one.figure.name);
    const bool is_worse = one.figure.name == "both ways" || one.figure.name == "message rate";
    CHECK((one.verdict == Finding::slower) == is_worse);
  }
  CHECK(judgement.count(Finding::slower) == 2);
  const auto action = std::ranges::find(judgement_formats(), "benchmark-action", &JudgementFormat::name);
  CHECK_THAT(action->render(judgement), Catch::Contains("message rate (inverse)\",\"unit\":\"us\",\"value\":25"));
}

TEST_CASE("regress: runs under different conditions are not held against each other, unless forced") {
  const Document fast = under(document_of({1, 1, 1, 1, 1}), {55, 55, 55, 55, 55});
  const Document slow = under(document_of({2, 2, 2, 2, 2}), {250, 250, 250, 250, 250});
  CHECK(first(judged(fast, slow)).reason ==
        "only 5 and 0 samples were taken under the same conditions, 5 are needed");
  CHECK(status_of(fast, slow) == 4);
  CHECK(status_of(fast, slow, {"--force"}) == 1);
}

TEST_CASE("regress: the runs that both sides have under the same conditions decide") {
  const Document before = under(document_of({1, 1, 1, 1, 1}), {55, 55, 55, 55, 55});
  const Document after =
      under(document_of({1, 2, 1, 2, 1, 2, 1, 2, 1, 2}), {55, 250, 55, 250, 55, 250, 55, 250, 55, 250});
  CHECK(status_of(before, after) == 0);
  const Folder folder;
  Session session;
  CHECK(session({"regress", "--baseline", folder.write("base.json", to_json(before)),
                 folder.write("new.json", to_json(after))}) == 0);
  CHECK_THAT(session.out, Catch::Contains("cg class A, 2 tasks, direct, time  1.000 s  1.000 s      5+5  1.000"));
}

TEST_CASE("regress: medians are those of the samples that count, of bandwidths, too; none where nothing counts") {
  const Document before = under(document_of({1, 1, 1, 1, 1}), {55, 55, 55, 55, 55});
  const Document slow = under(document_of({2, 2, 2, 2, 2}), {250, 250, 250, 250, 250});
  CHECK(first(judged(before, slow)).baseline == 1);
  CHECK(first(judged(before, slow)).candidate == 0);
  CHECK(first(judged(before, slow, {.forced = true})).candidate == 2);
  Document more =
      under(document_of({1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2}), {55, 55, 55, 55, 55, 250, 250, 250, 250, 250, 250});
  for (RunRecord& run : more.records<RunRecord>()) run.comm.messages += 2;
  CHECK(first(judged(before, more)).verdict == Finding::failed);
  CHECK(first(judged(before, more)).candidate == 1);
  CHECK(first(judged(before, more)).candidate_samples == 5);
  Document near = test::sample_document(0);
  for (const double us : {10, 10, 10, 10, 10, 20, 20, 20, 20, 20, 20}) {
    P2pRecord record = test::p2p_record("direct", 8, us);
    record.sampled.conditions = Conditions{us > 10 ? 250.0 : 55.0, 12, 0, 0, us};
    near.records<P2pRecord>().push_back(record);
  }
  Document base = near;
  base.records<P2pRecord>().resize(5);
  const Judgement judgement = judged(base, near);
  REQUIRE(judgement.cases.size() == 3);
  for (const CaseVerdict& verdict : judgement.cases) {
    CHECK(verdict.candidate == Approx(verdict.baseline));
    CHECK(verdict.candidate_samples == 5);
  }
}

TEST_CASE("regress: conditions of the samples that count are said, and how many do not") {
  using Lines = std::vector<std::string>;
  const std::string rest = "memory 12.0 GB/s, stolen 0.0 % of a core, load by others 0.0.";
  const Document before = under(document_of({1, 1, 1, 1, 1}), {55, 55, 55, 55, 55});
  const Document after = under(document_of({1, 2, 1, 1, 1, 1}), {50, 250, 50, 50, 50, 50});
  CHECK(judged(before, after).conditions ==
        Lines{"Conditions of base: core to core 55 ns, " + rest, "Conditions of new:  core to core 50 ns, " + rest,
              "1 of 11 samples were not taken under the same conditions and does not count."});
  const Document slow = under(document_of({2, 2, 2, 2, 2}), {250, 250, 250, 250, 250});
  CHECK(judged(before, slow, {.forced = true}).conditions.back() ==
        "Base and new were measured under different conditions: what differs between them may come from that.");
  CHECK(judged(document_of({1}), document_of({1})).conditions.empty());
}

TEST_CASE("regress: times of another machine decide nothing, unless forced; facts do") {
  const Document here = document_of({1, 1, 1, 1, 1});
  Document there = document_of({2, 2, 2, 2, 2});
  there.machine.hosts[0].cpu = "Faster CPU";
  CHECK(first(judged(here, there)).reason == "another machine: processor Faster CPU instead of Fast CPU (new.json)");
  CHECK(status_of(here, there) == 4);
  CHECK(status_of(here, there, {"--force"}) == 1);
  there.records<RunRecord>()[0].verified = false;
  CHECK(status_of(here, there) == 1);
}

TEST_CASE("regress: what only one of two documents says of the machine is no difference") {
  const MachineRecord machine = test::small_machine();
  MachineRecord more = machine;
  more.hosts[0].governor = "performance";
  CHECK(machine_difference(machine, more).empty());
  CHECK(machine_difference({}, more).empty());
  more.hosts.push_back(more.hosts[0]);
  CHECK(machine_difference(machine, more) == "2 hosts instead of 1");
}

TEST_CASE("regress: a figure that a document does not have is not judged") {
  Document with = test::sample_document(0);
  Document without = test::sample_document(0);
  for (int i = 0; i < 8; ++i) {
    P2pRecord& record = with.records<P2pRecord>().emplace_back(test::p2p_record("direct", 8, 10 + 0.01 * i));
    record.window = 64;  // the usual one
    without.records<P2pRecord>().push_back(record);
    without.records<P2pRecord>().back().bandwidth = without.records<P2pRecord>().back().bidirectional = {};
  }
  for (const Document& before : {with, without}) {
    for (const Document& now : {with, without}) {
      const Judgement judgement = judged(before, now);
      REQUIRE(judgement.cases.size() == (before == with && now == with ? 3 : 1));
      CHECK(judgement.cases[0].verdict == Finding::fine);
    }
  }
  CHECK_THAT(judged(with, without).notes,
             Catch::VectorContains(
                 std::string("Not compared: p2p of 8 bytes, direct: the new results do not say its bandwidth")));
  // One that is said of another case is missing.
  Document other = with;
  for (P2pRecord& record : other.records<P2pRecord>()) record.window = 16;
  const Judgement judgement = judged(with, other);
  REQUIRE(judgement.cases.size() == 3);
  CHECK(judgement.cases[1].verdict == Finding::failed);
}

TEST_CASE("regress: documents of p2p are judged by latency and, turned round, by bandwidth") {
  Document before = test::sample_document(0);
  Document now = test::sample_document(0);
  for (int i = 0; i < 8; ++i) {
    before.records<P2pRecord>().push_back(test::p2p_record("direct", 8, 10 + 0.01 * i));
    P2pRecord& record = now.records<P2pRecord>().emplace_back(before.records<P2pRecord>().back());
    record.bandwidth.median_mb_s /= 2;
  }
  const Judgement judgement = judged(before, now);
  REQUIRE(judgement.cases.size() == 3);
  CHECK(judgement.cases[0].figure.name == "latency");
  CHECK(judgement.cases[0].verdict == Finding::fine);
  CHECK(judgement.cases[1].name == "p2p of 8 bytes, direct, windows of 4");
  CHECK(judgement.cases[1].verdict == Finding::slower);
  CHECK(judgement.cases[1].ratio.estimate == Approx(2));
}

TEST_CASE("regress: documents of several builds on one side, as a pattern makes them, are refused unless forced") {
  const Folder folder;
  Document other = document_of({1, 1, 1, 1, 1});
  other.build.commit = "another";
  const std::string main1 = folder.write("main1.json", to_json(document_of({1, 1, 1, 1, 1})));
  const std::string main2 = folder.write("main2.json", to_json(document_of({1, 1, 1, 1, 1})));
  const std::string now = folder.write("new.json", to_json(other));
  using Words = std::vector<std::string>;
  for (Words words : {Words{"regress", "--baseline", main1, main2, now},
                      Words{"regress", "--baseline", main1 + "," + now, main2}}) {
    Session session;
    CHECK(session(words) == 2);
    CHECK_THAT(session.err, Catch::Contains("commit abc123def456 and another") &&
                                Catch::Contains("--baseline takes a list with commas: main1.json,main2.json"));
    words.emplace_back("--force");
    CHECK(Session()(words) != 2);
  }
  CHECK(Session()({"regress", "--baseline", main1 + "," + main2, now}) != 2);
}

TEST_CASE("regress: one file as the baseline of several, as a pattern makes them, is told the list with commas") {
  const Folder folder;
  std::vector<std::string> files;
  for (int i = 0; i < 7; ++i) files.push_back(folder.write(std::to_string(i) + ".json", to_json(document_of({1}))));
  const auto said_of = [&files](const std::string& baseline, std::size_t first) {
    Session session;
    std::vector<std::string> words{"regress", "--baseline", baseline};
    words.insert(words.end(), files.begin() + static_cast<std::ptrdiff_t>(first), files.end());
    CHECK(session(words) == 4);
    CHECK_THAT(session.out, Catch::Contains("samples, at least 5 are needed"));
    return session.out;
  };
  CHECK_THAT(said_of(files[0], 1),
             Catch::Contains(files[0] +
                             " alone is the baseline; --baseline takes a list with commas: main1.json,main2.json\n"));
  CHECK_THAT(said_of(files[0], 6), !Catch::Contains("list with commas"));
  CHECK_THAT(said_of(files[0] + "," + files[1], 2), !Catch::Contains("list with commas"));
}

TEST_CASE("regress: a blank behind the comma of --baseline is told, before a file is read") {
  Session session;
  CHECK(session({"regress", "--baseline", "a.json,", "b.json"}) == 2);
  CHECK_THAT(session.err, Catch::Contains("--baseline a.json,: a name is missing beside a comma"));
}

TEST_CASE("regress: a tolerance of 1000 % has all its digits") {
  const Folder folder;
  const std::string one = folder.write("one.json", to_json(document_of({1, 1, 1, 1, 1})));
  const std::string two = folder.write("two.json", to_json(document_of({1, 1, 1, 1, 1})));
  Session session;
  (void)session({"regress", "--threshold", "1000", "--baseline", one, two});
  CHECK_THAT(session.out, Catch::Contains("1000 %") && !Catch::Contains("e+03"));
}

TEST_CASE("regress: a document that is named twice is refused, under whatever names, unless forced") {
  const Folder folder;
  const std::string one = folder.write("one.json", to_json(document_of({1, 1, 1, 1, 1})));
  const std::string two = folder.write("two.json", to_json(document_of({1, 1, 1, 1, 1})));
  const std::string again = folder.file("./one.json");
  using Words = std::vector<std::string>;
  for (Words words : {Words{"regress", "--baseline", one, again}, Words{"regress", "--baseline", two, one, again},
                      Words{"regress", "--baseline", one + "," + again, two}}) {
    Session session;
    CHECK(session(words) == 2);
    CHECK_THAT(session.err, Catch::Contains(again + ": is named twice"));
    words.emplace_back("--force");
    CHECK(Session()(words) != 2);
  }
}

TEST_CASE("regress: repeats inside one launch are fine without what launches differ by, which the rule says") {
  const auto rule_of = [](const Document& document) { return judged(document, document).rule.at(1); };
  CHECK_THAT(rule_of(document_of({1, 1, 1, 1, 1})),
             Catch::Contains("slower takes 10 % on top for that, fine leaves it out"));
  CHECK_THAT(rule_of(launches_of({1, 1, 1, 1, 1})), !Catch::Contains("fine leaves"));
}

TEST_CASE("regress: a run with records of several sizes is one sample among those that do not count") {
  Document before = test::sample_document(0);
  Document now = test::sample_document(0);
  for (const double run : {0, 1}) {
    for (const std::uint64_t bytes : {8, 16, 32}) {
      for (Document* document : {&before, &now}) {
        P2pRecord record = test::p2p_record("direct", bytes, 10);
        const bool far = document == &now && run > 0;
        record.sampled.conditions = Conditions{far ? 250.0 : 55.0, 12, 0, 0, (document == &now ? 20 : 10) + run};
        document->records<P2pRecord>().push_back(record);
      }
    }
  }
  CHECK(judged(before, now).conditions.back() ==
        "1 of 4 samples were not taken under the same conditions and does not count.");
}

TEST_CASE("regress: cases without a tolerance of their own are counted, and tolerances of other cases refused") {
  Document both = document_of({1, 1, 1, 1, 1}, "cg");
  add_runs(both, {2, 2, 2, 2, 2}, "mg");
  const SavedRule rule{{0.05, {{{"cg class A, 2 tasks, direct", "time"}, 0.02}}}};
  CHECK(judged(both, both, rule).notes == std::vector<std::string>{"Tolerances: none for 1 of 2 cases; 5 % taken"});
  const Document cg = document_of({1, 1, 1, 1, 1}, "cg");
  CHECK(judged(cg, cg, rule).notes.empty());
  const Document mg = document_of({1, 1, 1, 1, 1}, "mg");
  CHECK_THROWS_AS(judged(mg, mg, rule), UsageError);
}

#include "harness/commands/regress/regress.hpp"

#include <random>

#include <catch2/catch.hpp>

#include "../../fake_executor.hpp"

using namespace nasvm;
using test::Folder;
using test::Session;

namespace {

const RegressOptions usual{"base.json", "new.json", 0.05, 0.95};

/// Times around `middle`, each off by up to `noise` (0.02: two percent) either way.
std::vector<double> times(std::size_t count, double middle, double noise, std::mt19937& random) {
  std::vector<double> sample;
  for (std::size_t i = 0; i < count; ++i) {
    const double uniform = static_cast<double>(random()) / 4294967296.0;
    sample.push_back(middle * (1 + noise * (2 * uniform - 1)));
  }
  return sample;
}
std::vector<double> times(std::size_t count, double middle, double noise, unsigned seed) {
  std::mt19937 random(seed);
  return times(count, middle, noise, random);
}

Document document_of(const std::vector<double>& sample, const std::string& kernel = "cg") {
  Document document = test::sample_document(0);
  for (const double time : sample) {
    RunRecord run = test::good_run("direct", time);
    run.kernel = kernel;
    run.problem_class = 'A';
    run.np = 2;
    run.transport = "direct";
    document.records<RunRecord>().push_back(run);
  }
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

int status_of(const Document& baseline, const Document& candidate) {
  const Folder folder;
  Session session;
  return session({"regress", "--baseline", folder.write("base.json", to_json(baseline)),
                  folder.write("new.json", to_json(candidate))});
}

}  // namespace

TEST_CASE("regress: noise alone is fine") {
  CHECK(judge(times(10, 1, 0.02, 1), times(10, 1, 0.02, 2), usual, 1).verdict == Verdict::fine);
  CHECK(status_of(document_of(times(10, 1, 0.02, 3)), document_of(times(10, 1, 0.02, 4))) == 0);
}

TEST_CASE("regress: a real slowdown is found") {
  const CaseVerdict verdict = judge(times(5, 1, 0.02, 1), times(5, 1.2, 0.02, 2), usual, 1);
  CHECK(verdict.verdict == Verdict::slower);
  CHECK(verdict.ratio.estimate == Approx(1.2).epsilon(0.03));
  CHECK(status_of(document_of(times(5, 1, 0.02, 3)), document_of(times(5, 1.2, 0.02, 4))) == 1);
}

TEST_CASE("regress: five runs a side are enough among ten cases") {
  CHECK(judge(times(5, 1, 0.02, 1), times(5, 1.2, 0.02, 2), usual, 10).verdict == Verdict::slower);
}

TEST_CASE("regress: a slowdown below the threshold is fine, above another it is not") {
  const auto base = times(20, 1, 0.01, 1);
  const auto slightly = times(20, 1.03, 0.01, 2);
  CHECK(judge(base, slightly, usual, 1).verdict == Verdict::fine);
  RegressOptions strict = usual;
  strict.threshold = 0.02;
  CHECK(judge(base, slightly, strict, 1).verdict == Verdict::slower);
}

TEST_CASE("regress: something faster is fine") {
  CHECK(judge(times(5, 1, 0.02, 1), times(5, 0.5, 0.02, 2), usual, 1).verdict == Verdict::fine);
}

TEST_CASE("regress: too few runs decide nothing, whatever they say") {
  const CaseVerdict verdict = judge({1, 1, 1}, {9, 9, 9}, usual, 1);
  CHECK(verdict.verdict == Verdict::undecided);
  CHECK(verdict.reason == "3 and 3 runs, at least 5 are needed");
  CHECK(status_of(document_of({1, 1, 1}), document_of({9, 9, 9})) == 4);
  CHECK(status_of(document_of({1}), document_of({1})) == 4);
}

TEST_CASE("regress: runs too noisy decide nothing") {
  const std::vector<double> wild{1.0, 1.9, 1.2, 2.8, 1.1, 2.2};
  const std::vector<double> wilder{1.1, 2.0, 1.3, 3.1, 1.0, 2.5};
  CHECK(judge(wild, wilder, usual, 1).verdict == Verdict::undecided);
  CHECK(status_of(document_of(wild), document_of(wilder)) == 4);
}

TEST_CASE("regress: false alarms in a comparison of ten cases are as rare as the confidence says") {
  std::mt19937 random(1);
  int alarms = 0;
  for (int trial = 0; trial < 400; ++trial) {
    bool alarm = false;
    for (int one = 0; one < 10; ++one) {
      const auto base = times(6, 1, 0.3, random);
      alarm = alarm || judge(base, times(6, 1, 0.3, random), usual, 10).verdict == Verdict::slower;
    }
    alarms += alarm ? 1 : 0;
  }
  CHECK(alarms <= 24);  // 5 % of 400 and a little for chance
}

TEST_CASE("regress: a slowdown of more than the threshold is seldom called fine") {
  std::mt19937 random(1);
  int misses = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const auto base = times(6, 1, 0.1, random);
    misses += judge(base, times(6, 1.06, 0.1, random), usual, 1).verdict == Verdict::fine ? 1 : 0;
  }
  CHECK(misses <= 24);
}

TEST_CASE("regress: a slower case counts more than an undecided one, and that more than a fine one") {
  const CaseVerdict fine{"a", Verdict::fine, 1, 1, {}, ""};
  const CaseVerdict undecided{"b", Verdict::undecided, 1, 1, {}, ""};
  const CaseVerdict slower{"c", Verdict::slower, 1, 2, {}, ""};
  const CaseVerdict failed{"d", Verdict::failed, 1, 2, {}, ""};
  CHECK(overall({fine, fine}) == Exit::ok);
  CHECK(overall({fine, undecided}) == Exit::undecided);
  CHECK(overall({undecided, slower, fine}) == Exit::failed);
  CHECK(overall({undecided, failed}) == Exit::failed);
}

TEST_CASE("regress: a failed verification is a failure; in the baseline it leaves nothing to compare") {
  Document good = document_of({1, 1, 1, 1, 1});
  Document bad = good;
  bad.records<RunRecord>()[2].verified = false;
  CHECK(status_of(good, bad) == 1);
  CHECK(status_of(bad, good) == 4);
}

TEST_CASE("regress: cases of one document alone are named; no common case is exit 2") {
  const Folder folder;
  Document both = document_of({1, 1, 1, 1, 1}, "cg");
  const Document more = document_of({2, 2, 2, 2, 2}, "mg");
  const std::string one = folder.write("one.json", to_json(both));
  const std::string other = folder.write("other.json", to_json(more));
  both.records<RunRecord>().insert(both.records<RunRecord>().end(), more.records<RunRecord>().begin(),
                                   more.records<RunRecord>().end());
  const std::string all = folder.write("all.json", to_json(both));

  Session session;
  CHECK(session({"regress", "--baseline", all, one}) == 0);
  CHECK(session.out.find("Not compared: mg class A, 2 tasks, direct: not in " + one) != std::string::npos);
  Session apart;
  CHECK(apart({"regress", "--baseline", one, other}) == 2);
  CHECK(apart.err.find("no case in common") != std::string::npos);
}

TEST_CASE("regress: a document without runs of kernels is named, and exit 2") {
  const Folder folder;
  const std::string runs = folder.write("runs.json", to_json(document_of({1, 1, 1, 1, 1})));
  const std::string none = folder.write("none.json", to_json(document_of({})));
  for (const auto& [baseline, candidate] : {std::pair(none, runs), std::pair(runs, none)}) {
    Session session;
    CHECK(session({"regress", "--baseline", baseline, candidate}) == 2);
    CHECK(session.err == "nasvm: " + none + ": has no runs of kernels; expected a result document of nasvm run\n");
  }
}

TEST_CASE("regress: prints a line for each case and the conclusion") {
  const Folder folder;
  Session session;
  CHECK(session({"regress", "--baseline", folder.write("a", to_json(document_of({1, 1, 1, 1, 1}))),
                 folder.write("b", to_json(document_of({2, 2, 2, 2, 2})))}) == 1);
  CHECK(session.out == R"(Case                          Base (s)    New (s)   Ratio       Interval  Verdict
---------------------------------------------------------------------------------
cg class A, 2 tasks, direct      1.000      2.000   2.000    2.000-2.000  SLOWER
Base, new: medians. Ratio: the median of all quotients of a new and a base time, with its interval.
1 case: 0 fine, 1 slower, 0 undecided, 0 failed (slower: by 5 % or more, with 95 % confidence).
)");
}

TEST_CASE("regress: runs under different conditions are not held against each other") {
  const Document fast = under(document_of({1, 1, 1, 1, 1}), {55, 55, 55, 55, 55});
  const Document slow = under(document_of({2, 2, 2, 2, 2}), {250, 250, 250, 250, 250});
  CHECK(status_of(fast, slow) == 4);
  const Folder folder;
  Session session;
  CHECK(session({"regress", "--baseline", folder.write("a", to_json(fast)), folder.write("b", to_json(slow))}) == 4);
  CHECK(session.out.find("undecided: only 5 and 0 runs were measured under the same conditions, 5 are needed") !=
        std::string::npos);
}

TEST_CASE("regress: the runs that both sides have under the same conditions decide") {
  const Document before = under(document_of({1, 1, 1, 1, 1}), {55, 55, 55, 55, 55});
  const Document after =
      under(document_of({1, 2, 1, 2, 1, 2, 1, 2, 1, 2}), {55, 250, 55, 250, 55, 250, 55, 250, 55, 250});
  CHECK(status_of(before, after) == 0);
}

#include "harness/commands/regress/builds.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <set>

#include <fmt/format.h>

#include "../../fake_executor.hpp"
#include "vm/launch/machine.hpp"

using namespace nasvm;
using test::Folder;
using test::Session;

namespace {

using Words = std::vector<std::string>;

std::string value_of(const Words& words, const std::string& option, const std::string& usual) {
  const auto found = std::ranges::find(words, option);
  return found == words.end() ? usual : *(found + 1);
}

Words list_of(const std::string& text) {
  Words parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

/// Two builds that run kernels over transports as they are told, in folders "old" and "new".
class FakeBuilds {
 public:
  /// Time in seconds; whether the new build runs.
  std::function<double(bool is_new, const RunRecord& run)> time = [](bool, const RunRecord&) { return 1.0; };
  std::function<void(bool is_new, RunRecord& run)> change = [](bool, RunRecord&) {};
  std::function<bool(const std::string& kernel)> has = [](const std::string&) { return true; };  ///< a result
  MachineRecord machine = test::small_machine();
  Words kernels_of_new{"ft", "cg"};
  Words launches;  ///< "old ft direct"

  ProgramResult operator()(const std::string& program, const Words& words, std::chrono::milliseconds) {
    const bool is_new = program.find("/new/") != std::string::npos;
    Document document = test::sample_document(0);
    document.machine = machine;
    Words named(words.begin() + 1, std::ranges::find_if(words, [](const auto& word) { return word[0] == '-'; }));
    if (named == Words{"all"}) named = is_new ? kernels_of_new : Words{"ft", "cg"};
    for (const std::string& kernel : named) {
      for (const std::string& transport : list_of(value_of(words, "--transport", "direct"))) {
        launches.push_back((is_new ? "new " : "old ") + kernel + " " + transport);
        if (!has(kernel)) continue;
        RunRecord run = test::good_run(transport, 1);
        run.kernel = kernel;
        run.problem_class = value_of(words, "--class", "S")[0];
        run.np = std::stoi(value_of(words, "--np", "2"));
        run.transport = transport;
        run.time_s = time(is_new, run);
        change(is_new, run);
        document.records<RunRecord>().push_back(run);
      }
    }
    ProgramResult result;
    result.exit_status = document.all_right() ? 0 : 1;
    result.ended_well = result.exit_status == 0;
    result.output = test::lines_of_text(to_json(document));
    return result;
  }
};

/// `nasvm regress --baseline-build old --build new WORDS...`
struct Comparison {
  FakeBuilds builds;
  Folder folder;
  Session session;
  Words coin{"--seed", "5489"};

  int operator()(const Words& more) {
    session.launch_behaviour = [this](const auto& program, const auto& words, auto timeout) {
      return builds(program, words, timeout);
    };
    Words words{"regress", "--baseline-build", test::write_build(folder, "old"), "--build",
                test::write_build(folder, "new")};
    words.insert(words.end(), coin.begin(), coin.end());
    words.insert(words.end(), more.begin(), more.end());
    return session(words);
  }
};

/// Times that differ from launch to launch by a few per cent.
auto noisy(double factor_of_new) {
  return [factor_of_new, random = std::mt19937_64(1)](bool is_new, const RunRecord&) mutable {
    const double noise = 0.95 + 0.1 * static_cast<double>(random() % 1000) / 1000;
    return noise * (is_new ? factor_of_new : 1);
  };
}

}  // namespace

TEST_CASE("regress of builds: launches take turns in blocks of four, case by case") {
  Comparison compare;
  compare.builds.time = noisy(1);
  CHECK(compare({"ft", "cg", "--transport", "daemon,direct", "--np", "2"}) == 0);
  // The whole command once on each side, then blocks.
  const Words& all = compare.builds.launches;
  REQUIRE(all.size() >= 8 + 16);
  CHECK(all[0] == "old ft daemon");
  CHECK(all[4] == "new ft daemon");
  const Words cases{"ft daemon", "ft direct", "cg daemon", "cg direct"};
  for (std::size_t i = 0; i < 16; ++i) CHECK(all[8 + i].substr(4) == cases[i / 4]);
  for (std::size_t block = 8; block + 4 <= all.size(); block += 4) {
    CHECK(all[block] == all[block + 3]);
    CHECK(all[block + 1] == all[block + 2]);
    CHECK(all[block] != all[block + 1]);
  }
  // The coin has fallen on both sides.
  std::size_t old_outside = 0;
  for (std::size_t block = 8; block < all.size(); block += 4) old_outside += all[block].starts_with("old") ? 1 : 0;
  CHECK(old_outside > 0);
  CHECK(old_outside < (all.size() - 8) / 4);
}

TEST_CASE("regress of builds: the coin falls by a seed, another one in each call, which the rule says") {
  const auto seed_said = [](const std::string& out) {
    const std::string words = "the toss of a coin (--seed ";
    const std::size_t at = out.find(words);
    REQUIRE(at != std::string::npos);
    return out.substr(at + words.size(), out.find(')', at) - at - words.size());
  };
  const auto launches_with = [&](const std::string& seed) {
    Comparison compare;
    compare.coin = {"--seed", seed};
    CHECK(compare({"ft"}) == 0);
    CHECK(seed_said(compare.session.out) == seed);
    return compare.builds.launches;
  };
  CHECK(launches_with("1") == launches_with("1"));
  std::set<Words> orders;
  for (const char* seed : {"1", "2", "3", "4", "5"}) orders.insert(launches_with(seed));
  CHECK(orders.size() > 1);

  std::set<std::string> seeds;
  for (int call = 0; call < 3; ++call) {
    Comparison compare;
    compare.coin.clear();
    CHECK(compare({"ft"}) == 0);
    seeds.insert(seed_said(compare.session.out));
  }
  CHECK(seeds.size() > 1);

  Comparison no_number;
  no_number.coin = {"--seed", "heads"};
  CHECK(no_number({"ft"}) == 2);
  CHECK(no_number.session.err.starts_with("nasvm: --seed heads: expected a whole number from 0 to "));
}

TEST_CASE("regress of builds: equal builds are fine, one slower case is found and confirmed, and named") {
  Comparison equal;
  equal.builds.time = noisy(1);
  CHECK(equal({"ft"}) == 0);

  Comparison slower;
  slower.builds.time = [noise = noisy(1)](bool is_new, const RunRecord& run) mutable {
    return noise(is_new, run) * (is_new && run.kernel == "cg" ? 1.15 : 1);
  };
  CHECK(slower({"ft", "cg"}) == 1);
  CHECK(slower.session.out.find("SLOWER") != std::string::npos);
  CHECK(slower.session.out.find("2 cases: 1 fine, 1 slower, 0 undecided, 0 failed.") != std::string::npos);
}

TEST_CASE("regress of builds: without a kernel named, one that has vanished is a failure before any time") {
  Comparison compare;
  compare.builds.kernels_of_new = {"ft"};
  CHECK(compare({}) == 1);
  CHECK(compare.session.out.find("FAILED: missing from the new results") != std::string::npos);
  CHECK(compare.session.out.find("undecided: not timed, since other cases have failed\n") != std::string::npos);
  CHECK(compare.builds.launches.size() == 3);
}

TEST_CASE("regress of builds: wrong results and more messages fail before any time") {
  Comparison wrong;
  wrong.builds.change = [](bool is_new, RunRecord& run) { run.verified = !is_new; };
  CHECK(wrong({"ft"}) == 1);
  CHECK(wrong.builds.launches.size() == 2);

  Comparison more;
  more.builds.change = [](bool is_new, RunRecord& run) { run.comm.messages += is_new ? 1 : 0; };
  CHECK(more({"ft"}) == 1);
  CHECK(more.session.out.find("FAILED: 41 messages instead of 40") != std::string::npos);
  // Two launches more of each say whether every launch has as many.
  CHECK(more.builds.launches.size() == 6);
}

TEST_CASE("regress of builds: messages that differ from launch to launch are no fact") {
  Comparison compare;
  compare.builds.change = [count = 0U](bool, RunRecord& run) mutable { run.comm.messages += ++count; };
  CHECK(compare({"ft"}) == 0);
}

TEST_CASE("regress of builds: a result that is wrong only later fails, too") {
  Comparison compare;
  compare.builds.change = [count = 0](bool is_new, RunRecord& run) mutable { run.verified = !is_new || ++count < 5; };
  CHECK(compare({"ft"}) == 1);
  CHECK(compare.session.out.find("verification failed in 1 of") != std::string::npos);
}

TEST_CASE("regress of builds: the budget ends it undecided, with all that was measured") {
  Comparison compare;
  compare.builds.time = [&compare](bool, const RunRecord&) {
    compare.session.now += std::chrono::seconds(1);
    return 1.0;
  };
  CHECK(compare({"ft", "--budget", "12", "--export-baseline", compare.folder.file("old.json"), "--export-new",
                 compare.folder.file("new.json")}) == 4);
  CHECK(compare.session.out.find("undecided: 3 of the 8 blocks that are the least; a --budget of about 32 s has room "
                                 "for them\n") != std::string::npos);
  const Document old = read_document(compare.folder.file("old.json"));
  CHECK(old.whole_launches);
  CHECK(old.records<RunRecord>().size() == 6);
  CHECK(read_document(compare.folder.file("new.json")).records<RunRecord>().size() == 6);
  CHECK(compare({"ft", "--budget", "32"}) == 0);
  compare.session.out.clear();
  CHECK(compare({"ft", "cg", "--budget", "4"}) == 4);  // what CG takes is not known
  CHECK(compare.session.out.find("undecided: 1 of the 8 blocks that are the least; a longer --budget has room for "
                                 "them\n") != std::string::npos);
}

TEST_CASE("regress of builds: medians are those of the better launches, which the ratio is made of") {
  Comparison compare;
  const auto said_in = [&compare](const std::string& format) {
    compare.builds.time = [launches = 0](bool is_new, const RunRecord&) mutable {
      if (!is_new) return 1.0;
      return ++launches % 2 == 0 ? 0.9 : 3.0;
    };
    compare.session.out.clear();
    CHECK(compare({"ft", "--format", format}) == 0);
    return compare.session.out;
  };
  CHECK_THAT(said_in("table"),
             Catch::Contains("  1.000 s  0.9000 s    16+16  0.900") &&
                 Catch::Contains("\nBase, New: medians of the better launch of each in every block. Ratio: "));
  CHECK_THAT(said_in("json"), Catch::Contains("\"baseline\": 1,") || Catch::Contains("\"baseline\": 1.0,"));
  CHECK_THAT(said_in("json"), Catch::Contains("\"new\": 0.9,"));
  CHECK_THAT(said_in("benchmark-action"), Catch::Contains("median 0.9000 s instead of 1.000 s"));
  CHECK_THAT(said_in("prometheus"), Catch::Contains("unit=\"s\"} 0.9\n"));
}

TEST_CASE("regress of builds: a case that later launches alone have is none") {
  Comparison compare;
  int launches = 0;
  compare.builds.has = [&](const std::string& kernel) {
    launches += kernel == "ft" ? 1 : 0;
    return kernel == "ft" || launches > 2;
  };
  CHECK(compare({"--command", "run ft cg --transport direct"}) == 0);
  CHECK(compare.session.out.find("\n1 case: 1 fine") != std::string::npos);
}

TEST_CASE("regress of builds: a full disk is exit 3, after the judgement is printed") {
  const std::string full = "nasvm: cannot write /dev/full: No space left on device\n";
  for (const char* option : {"--export-baseline", "--export-new"}) {
    Comparison compare;
    CHECK(compare({"ft", option, "/dev/full"}) == 3);
    CHECK(compare.session.err == full);
    CHECK(compare.session.out.find("1 case: 1 fine, 0 slower, 0 undecided, 0 failed.") != std::string::npos);
    CHECK(compare({"ft", option, "/dev/full", "--format", "json"}) == 3);
    CHECK(compare.session.out.find("\"exit_status\": 3,") != std::string::npos);
  }
  Comparison calibration;
  calibration.session.launch_behaviour = [&calibration](const auto& program, const auto& words, auto timeout) {
    return calibration.builds(program, words, timeout);
  };
  const std::string build = test::write_build(calibration.folder, "old");
  CHECK(calibration.session({"regress", "--calibrate", "/dev/full", "--build", build, "ft"}) == 3);
  CHECK(calibration.session.err == full);
  CHECK(calibration.session.out.find("1 case: 1 fine, ") != std::string::npos);
}

TEST_CASE("regress of builds: - is no file") {
  for (const char* option : {"--export-baseline", "--export-new"}) {
    Comparison compare;
    CHECK(compare({"ft", option, "-"}) == 2);
    CHECK(compare.session.err ==
          fmt::format("nasvm: {} -: standard output is the judgement's; name a file\n", option));
    CHECK(compare.builds.launches.empty());
  }
  Session session;
  CHECK(session({"regress", "--calibrate", "-", "ft"}) == 2);
  CHECK(session.err == "nasvm: --calibrate -: standard output is the judgement's; name a file\n");
}

TEST_CASE("regress of builds: a build whose first launch fails is said in every format, and exit 3") {
  const auto said_in = [](const std::string& format) {
    Comparison compare;
    compare.builds.change = [](bool is_new, RunRecord&) {
      if (is_new) throw RunError("a <task> was killed");
    };
    CHECK(compare({"ft", "--format", format}) == 3);
    CHECK(compare.builds.launches.size() == 2);
    CHECK(compare.session.err == "nasvm: a <task> was killed\n");
    return compare.session.out;
  };
  const std::string line = "A launch failed, and nothing was timed after it: a <task> was killed";
  for (const char* format : {"table", "markdown", "json"}) CHECK_THAT(said_in(format), Catch::Contains(line));
  CHECK_THAT(said_in("table"), Catch::Contains("\n0 cases: ") && !Catch::Contains("missing"));
  CHECK_THAT(said_in("json"), Catch::Contains("\"exit_status\": 3,"));
  CHECK_THAT(said_in("junit"), Catch::Contains(R"(tests="1" failures="0" errors="1" skipped="0")") &&
                                   Catch::Contains(R"(<error message="a &lt;task&gt; was killed"/>)"));
  CHECK_THAT(said_in("github"),
             Catch::Contains("::error title=nasvm regress%3A a launch failed::a <task> was killed\n"));
  CHECK_THAT(said_in("prometheus"), Catch::Contains("\nnasvm_regress_exit_status 3\n"));
}

TEST_CASE(
    "regress of builds: what was measured is exported also where a launch fails, and nothing where there is none") {
  Comparison compare;
  const std::string old = compare.folder.write("old.json", "of an earlier call");
  const std::string now = compare.folder.write("new.json", "of an earlier call");
  int launches = 0;
  int last = 1;
  compare.builds.change = [&](bool, RunRecord&) {
    if (launches++ >= last) throw RunError("a task was killed");
  };
  CHECK(compare({"ft", "--export-baseline", old, "--export-new", now}) == 3);
  CHECK(test::content(old) == "of an earlier call");
  last = launches + 12;
  CHECK(compare({"ft", "--export-baseline", old, "--export-new", now}) == 3);
  CHECK(read_document(old).has_results());
  CHECK(read_document(now).has_results());
}

TEST_CASE(
    "regress of builds: blocks whose conditions changed are taken again, and that is said with the conditions") {
  Comparison compare;
  // Every second launch of the first sixteen that are timed is on cores that are farther apart, and takes long.
  int launches = 0;
  compare.builds.change = [&](bool, RunRecord& run) {
    const bool far = launches >= 2 && launches < 18 && launches % 2 == 0;
    ++launches;
    run.time_s = far ? 3 : 1 + 0.001 * launches;
    run.sampled.conditions = Conditions{far ? 250.0 : 55.0, 12, 0, 0, 10};
  };
  CHECK(compare({"ft"}) == 0);
  // Two for the facts, four blocks that are set apart, eight that count.
  CHECK(compare.builds.launches.size() == 2 + 16 + 32);
  const std::string& out = compare.session.out;
  CHECK(out.find(" 16+16 ") != std::string::npos);
  CHECK(out.find("Conditions of base: core to core 55 ns, memory 12.0 GB/s") != std::string::npos);
  CHECK(out.find("Conditions of new:  core to core 55 ns, memory 12.0 GB/s") != std::string::npos);
  CHECK(out.find("Conditions changed in 4 of 12 blocks: 4 were taken again.\n") != std::string::npos);
  CHECK(out.find("different conditions") == std::string::npos);
}

TEST_CASE("regress of builds: a block counts once, however many cases its launches have") {
  Comparison compare;
  int runs = 0;
  compare.builds.change = [&](bool, RunRecord& run) {
    const int launch = runs++ / 2;
    const bool far = launch >= 2 && launch < 18 && launch % 2 == 0;
    run.time_s = far ? 3 : 1 + 0.001 * launch;
    run.sampled.conditions = Conditions{far ? 250.0 : 55.0, 12, 0, 0, 10};
  };
  CHECK(compare({"--command", "run ft cg --transport direct"}) == 0);
  CHECK(compare.session.out.find("Conditions changed in 4 of 12 blocks: 4 were taken again.\n") != std::string::npos);
}

TEST_CASE("regress of builds: a launch that fails leaves the verdicts that are known, and exit 3") {
  Comparison compare;
  // FT is decided with 8 blocks, CG is not.
  int of_cg = 0;
  compare.builds.change = [&](bool, RunRecord& run) {
    if (run.kernel == "cg" && ++of_cg > 2 + 8 * 4 + 2) throw RunError("a task was killed");
    if (run.kernel == "cg") run.time_s *= of_cg % 3 + 1;
  };
  CHECK(compare({"ft", "cg"}) == 3);
  const std::string& out = compare.session.out;
  CAPTURE(out);
  CHECK(out.find("A launch failed, and nothing was timed after it: a task was killed") != std::string::npos);
  CHECK(out.find("undecided: a launch failed before it was decided\n") != std::string::npos);
  CHECK(out.find("2 cases: 1 fine, 0 slower, 1 undecided, 0 failed.") != std::string::npos);
  CHECK(compare.session.err == "nasvm: a task was killed\n");
  CHECK(out.find("17+17") == std::string::npos);  // half a block is no sample

  Comparison at_once;
  int launches = 0;
  at_once.builds.change = [&](bool, RunRecord&) {
    if (++launches > 2) throw RunError("a task was killed");
  };
  CHECK(at_once({"ft"}) == 3);
  CHECK(at_once.session.out.find("undecided: a launch failed before it could be timed") != std::string::npos);

  Comparison refused;  // for instance because a processor went
  int runs = 0;
  refused.builds.change = [&](bool, RunRecord&) {
    if (++runs > 3) throw UsageError("--bind: too few cores");
  };
  CHECK(refused({"ft"}) == 3);
  CHECK(refused.session.out.find("undecided: a launch failed before it could be timed") != std::string::npos);
}

TEST_CASE("regress of builds: a launch that lacks one of its results leaves no half block of the others") {
  Comparison compare;
  int launches = 0;
  compare.builds.has = [&](const std::string& kernel) {
    launches += kernel == "ft" ? 1 : 0;
    return kernel == "ft" || launches != 2 + 4 + 2;
  };
  CHECK(compare({"--command", "run ft cg --transport direct"}) == 3);
  const std::string& out = compare.session.out;
  CAPTURE(out);
  CHECK(compare.session.err ==
        "nasvm: cg class S, 2 tasks, direct: a launch gave no result of it, another one did\n");
  CHECK(out.find(" 2+2 ") != std::string::npos);
  CHECK(out.find("3+3") == std::string::npos);
}

TEST_CASE("regress of builds: a signal ends it without a judgement, and what was measured is there for exports") {
  FakeBuilds builds;
  int launches = 0;
  builds.change = [&](bool, RunRecord&) {
    if (++launches > 2 + 4) throw Interrupted(SIGTERM);
  };
  const BuildsOptions options{.baseline = "/old/nasvm",
                              .candidate = "/new/nasvm",
                              .command = {.whole = {"run", "ft"}, .of_each_run = Words{}}};
  const BuildLauncher launch = [&builds](const auto& program, const auto& words, auto timeout) {
    return builds(program, words, timeout);
  };
  const std::vector<CommandRow> rows = commands({});
  Console console;
  console.out = console.err = [](std::string_view) {};
  Builds comparison(options, launch, rows, console);
  CHECK_THROWS_AS(comparison.compare(), Interrupted);
  CHECK(comparison.documents().baseline.records<RunRecord>().size() == 2);
  CHECK(comparison.documents().candidate.records<RunRecord>().size() == 2);
}

TEST_CASE("regress of builds: a launch that fails is an error in the formats of CI, too") {
  const auto said_in = [](const std::string& format) {
    Comparison compare;
    int launches = 0;
    compare.builds.change = [&](bool, RunRecord&) {
      if (++launches > 2) throw RunError("a <task> was killed");
    };
    CHECK(compare({"ft", "--format", format}) == 3);
    return compare.session.out;
  };
  const std::string junit = said_in("junit");
  CAPTURE(junit);
  CHECK(junit.find(R"(tests="2" failures="0" errors="1" skipped="1")") != std::string::npos);
  CHECK(junit.find(R"(<error message="a &lt;task&gt; was killed"/>)") != std::string::npos);
  CHECK(said_in("github").find("::error title=nasvm regress%3A a launch failed::a <task> was killed\n") !=
        std::string::npos);
}

TEST_CASE("regress of builds: a tolerance of nothing, and a case that stands twice, are refused before any launch") {
  const Folder folder;
  const std::string entry = R"({"case": "ft class S, 2 tasks, direct", "figure": "time", "tolerance_percent": )";
  for (const auto& [cases, complaint] :
       {std::pair(entry + "0}", "tolerance_percent is not above 0"),
        std::pair(entry + "5}, " + entry + "9}", "stands there twice; leave one of them out")}) {
    const std::string file =
        folder.write("tolerances.json", R"({"schema": "nasvm-tolerances/1", "cases": [)" + cases + "]}");
    Comparison compare;
    CHECK(compare({"ft", "--tolerances", file}) == 2);
    CHECK(compare.session.err == "nasvm: " + file + ": ft class S, 2 tasks, direct, time: " + complaint + "\n");
    CHECK(compare.builds.launches.empty());
  }
}

TEST_CASE("regress of builds: tolerances of some cases leave a line, those of none are refused before any time") {
  const Folder folder;
  const std::string tolerances = folder.file("tolerances.json");
  Comparison calibrated;
  calibrated.session.launch_behaviour = [&](const auto& program, const auto& words, auto timeout) {
    return calibrated.builds(program, words, timeout);
  };
  REQUIRE(calibrated.session({"regress", "--calibrate", tolerances, "--build",
                              test::write_build(calibrated.folder, "new"), "ft"}) == 0);
  Comparison some;
  CHECK(some({"ft", "cg", "--tolerances", tolerances, "--force"}) == 0);
  CHECK(some.session.out.find("Tolerances: none for 1 of 2 cases; 5 % taken") != std::string::npos);
  Comparison none;
  CHECK(none({"cg", "--tolerances", tolerances, "--force"}) == 2);
  CHECK(none.builds.launches.size() == 2);
}

TEST_CASE("regress of builds: where conditions always change, it is decided all the same, and said") {
  Comparison compare;
  compare.builds.time = noisy(1.3);
  int launches = 0;
  compare.builds.change = [&](bool, RunRecord& run) {
    run.sampled.conditions = Conditions{++launches % 2 == 0 ? 250.0 : 55.0, 12, 0, 0, 10};
  };
  CHECK(compare({"ft"}) == 1);
  CHECK(compare.session.out.find("count all the same") != std::string::npos);
}

TEST_CASE(
    "regress of builds: where conditions of the builds differ, no block is taken again for that, and it is said") {
  Comparison compare;
  compare.builds.time = noisy(1.3);
  compare.builds.change = [](bool is_new, RunRecord& run) {
    run.sampled.conditions = Conditions{is_new ? 250.0 : 55.0, 12, 0, 0, 10};
  };
  CHECK(compare({"ft"}) == 1);
  CHECK(compare.session.out.find("Base and new were measured under different conditions") != std::string::npos);
  CHECK(compare.session.out.find("taken again") == std::string::npos);
}

TEST_CASE("regress of builds: a wrong result counts whatever its conditions are") {
  Comparison compare;
  int launches = 0;
  compare.builds.change = [&](bool is_new, RunRecord& run) {
    const bool far = ++launches == 3 || launches == 4;
    run.sampled.conditions = Conditions{far ? 250.0 : 55.0, 12, 0, 0, 10};
    run.verified = !(is_new && far);
  };
  CHECK(compare({"ft"}) == 1);
  CHECK(compare.session.out.find("verification failed in 1 of") != std::string::npos);
}

TEST_CASE("regress of builds: a budget that ends among changing conditions says so") {
  Comparison compare;
  int launches = 0;
  compare.builds.change = [&](bool, RunRecord& run) {
    compare.session.now += std::chrono::seconds(1);
    run.sampled.conditions = Conditions{++launches % 2 == 0 ? 250.0 : 55.0, 12, 0, 0, 10};
  };
  CHECK(compare({"ft", "--budget", "8"}) == 4);
  CHECK(compare.session.out.find("undecided: the budget ended before it could be timed under steady conditions") !=
        std::string::npos);
  CHECK(compare.session.out.find("Conditions changed in 2 of 2 blocks: 2 were taken again.") != std::string::npos);
}

TEST_CASE("regress of builds: what was too noisy is told which budget or tolerance would decide it") {
  // Launches of a second; the logarithms of times scatter by so much, by chance: FT's runs take 0.67 to 1.5.
  const auto make_noisy = [](Comparison& compare, unsigned seed = 1, double ft = 0.4, double cg = 0) {
    compare.builds.time = [ft, cg, random = std::mt19937_64(seed)](bool, const RunRecord& run) mutable {
      const double scatter = run.kernel == "ft" ? ft : cg;
      return scatter > 0 ? std::exp(scatter * (static_cast<double>(random() % 1000) / 500 - 1)) : 1;
    };
    compare.builds.change = [&compare](bool, RunRecord&) { compare.session.now += std::chrono::seconds(1); };
  };
  const auto number_after = [](const std::string& text, const std::string& words) {
    const std::size_t at = text.find(words);
    return at == std::string::npos
               ? std::string()
               : text.substr(at + words.size(), text.find_first_of(" \n", at + words.size()) - at - words.size());
  };
  Comparison compare;
  make_noisy(compare);
  // CG is decided after 8 blocks, 32 launches.
  CHECK(compare({"ft", "cg", "--budget", "132", "--threshold", "10"}) == 4);
  const std::string& out = compare.session.out;
  CAPTURE(out);
  CHECK(out.find("undecided: too noisy for 25 blocks; a tolerance of ") != std::string::npos);
  CHECK(out.find("2 cases: 1 fine") != std::string::npos);
  const std::string budget = number_after(out, "a --budget of ");
  const std::string tolerance = number_after(out, "a tolerance of ");
  REQUIRE(!budget.empty());
  REQUIRE(!tolerance.empty());

  SECTION("with that budget it is mostly decided") {
    int told = 0;
    int decided = 0;
    for (unsigned seed = 1; seed <= 20; ++seed) {
      Comparison first;
      make_noisy(first, seed);
      const int status = first({"ft", "cg", "--budget", "132", "--threshold", "10"});
      const std::string own_budget = number_after(first.session.out, "a --budget of ");
      CHECK(own_budget.empty() == (status == 0));
      if (own_budget.empty()) continue;
      ++told;
      CHECK(std::stoi(own_budget) > 132);
      Comparison longer;
      make_noisy(longer, seed);
      decided += longer({"ft", "cg", "--budget", own_budget, "--threshold", "10"}) == 0 ? 1 : 0;
    }
    CAPTURE(told, decided);
    CHECK(told >= 10);
    CHECK(4 * decided >= 3 * told);
  }
  SECTION("with that tolerance, too, and not with one less") {
    Comparison larger;
    make_noisy(larger);
    CHECK(larger({"ft", "cg", "--budget", "132", "--threshold", tolerance}) == 0);
    Comparison smaller;
    make_noisy(smaller);
    CHECK(smaller({"ft", "cg", "--budget", "132", "--threshold", std::to_string(std::stoi(tolerance) - 1)}) == 4);
  }
  SECTION("parts in turns: one beside another as noisy gets as many blocks") {
    Comparison both;
    make_noisy(both, 2, 0.4, 0.4);
    CHECK(both({"ft", "cg", "--budget", "200", "--threshold", "10"}) == 4);
    const std::string own_budget = number_after(both.session.out, "a --budget of ");
    REQUIRE(!own_budget.empty());
    Comparison longer;
    make_noisy(longer, 2, 0.4, 0.4);
    CHECK(longer({"ft", "cg", "--budget", own_budget, "--threshold", "10"}) == 0);
    // None is named where it would not be enough for all.
    Comparison one_too_noisy;
    make_noisy(one_too_noisy, 2, 3.0, 0.4);
    CHECK(one_too_noisy({"ft", "cg", "--budget", "200", "--threshold", "10"}) == 4);
    CHECK(one_too_noisy.session.out.find("--budget of") == std::string::npos);
  }
  SECTION("where the last look has been, or would come too early, no budget helps") {
    Comparison all_looks;
    make_noisy(all_looks);
    CHECK(all_looks({"ft", "--budget", "100000", "--threshold", "1"}) == 4);
    CHECK(all_looks.session.out.find("too noisy for 340 blocks; a tolerance of ") != std::string::npos);
    CHECK(all_looks.session.out.find("--budget") == std::string::npos);
    Comparison finer;
    make_noisy(finer);
    CHECK(finer({"ft", "--budget", "100", "--threshold", "1"}) == 4);
    CHECK(finer.session.out.find("--budget") == std::string::npos);
  }
}

TEST_CASE("regress of builds: other options of run go to every launch, those of a case to its own") {
  Comparison compare;
  std::vector<Words> seen;
  compare.session.launch_behaviour = {};
  const std::string old_build = test::write_build(compare.folder, "old");
  compare.session.launch_behaviour = [&](const auto& program, const auto& words, auto timeout) {
    seen.push_back(words);
    return compare.builds(program, words, timeout);
  };
  CHECK(compare.session({"regress", "--baseline-build", old_build, "--build", old_build, "ft", "--class", "W", "--np",
                         "3", "--transport", "direct", "--threads", "2", "--timeout", "7200"}) == 0);
  CHECK(seen.front() == Words{"run", "ft", "--class", "W", "--np", "3", "--transport", "direct", "--threads", "2",
                              "--timeout", "7200", "--format", "json"});
  CHECK(seen.back() == seen.front());
}

TEST_CASE("regress of builds: of several variants each is launched by itself") {
  Comparison compare;
  std::vector<Words> seen;
  const std::string build = test::write_build(compare.folder, "old");
  compare.session.launch_behaviour = [&](const auto&, const Words& words, auto) {
    seen.push_back(words);
    Document document = test::sample_document(0);
    for (const std::string& variant : list_of(value_of(words, "--variant", ""))) {
      RunRecord run = test::good_run("direct", 1);
      run.kernel = "cg";
      run.variant = variant;
      document.records<RunRecord>().push_back(run);
    }
    ProgramResult result;
    result.exit_status = 0;
    result.ended_well = true;
    result.output = test::lines_of_text(to_json(document));
    return result;
  };
  CHECK(compare.session(
            {"regress", "--baseline-build", build, "--build", build, "cg", "--variant", "classic,merged"}) == 0);
  CHECK(value_of(seen[0], "--variant", "") == "classic,merged");
  CHECK(value_of(seen[2], "--variant", "") == "classic");
  CHECK(value_of(seen[6], "--variant", "") == "merged");
}

TEST_CASE("regress of builds: another command is launched whole, and all its cases are judged by each launch") {
  const Folder folder;
  Session session;
  std::vector<Words> seen;
  session.launch_behaviour = [&](const std::string& program, const Words& words, auto) {
    seen.push_back(words);
    Document document = test::sample_document(0);
    const bool is_new = program.find("/new/") != std::string::npos;
    for (const std::uint64_t bytes : {8, 1024}) {
      document.records<P2pRecord>().push_back(test::p2p_record("shm", bytes, is_new && bytes > 8 ? 2 : 1));
    }
    ProgramResult result;
    result.ended_well = true;
    result.exit_status = 0;
    result.output = test::lines_of_text(to_json(document));
    return result;
  };
  CHECK(session({"regress", "--baseline-build", test::write_build(folder, "old"), "--build",
                 test::write_build(folder, "new"), "--command", "p2p -m 8:1k --transport shm"}) == 1);
  CHECK(seen.front() == Words{"p2p", "--runs", "1", "-m", "8:1k", "--transport", "shm", "--format", "json"});
  CHECK(session.out.find("6 cases: 3 fine, 3 slower") != std::string::npos);
}

TEST_CASE("regress of builds: exec exports its document, and what stands behind -- is the program's own") {
  const Folder folder;
  Session session;
  std::vector<Words> seen;
  bool writes = true;
  session.launch_behaviour = [&](const auto&, const Words& words, auto) {
    seen.push_back(words);
    Document document = test::sample_document(0);
    document.records<RunRecord>().push_back(test::good_run("shm", 1));
    if (writes) std::ofstream(value_of(words, "--export-json", "")) << to_json(document);
    ProgramResult result;
    result.ended_well = writes;
    result.exit_status = writes ? 0 : 1;
    result.ending = "exited with status 1";
    result.output = {"what the program says"};
    if (!writes) result.errors = {"nasvm: task 0 exited with status 1"};
    return result;
  };
  const std::string build = test::write_build(folder, "old");
  const auto status_of = [&](const std::string& command) {
    session.err.clear();
    return session({"regress", "--baseline-build", build, "--build", build, "--command", command});
  };
  CHECK(status_of("exec -n 2 -- ./prog --runs 5 --format x") == 0);
  REQUIRE(seen.front().size() == 11);
  CHECK(Words(seen.front().begin(), seen.front().begin() + 2) == Words{"exec", "--export-json"});
  CHECK_FALSE(std::filesystem::exists(seen.front()[2]));  // any more
  CHECK(Words(seen.front().begin() + 3, seen.front().end()) ==
        Words{"-n", "2", "--", "./prog", "--runs", "5", "--format", "x"});
  CHECK(status_of("exec -n 2 ./prog 5") == 0);
  CHECK(seen.back()[1] == "--export-json");
  CHECK(Words(seen.back().end() - 2, seen.back().end()) == Words{"./prog", "5"});
  CHECK(status_of("exec -n 2 -- './a program' \"two words\"") == 0);
  CHECK(Words(seen.back().end() - 2, seen.back().end()) == Words{"./a program", "two words"});

  seen.clear();
  for (const char* command :
       {"exec --format csv -- ./prog", "exec --export-json=f -- ./prog", "run ft --format json"}) {
    CHECK(status_of(command) == 2);
    CHECK(session.err.find("--command: leave --") != std::string::npos);
  }
  CHECK(status_of("exec -n 2 -- './prog") == 2);
  CHECK(session.err == "nasvm: --command exec -n 2 -- './prog: expected another ' that ends what is quoted\n");
  CHECK(seen.empty());

  writes = false;  // as the program has failed
  CHECK(status_of("exec -n 2 -- ./prog") == 3);
  CHECK(session.err.ends_with(" -- ./prog: exited with status 1: task 0 exited with status 1\n"));
}

TEST_CASE("regress of builds: commands that repeat measure once in a launch, unless they are asked for more") {
  const Folder folder;
  Session session;
  std::vector<Words> seen;
  session.launch_behaviour = [&](const std::string&, const Words& words, auto) {
    seen.push_back(words);
    Document document = test::sample_document(0);
    for (int repeat = 0; repeat < std::stoi(value_of(words, "--runs", "3")); ++repeat) {
      document.records<P2pRecord>().push_back(test::p2p_record("shm", 8, 10));
    }
    ProgramResult result;
    result.ended_well = true;
    result.output = test::lines_of_text(to_json(document));
    return result;
  };
  const std::string build = test::write_build(folder, "old");
  const std::string file = folder.file("base.json");
  const auto status_of = [&](const std::string& command) {
    seen.clear();
    return session(
        {"regress", "--baseline-build", build, "--build", build, "--command", command, "--export-baseline", file});
  };
  CHECK(status_of("p2p -m 8:8 --transport shm") == 0);
  for (const Words& words : seen) {
    CHECK(words == Words{"p2p", "--runs", "1", "-m", "8:8", "--transport", "shm", "--format", "json"});
  }
  CHECK(read_document(file).whole_launches);
  CHECK(status_of("p2p -m 8:8 --runs 1") == 0);
  CHECK(seen[0] == Words{"p2p", "-m", "8:8", "--runs", "1", "--format", "json"});
  CHECK(read_document(file).whole_launches);
  CHECK(status_of("p2p -m 8:8 --runs=2") == 0);
  CHECK(seen[0] == Words{"p2p", "-m", "8:8", "--runs=2", "--format", "json"});
  CHECK_FALSE(read_document(file).whole_launches);
}

TEST_CASE("regress of builds: what a build complains of is said with its command, and its exit status") {
  for (const auto& [status, ending] : {std::pair(2, ""), std::pair(3, "exited with status 3: ")}) {
    const Folder folder;
    Session session;
    session.launch_behaviour = [status = status](const auto&, const auto&, auto) {
      ProgramResult result;
      result.exit_status = status;
      result.ending = "exited with status " + std::to_string(status);
      result.errors = {"nasvm: something is wrong"};
      return result;
    };
    const std::string build = test::write_build(folder, "old");
    CHECK(session({"regress", "--baseline-build", build, "--build", build, "ft"}) == status);
    CHECK(session.err == "nasvm: " + build + "/nasvm run ft --format json: " + ending + "something is wrong\n");
  }
}

TEST_CASE("regress of builds: a first launch that prints no document is said in every format, too") {
  const Folder folder;
  Session session;
  session.launch_behaviour = [](const auto&, const auto&, auto) {
    ProgramResult result;
    result.ended_well = true;
    result.output = {"all is well"};
    return result;
  };
  const std::string build = test::write_build(folder, "old");
  CHECK(session({"regress", "--baseline-build", build, "--build", build, "--format", "junit", "ft"}) == 3);
  CHECK_THAT(session.out, Catch::Contains(R"(tests="1" failures="0" errors="1" skipped="0")"));
  CHECK(std::ranges::count(session.err, '\n') == 1);
}

TEST_CASE("regress of builds: why a daemon has not come up is said with what its nasvm makes of it") {
  const Folder folder;
  Session session;
  session.launch_behaviour = [](const auto&, const auto&, auto) {
    ProgramResult result;
    result.exit_status = 2;
    result.errors = {"nasvmd: another build", "nasvm: the daemon of host box exited with status 2 before it was up"};
    return result;
  };
  const std::string build = test::write_build(folder, "old");
  CHECK(session({"regress", "--baseline-build", build, "--build", build, "ft"}) == 2);
  CHECK(session.err == "nasvm: " + build +
                           "/nasvm run ft --format json: the daemon of host box exited with status 2 before it was "
                           "up: nasvmd: another build\n");
}

TEST_CASE("regress of builds: the ends of intervals say how sure they are") {
  Comparison compare;
  compare.builds.time = noisy(1);
  CHECK(compare({"ft", "cg"}) == 0);
  CHECK_THAT(
      compare.session.out,
      Catch::Contains("Interval: the ratio lies above its low end with 97.5 %, below its high end with 95 %."));
  Comparison json;
  json.builds.time = noisy(1);
  CHECK(json({"ft", "--format", "json"}) == 0);
  CHECK_THAT(json.session.out,
             Catch::Contains("\"ratio_low_level\": 0.95,") && Catch::Contains("\"ratio_high_level\": 0.95\n"));
}

TEST_CASE("regress of builds: a calibration of one block says so") {
  Comparison compare;
  compare.session.launch_behaviour = [&compare](const auto& program, const auto& words, auto timeout) {
    compare.session.now += std::chrono::seconds(1);
    return compare.builds(program, words, timeout);
  };
  CHECK(compare.session({"regress", "--calibrate", compare.folder.file("t.json"), "--build",
                         test::write_build(compare.folder, "old"), "ft", "--budget", "4"}) == 4);
  CHECK_THAT(compare.session.out, Catch::Contains("1 block is too few to tell its noise"));
}

TEST_CASE("regress of builds: a calibration that ends early says that blocks are too few") {
  Comparison compare;
  compare.session.launch_behaviour = [&compare](const auto& program, const auto& words, auto timeout) {
    compare.session.now += std::chrono::seconds(1);
    return compare.builds(program, words, timeout);
  };
  const std::string build = test::write_build(compare.folder, "old");
  CHECK(compare.session({"regress", "--calibrate", compare.folder.file("t.json"), "--build", build, "ft", "cg",
                         "--budget", "64"}) == 4);
  CHECK(compare.session.out.find("8 blocks are too few to tell its noise; a longer --budget does") !=
        std::string::npos);
}

TEST_CASE("regress of builds: a calibration says of a case that has failed why") {
  Comparison compare;
  int launches = 0;
  compare.builds.change = [&](bool, RunRecord& run) { run.comm.messages += ++launches == 2 ? 1 : 0; };
  compare.session.launch_behaviour = [&compare](const auto& program, const auto& words, auto timeout) {
    return compare.builds(program, words, timeout);
  };
  CHECK(compare.session({"regress", "--calibrate", compare.folder.file("t.json"), "--build",
                         test::write_build(compare.folder, "old"), "ft"}) == 1);
  CHECK(compare.session.out.find("FAILED: up to 41 messages instead of 40") != std::string::npos);
}

TEST_CASE("regress of builds: a calibration writes tolerances that a comparison reads") {
  Comparison compare;
  compare.session.launch_behaviour = [&compare](const auto& program, const auto& words, auto timeout) {
    return compare.builds(program, words, timeout);
  };
  compare.builds.time = [random = std::mt19937_64(1)](bool, const RunRecord&) mutable {
    return 1 + 0.5 * static_cast<double>(random() % 1000) / 1000;
  };
  const std::string file = compare.folder.file("tolerances.json");
  const std::string build = test::write_build(compare.folder, "old");
  CHECK(compare.session({"regress", "--calibrate", file, "--build", build, "ft", "--seed", "5489"}) == 0);
  CHECK(test::content(file).find("\"case\": \"ft class S, 2 tasks, direct\"") != std::string::npos);
  CHECK(test::content(file).find("\"launches\": 480") != std::string::npos);

  const auto status_with = [&](const std::string& tolerances, const Words& more) {
    Words words{"regress", "--baseline-build", build,      "--build", build,
                "ft",      "--tolerances",     tolerances, "--seed",  "5489"};
    words.insert(words.end(), more.begin(), more.end());
    compare.session.err.clear();
    compare.builds.launches.clear();
    return compare.session(words);
  };
  CHECK(status_with(file, {}) == 0);
  CHECK(status_with(compare.folder.file("missing"), {}) == 2);
  const std::string without = compare.folder.write("without", R"({"schema": "nasvm-tolerances/1", "case": []})");
  CHECK(status_with(without, {}) == 2);
  CHECK(compare.session.err.starts_with("nasvm: " + without + ": has no cases; expected"));
  CHECK(compare.builds.launches.empty());
  // The first launch says where it runs.
  compare.builds.machine.hosts[0].cpu = "Slow CPU";
  compare.builds.time = [](bool, const RunRecord&) { return 1.0; };
  CHECK(status_with(file, {}) == 2);
  CHECK(compare.session.err.find("was made on another machine: processor Slow CPU instead of Fast CPU") !=
        std::string::npos);
  CHECK(compare.builds.launches.size() == 1);
  CHECK(status_with(file, {"--force"}) == 0);
}

TEST_CASE("regress of builds: a calibration whose launch fails writes what was measured before, and exit 3") {
  Comparison compare;
  compare.session.launch_behaviour = [&compare](const auto& program, const auto& words, auto timeout) {
    return compare.builds(program, words, timeout);
  };
  int of_cg = 0;
  compare.builds.change = [&](bool, RunRecord& run) {
    if (run.kernel == "cg" && ++of_cg > 2 + 40 * 4 + 2) throw RunError("a task was killed");
  };
  const std::string file = compare.folder.file("tolerances.json");
  const std::string build = test::write_build(compare.folder, "old");
  CHECK(compare.session({"regress", "--calibrate", file, "--build", build, "ft", "cg"}) == 3);
  CHECK(compare.session.err == "nasvm: a task was killed\n");
  CHECK(compare.session.out.find("A launch failed, and nothing was timed after it: a task was killed") !=
        std::string::npos);
  const std::string tolerances = test::content(file);
  CHECK(tolerances.find("\"launches\": 164") != std::string::npos);
  CHECK(tolerances.find("\"launches\": 160") != std::string::npos);

  Comparison at_once;
  at_once.session.launch_behaviour = [&at_once](const auto& program, const auto& words, auto timeout) {
    return at_once.builds(program, words, timeout);
  };
  int launches = 0;
  at_once.builds.change = [&](bool, RunRecord&) {
    if (++launches > 2) throw RunError("a task was killed");
  };
  const std::string before = at_once.folder.write("tolerances.json", "of an earlier call");
  CHECK(at_once.session(
            {"regress", "--calibrate", before, "--build", test::write_build(at_once.folder, "old"), "ft"}) == 3);
  CHECK(at_once.session.out.find("undecided: a launch failed before it could be timed") != std::string::npos);
  CHECK(test::content(before) == "of an earlier call");

  launches = 2;  // the next one is the first of this call
  at_once.session.out.clear();
  CHECK(at_once.session(
            {"regress", "--calibrate", before, "--build", test::write_build(at_once.folder, "old"), "ft"}) == 3);
  CHECK(at_once.session.out.find("A launch failed, and nothing was timed after it") != std::string::npos);
  CHECK(test::content(before) == "of an earlier call");
}

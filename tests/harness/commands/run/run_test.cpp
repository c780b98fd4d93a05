#include "harness/commands/run/run.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <sstream>

#include "../../fake_executor.hpp"
#include "harness/document/document.hpp"

using namespace nasvm;
using test::content;
using test::Folder;
using test::good_run;
using test::Session;

TEST_CASE("run: measures every kernel over every transport and prints the table") {
  Session session;
  CHECK(session({"run", "all", "--class", "W", "--np", "3"}) == 0);
  CHECK(session.seen.size() == 2 * kernels().size());
  CHECK(session.out.find(fmt::format("{0} of {0} runs verified.", 2 * kernels().size())) != std::string::npos);
  CHECK(session.out.find("daemon/direct") != std::string::npos);
  CHECK(session.err.empty());
}

TEST_CASE("run: the record has what the plan knows, and the speed by the kernel's formula") {
  Session session;
  CHECK(session({"run", "cg", "--class", "W", "--np", "3", "--threads", "2", "--runs", "2", "--transport", "direct",
                 "--format", "json"}) == 0);
  const Document document = from_json(session.out, "out");
  REQUIRE(document.records<RunRecord>().size() == 2);
  const RunRecord& run = document.records<RunRecord>()[1];
  CHECK(run.kernel == "cg");
  CHECK(run.problem_class == 'W');
  CHECK(run.np == 3);
  CHECK(run.threads == 2);
  CHECK(run.transport == "direct");
  CHECK(run.repeat == 1);
  CHECK(run.mops == Approx(find_kernel("cg")->mega_operations(session.seen[1].problem) / run.time_s));
  CHECK(run.comm == good_run("direct", 1.0).comm);
  CHECK(document.machine == test::small_machine());
  CHECK(document.command.front() == "nasvm");
  CHECK_FALSE(document.build.version.empty());
}

TEST_CASE("run: tasks that are not bound to cores make another case") {
  const auto run_of = [](std::vector<std::string> words) {
    Session session;
    words.insert(words.begin(), {"run", "ep", "--transport", "direct", "--format", "json"});
    CHECK(session(words) == 0);
    return from_json(session.out, "out").records<RunRecord>().at(0);
  };
  CHECK(run_of({}).parameters.empty());
  CHECK(run_of({"--bind", "core"}).parameters.empty());
  CHECK(run_of({"--bind", "none"}).parameters == NamedTexts{{"bind", "none"}});
}

TEST_CASE("run: what --multicast takes in place of a protocol is known, too") {
  Session session;
  CHECK(session({"run", "ep", "--multicast", "nka"}) == 2);
  CHECK_THAT(session.err, Catch::Contains("known: fanout, ") && Catch::EndsWith(", auto, none\n"));
  for (const char* name : {"auto", "none"}) CHECK(session({"run", "mg", "--multicast", name}) == 0);
}

TEST_CASE("run: warm-ups are run and not recorded") {
  Session session;
  CHECK(session({"run", "ep", "--warmup", "2", "--transport", "direct", "--format", "json"}) == 0);
  CHECK(session.seen.size() == 3);
  CHECK(from_json(session.out, "out").records<RunRecord>().size() == 1);
}

TEST_CASE("run: a failed verification gives no speed, exit 1, and the other runs go on") {
  for (const std::string format : {"table", "csv", "markdown"}) {
    Session session;
    session.behaviour = [](const RunSpec& spec) {
      RunRecord run = good_run(spec.transport, spec.transport == "daemon" ? 7.654321 : 1.0);
      run.verified = spec.transport != "daemon";
      return run;
    };
    CAPTURE(format);
    CHECK(session({"run", "mg", "--format", format}) == 1);
    CHECK(session.seen.size() == 2);
    CHECK(session.out.find("7.65") == std::string::npos);
    CHECK(session.out.find(format == "csv" ? "direct,tuned,0,true,1," : "1.000") != std::string::npos);
    CHECK(session.err.find("mg class S, 4 tasks, daemon: verification failed; error 1.2e-13") != std::string::npos);
    CHECK(session.err_lines() == 1);
  }
}

TEST_CASE("run: one failed repeat takes the speed from its whole row") {
  Session session;
  session.behaviour = [](const RunSpec& spec) {
    RunRecord run = good_run(spec.transport, 7.5);
    run.verified = spec.repeat != 1;
    return run;
  };
  CHECK(session({"run", "mg", "--runs", "3", "--transport", "direct"}) == 1);
  CHECK(session.out.find("FAILED 1/3") != std::string::npos);
  CHECK(session.out.find("7.5") == std::string::npos);
}

TEST_CASE("run: a failed warm-up fails the run") {
  Session session;
  session.behaviour = [](const RunSpec& spec) {
    RunRecord run = good_run(spec.transport, 1.0);
    run.verified = !spec.warmup;
    return run;
  };
  CHECK(session({"run", "mg", "--warmup", "1", "--transport", "direct"}) == 1);
  CHECK(session.err.find("(warm-up)") != std::string::npos);
}

TEST_CASE("run: a run that cannot finish ends with exit 3, and what was measured before is kept") {
  const Folder folder;
  Session session;
  session.behaviour = [](const RunSpec& spec) {
    if (spec.transport == "direct") throw RunError("task 2 was killed by signal 9");
    return good_run(spec.transport, 1.0);
  };
  CHECK(session({"run", "mg", "--export-json", folder.file("f.json")}) == 3);
  CHECK(session.err == "nasvm: task 2 was killed by signal 9\n");
  CHECK(session.out.find("1 of 1 runs verified") != std::string::npos);
  CHECK(read_document(folder.file("f.json")).records<RunRecord>().size() == 1);
}

TEST_CASE("run: a run that fails at once prints no empty table") {
  Session session;
  session.behaviour = [](const RunSpec&) -> RunRecord { throw RunError("no daemon"); };
  CHECK(session({"run", "mg"}) == 3);
  CHECK(session.out.empty());
  CHECK(session.err == "nasvm: no daemon\n");
}

TEST_CASE("run: exceptions that nobody foresaw are one line and exit 3") {
  Session session;
  session.behaviour = [](const RunSpec&) -> RunRecord { throw std::logic_error("two\nlines"); };
  CHECK(session({"run", "mg"}) == 3);
  CHECK(session.err == "nasvm: unexpected: two lines\n");
}

TEST_CASE("run: exports hold the same results in every format") {
  const Folder folder;
  Session session;
  CHECK(session({"run", "ft", "--runs", "2", "--export-json", folder.file("j"), "--export-csv", folder.file("c"),
                 "--export-markdown", folder.file("m")}) == 0);
  CHECK(read_document(folder.file("j")).records<RunRecord>().size() == 4);
  const std::string csv = content(folder.file("c"));
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 5);
  CHECK(content(folder.file("m")).find("| --- |") != std::string::npos);
}

TEST_CASE("run: exports are rewritten after every run, and keep what they had until the first") {
  const Folder folder;
  const std::string path = folder.file("f.json");
  Session earlier;
  CHECK(earlier({"run", "ft", "--runs", "4", "--export-json", path}) == 0);
  std::vector<std::size_t> seen_runs;
  Session session;
  session.behaviour = [&](const RunSpec& spec) {
    seen_runs.push_back(read_document(path).records<RunRecord>().size());
    return good_run(spec.transport, 1.0);
  };
  CHECK(session({"run", "mg", "--runs", "2", "--export-json", path}) == 0);
  CHECK(seen_runs == std::vector<std::size_t>{8, 1, 2, 3});
}

TEST_CASE("run: an export that cannot be opened is refused before anything runs") {
  const Folder folder;
  for (const std::string& path : std::vector<std::string>{folder.file("no/such/folder/f.json"), folder.file("")}) {
    Session session;
    CHECK(session({"run", "mg", "--export-csv", path}) == 2);
    CHECK(session.seen.empty());
    CHECK(session.err_lines() == 1);
    CHECK(session.err.find(path + ": cannot be opened for writing") != std::string::npos);
  }
}

TEST_CASE("run: a full disk is exit 3, after the results are printed") {
  Session session;
  CHECK(session({"run", "mg", "--export-json", "/dev/full"}) == 3);
  CHECK(session.out.find("2 of 2 runs verified") != std::string::npos);
  CHECK(session.err == "nasvm: cannot write /dev/full: No space left on device\n");
}

TEST_CASE("run: a closed standard output is exit 3, and the exports are complete") {
  const Folder folder;
  Session session;
  session.out_is_broken = true;
  CHECK(session({"run", "mg", "--export-json", folder.file("f.json")}) == 3);
  CHECK(session.err == "nasvm: cannot write to standard output: Broken pipe\n");
  CHECK(read_document(folder.file("f.json")).records<RunRecord>().size() == 2);
}

TEST_CASE("run: progress is shown at a terminal only, and removed") {
  Session session;
  session.terminal = true;
  CHECK(session({"run", "mg", "--transport", "direct"}) == 0);
  CHECK(session.err.find("1/1  0:00  mg class S, 4 tasks, direct") != std::string::npos);
  CHECK(session.err.rfind("\r\033[K") == session.err.size() - 4);
  CHECK(session.out.find('\033') == std::string::npos);
}

TEST_CASE("run: warns of times far from the others") {
  Session session;
  session.behaviour = [](const RunSpec& spec) {
    return good_run(spec.transport, spec.repeat == 3 ? 9.0 : 1.0 + 0.01 * spec.repeat);
  };
  CHECK(session({"run", "mg", "--runs", "5", "--transport", "direct"}) == 0);
  CHECK(session.err.find("mg class S, 4 tasks, direct: 1 of 5 times lie far from the others") != std::string::npos);
}

TEST_CASE("run: a problem that does not fit into memory is exit 3, before anything runs") {
  const Kernel& ft = *find_kernel("ft");
  const Problem problem{.problem_class = 'F', .threads = 1, .variant = ""};
  REQUIRE(ft.memory_bytes(problem, 4) > (std::uint64_t{1} << 40));  // more than a machine for tests has
  Session session;
  CHECK(session({"run", "ft", "--class", "F"}) == 3);
  CHECK(session.seen.empty());
  CHECK(session.err.find("nasvm: no memory: ft class F with 4 tasks needs") == 0);
  CHECK(session.err_lines() == 1);
}

TEST_CASE("run: progress tells how long it has taken, and how long the rest will take by what is known") {
  Session session;
  session.terminal = true;
  session.behaviour = [&](const RunSpec& spec) {
    session.now += spec.transport == "daemon" ? std::chrono::seconds(40) : std::chrono::seconds(20);
    return good_run(spec.transport, 1.0);
  };
  CHECK(session({"run", "mg", "--runs", "2"}) == 0);
  CHECK(session.err.find(" 1/4  0:00  mg class S, 4 tasks, daemon") != std::string::npos);
  CHECK(session.err.find(" 2/4  0:40, 2:00 left  mg class S, 4 tasks, direct") != std::string::npos);
  CHECK(session.err.find(" 3/4  1:00, 1:00 left  mg class S, 4 tasks, direct") != std::string::npos);
  CHECK(session.err.find(" 4/4  1:20, 0:40 left  mg class S, 4 tasks, daemon") != std::string::npos);
}

TEST_CASE("run: a table that is wider than the terminal is broken into parts that fit") {
  Session session;
  session.out_columns = 80;
  CHECK(session({"run", "mg", "--runs", "2"}) == 0);
  std::istringstream lines(session.out);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(line.size() <= 80);
  }
  CHECK(session.out.find("Mop/s") != std::string::npos);
  CHECK(session.out.find("Idle time") != std::string::npos);
}

TEST_CASE("run: samples under other conditions are taken again, and left out of the figures") {
  Session session;
  int calls = 0;
  session.behaviour = [&](const RunSpec& spec) {
    const bool slow = spec.transport == "direct" && spec.repeat == 1;
    RunRecord run = good_run(spec.transport, slow ? 64.0 : 1.0);
    run.sampled.conditions = Conditions{slow ? 250.0 : 55.0, 12, 0, 0, 10};
    ++calls;
    return run;
  };
  const Folder folder;
  CHECK(session({"run", "mg", "--runs", "3", "--export-json", folder.file("f")}) == 0);
  CHECK(calls == 7);
  const auto runs = read_document(folder.file("f")).records<RunRecord>();
  REQUIRE(runs.size() == 7);
  CHECK(runs.back().repeat == 3);
  CHECK(std::ranges::count_if(runs, [](const RunRecord& run) { return run.sampled.changed; }) == 1);
  CHECK(session.out.find("64.0") == std::string::npos);
  CHECK(session.out.find(
            "Conditions: core to core 55 ns, memory 12.0 GB/s, stolen 0.0 % of a core, load by others 0.0; "
            "1 of 7 samples were under others and count only where there are no more.") != std::string::npos);
}

TEST_CASE("run: single runs under different conditions are not set apart, as neither is known to be the right one") {
  Session session;
  session.behaviour = [](const RunSpec& spec) {
    RunRecord run = good_run(spec.transport, 1.0);
    run.sampled.conditions = Conditions{spec.transport == "direct" ? 250.0 : 55.0, 12, 0, 0, 10};
    return run;
  };
  const Folder folder;
  CHECK(session({"run", "mg", "--transport", "daemon,direct", "--runs", "1", "--export-json", folder.file("f")}) ==
        0);
  for (const RunRecord& run : read_document(folder.file("f")).records<RunRecord>()) CHECK_FALSE(run.sampled.changed);
  CHECK_THAT(session.out, Catch::Contains("Conditions: ") && !Catch::Contains("were under others"));
  CHECK_THAT(session.out, Catch::Contains("\nThe samples that count were under different conditions: what differs "
                                          "between rows may come from that.\n"));
  session.out.clear();
  CHECK(session({"run", "mg", "--transport", "daemon,direct,shm", "--runs", "1"}) == 0);
  CHECK_THAT(session.out, Catch::Contains("\n1 of 3 samples that count were under other conditions than these: what "
                                          "differs between rows may come from that.\n"));

  session.behaviour = [](const RunSpec& spec) {
    RunRecord run = good_run(spec.transport, 1.0);
    run.sampled.conditions = Conditions{55.0, 12, 0, 0, 10};
    return run;
  };
  session.out.clear();
  CHECK(session({"run", "mg", "--transport", "daemon,direct", "--runs", "1"}) == 0);
  CHECK_THAT(session.out, Catch::Contains("Conditions: ") && !Catch::Contains("samples that count"));
}

TEST_CASE("run: a wrong result is never left out") {
  Session session;
  session.behaviour = [&](const RunSpec& spec) {
    RunRecord run = good_run(spec.transport, 1.0);
    run.verified = spec.repeat != 1;
    run.sampled.conditions = Conditions{spec.repeat == 1 ? 250.0 : 55.0, 12, 0, 0, 10};
    return run;
  };
  CHECK(session({"run", "mg", "--runs", "3", "--transport", "direct"}) == 1);
  CHECK(session.out.find("FAILED") != std::string::npos);
}

TEST_CASE("run: conditions that never come back are given up after half as many rounds as runs") {
  Session session;
  double core_to_core_ns = 1;
  session.behaviour = [&](const RunSpec& spec) {
    RunRecord run = good_run(spec.transport, 1.0);
    run.sampled.conditions = Conditions{core_to_core_ns *= 2, 12, 0, 0, 10};
    return run;
  };
  CHECK(session({"run", "mg", "--runs", "4", "--transport", "direct"}) == 0);
  CHECK(session.seen.size() == 6);
  CHECK(session.err.find("direct: 1 of 6 samples were taken under the same conditions, 4 were asked for; not tried "
                         "again") != std::string::npos);
}

TEST_CASE("run: samples are judged also where a run breaks off") {
  const Folder folder;
  Session session;
  session.behaviour = [&](const RunSpec& spec) {
    const std::size_t calls = session.seen.size();
    if (calls == 5) throw RunError("a task was killed");
    RunRecord run = good_run(spec.transport, 1.0);
    run.sampled.conditions = Conditions{calls == 2 ? 250.0 : 55.0, 12, 0, 0, 10};
    return run;
  };
  CHECK(session({"run", "mg", "--runs", "6", "--transport", "direct", "--export-json", folder.file("f")}) == 3);
  const auto runs = read_document(folder.file("f")).records<RunRecord>();
  REQUIRE(runs.size() == 4);
  for (std::size_t i = 0; i < runs.size(); ++i) CHECK(runs[i].sampled.changed == (i == 1));
  CHECK(session.out.find("1 of 4 samples were under others") != std::string::npos);
}

TEST_CASE("run: the last column of CSV says which samples are set apart, and nothing where none was measured") {
  Session session;
  session.behaviour = [](const RunSpec& spec) {
    RunRecord run = good_run(spec.transport, 1.0);
    run.sampled.conditions = Conditions{spec.repeat == 0 ? 250.0 : 55.0, 12, 0, 0, 10};
    return run;
  };
  CHECK(session({"run", "mg", "--runs", "3", "--transport", "direct", "--format", "csv"}) == 0);
  const std::vector<std::string> lines = test::lines_of_text(session.out);
  CHECK(lines.at(0).ends_with(",commit,conditions_changed"));
  CHECK(lines.at(1).ends_with(",true"));
  CHECK(lines.at(2).ends_with(",false"));
  Session unknown;
  CHECK(unknown({"run", "mg", "--transport", "direct", "--format", "csv"}) == 0);
  CHECK(test::lines_of_text(unknown.out).at(1).ends_with(","));
}

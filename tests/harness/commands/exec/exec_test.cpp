/// \file
/// `nasvm exec` without programs: what its options mean, exit statuses, tables. What it prints word for word is in
/// tests/harness/golden/exec.txt.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "../../fake_executor.hpp"
#include "harness/commands/exec/heat_map.hpp"
#include "harness/commands/exec/order.hpp"

using namespace nasvm;
using namespace nasvm::test;
using Catch::Matchers::Contains;

namespace {

ExecResult failing(const ExecSpec&, const ExecOptions&) { throw RunError("rank 0 exited with status 5"); }

/// Programs end well; what they were started with is in `seen`.
void keep_options(Session& session, ExecOptions& seen) {
  session.program_behaviour = [&seen](const ExecSpec& spec, const ExecOptions& options) {
    seen = options;
    return good_exec_result(spec, options);
  };
}

}  // namespace

TEST_CASE("exec: of one run the exit status is the program's, of several 3", "[exec]") {
  Session session;
  session.program_behaviour = failing;
  session.program_status = 5;
  CHECK(session({"exec", "--", "./a"}) == 5);
  CHECK(session({"exec", "--runs", "2", "--", "./a"}) == 3);
  CHECK(session({"exec", "--transport", "shm,direct", "--", "./a"}) == 3);
  session.program_status = 0;
  CHECK(session({"exec", "--", "./a"}) == 3);
}

TEST_CASE("exec: of several runs the error says which it was, and how many were not begun", "[exec]") {
  Session session;
  session.program_behaviour = [](const ExecSpec& spec, const ExecOptions& options) {
    if (spec.transport == "direct") throw RunError("rank 0 exited with status 5");
    return good_exec_result(spec, options);
  };
  CHECK(session({"exec", "--quiet", "--np", "2", "--transport", "shm,direct,daemon", "--", "./a"}) == 3);
  CHECK(session.err == "nasvm: a, 2 tasks, direct: rank 0 exited with status 5 (run 2 of 3; 1 not begun)\n");
  session.err.clear();
  CHECK(session({"exec", "--quiet", "--np", "2", "--transport", "direct", "--runs", "2", "--", "./a"}) == 3);
  CHECK(session.err == "nasvm: a, 2 tasks, direct: rank 0 exited with status 5 (run 1 of 2; 1 not begun)\n");
  session.err.clear();
  CHECK(session({"exec", "--quiet", "--np", "2", "--transport", "direct", "--", "./a"}) == 3);
  CHECK(session.err == "nasvm: rank 0 exited with status 5\n");
}

TEST_CASE("exec: words behind the program are its own, also those that look like options of exec", "[exec]") {
  Session session;
  ExecOptions seen;
  keep_options(session, seen);
  const std::vector<std::string> words{"--runs", "3", "-n", "5", "-x", "3", "--size", "--np=", "--help", "--", "-np"};
  for (const std::vector<std::string>& begin : {std::vector<std::string>{"exec", "--quiet", "-n", "2", "./a"},
                                                {"exec", "--np=2", "-x", "A=1", "--quiet", "--", "./a"}}) {
    std::vector<std::string> line = begin;
    line.insert(line.end(), words.begin(), words.end());
    CHECK(session(line) == 0);
    CHECK(seen.task_counts == std::vector<int>{2});
    CHECK(seen.runs == 1);
    CHECK(seen.program == "./a");
    CHECK(seen.arguments == words);
  }
  CHECK(session({"exec", "--runs", "2", "--np=", "./a"}) == 2);
  CHECK_THAT(session.err, Contains("--np: its value is empty"));
}

TEST_CASE("exec: the number of tasks may be given as to other launchers", "[exec]") {
  Session session;
  std::vector<int> seen;
  session.program_behaviour = [&](const ExecSpec& spec, const ExecOptions& options) {
    seen = options.task_counts;
    return good_exec_result(spec, options);
  };
  CHECK(session({"exec", "--quiet", "-np", "3", "./a"}) == 0);
  CHECK(seen == std::vector<int>{3});
  CHECK(session({"exec", "-np", "5", "--quiet", "--", "./a"}) == 0);
  CHECK(seen == std::vector<int>{5});
  CHECK(session({"exec", "-np=4", "--quiet", "./a"}) == 0);
  CHECK(seen == std::vector<int>{4});
}

TEST_CASE("exec: a function that takes long over one transport has its row for all", "[exec]") {
  Session session;
  session.program_behaviour = [](const ExecSpec& spec, const ExecOptions& options) {
    ExecResult result = good_exec_result(spec, options);
    result.calls.push_back({.function = "MPI_Barrier", .calls = 2, .time_s = spec.transport == "shm" ? 0 : 0.1});
    return result;
  };
  CHECK(session({"exec", "--np", "2", "--transport", "shm,direct", "--", "./a"}) == 0);
  const auto lines = lines_of_text(session.err);
  const auto rows_of = [&](const std::string& function) {
    return std::ranges::count_if(lines, [&](const std::string& line) { return line.find(function) != line.npos; });
  };
  CHECK(rows_of("MPI_Barrier") == 2);
  CHECK(rows_of("MPI_Comm_rank") == 0);
  CHECK_THAT(session.err, Contains("are left out"));
}

TEST_CASE("exec: a run without the line that was expected is not verified", "[exec]") {
  Session session;
  session.program_behaviour = [](const ExecSpec& spec, const ExecOptions& options) {
    ExecResult result = good_exec_result(spec, options);
    result.run.verified = options.expected == "^Success";
    return result;
  };
  CHECK(session({"exec", "--expect", "^Success", "--", "./a"}) == 0);
  CHECK(session({"exec", "--expect", "^Other", "--", "./a"}) == 1);
  CHECK_THAT(session.err, Contains("FAILED"));
  CHECK(session({"exec", "--expect", "(", "--", "./a"}) == 2);
}

TEST_CASE("exec: a run that is not verified is told of, also a warm-up and without a table", "[exec]") {
  Session session;
  session.program_behaviour = [](const ExecSpec& spec, const ExecOptions& options) {
    ExecResult result = good_exec_result(spec, options);
    result.run.verified = !spec.warmup;
    return result;
  };
  CHECK(session({"exec", "--quiet", "--np", "2", "--transport", "shm", "--warmup", "1", "--", "./a"}) == 1);
  CHECK(session.err ==
        "nasvm: a, 2 tasks, shm (warm-up): verification failed: no line of output has what --expect asks for\n");
}

TEST_CASE("exec: the table is as wide as what it goes to", "[exec]") {
  const Folder folder;
  const auto widest = [](const std::string& text) {
    std::size_t most = 0;
    for (const std::string& line : lines_of_text(text)) most = std::max(most, line.size());
    return most;
  };
  const auto widest_error = [&](std::size_t err_columns) {
    Session session;
    session.out_columns = 60;
    session.err_columns = err_columns;
    CHECK(session({"exec", "--", "./a"}) == 0);
    return widest(session.err);
  };
  CHECK(widest_error(0) > 80);
  CHECK(widest_error(80) <= 80);
  Session to_file;
  to_file.out_columns = 60;
  to_file.err_columns = 60;
  CHECK(to_file({"exec", "--table", folder.file("t"), "--", "./a"}) == 0);
  CHECK(widest(content(folder.file("t"))) == widest_error(0));
}

TEST_CASE("exec: the table goes to standard error, the program alone to standard output", "[exec]") {
  Session session;
  const Folder folder;
  CHECK(session({"exec", "--", "./a"}) == 0);
  CHECK(session.out.empty());
  CHECK_THAT(session.err, Contains("MPI_Send"));
  Session quiet;
  CHECK(quiet({"exec", "--table", folder.file("t"), "--", "./a"}) == 0);
  CHECK((quiet.out + quiet.err).empty());
  CHECK_THAT(content(folder.file("t")), Contains("MPI_Send"));
}

TEST_CASE("exec: a table of an earlier run stays when there is no new one", "[exec]") {
  Session session;
  const Folder folder;
  const std::string table = folder.write("t", "earlier");
  session.program_behaviour = failing;
  CHECK(session({"exec", "--table", table, "--", "./a"}) == 3);
  CHECK(content(table) == "earlier");
  CHECK(session({"exec", "--table", folder.file("new"), "--", "./a"}) == 3);
  CHECK_FALSE(std::filesystem::exists(folder.file("new")));
  CHECK_THAT(session.err, Contains("rank 0 exited"));
}

TEST_CASE("exec: nothing is exported to standard output, which is the program's", "[exec]") {
  Session session;
  const Folder folder;
  for (const char* option : {"--export-json", "--export-csv", "--export-markdown"}) {
    CHECK(session({"exec", option, "-", "--", "./a"}) == 2);
    CHECK_THAT(session.err, Contains("standard output is the program's"));
  }
  CHECK(session({"mpiexec", "-n", "2", "--export-json", "-", "./a"}) == 2);
}

TEST_CASE("exec: the table has a file of its own", "[exec]") {
  const Folder folder;
  const std::string file = folder.file("f");
  for (const std::vector<std::string>& two :
       {std::vector<std::string>{"--table", file, "--export-json", file},
        {"--table", file, "--export-csv", folder.file("./f")},
        {"--export-json", file, "--export-csv", folder.file("./f")},
        {"--table", "nasvm-no-such-file", "--export-json", "./nasvm-no-such-file"},
        {"--table", "-"}}) {
    Session session;
    std::vector<std::string> line{"exec"};
    line.insert(line.end(), two.begin(), two.end());
    line.insert(line.end(), {"--", "./a"});
    CHECK(session(line) == 2);
    CHECK(session.err_lines() == 1);
  }
}

TEST_CASE("exec: words in brackets reach the program as they are", "[exec]") {
  Session session;
  ExecOptions seen;
  keep_options(session, seen);
  const std::vector<std::string> words{"[parallel]", "[1,2]", "[]", "[", "a[0]", "x\x1fy"};
  std::vector<std::string> line{"mpiexec", "-n", "2", "./a"};
  line.insert(line.end(), words.begin(), words.end());
  CHECK(session(line) == 0);
  CHECK(seen.arguments == words);
  CHECK(session({"exec", "--expect", "[a-z]", "--", "./a"}) == 0);
  CHECK(seen.expected == "[a-z]");
  CHECK(session({"compare", "[a]"}) == 2);
  CHECK_THAT(session.err, Contains("[a]") && !Contains("\x1f"));
}

TEST_CASE("exec: variables are told with their values", "[exec]") {
  Session session;
  std::vector<std::string> variables;
  session.program_behaviour = [&](const ExecSpec& spec, const ExecOptions& options) {
    variables = options.variables;
    return good_exec_result(spec, options);
  };
  ::setenv("NASVM_TEST_VARIABLE", "here", 1);
  CHECK(session({"exec", "-x", "A=1\\,2,NASVM_TEST_VARIABLE,B=", "--", "./a"}) == 0);
  ::unsetenv("NASVM_TEST_VARIABLE");
  CHECK(variables == std::vector<std::string>{"A=1,2", "NASVM_TEST_VARIABLE=here", "B="});
  CHECK(session({"exec", "-x", "A=\\\\,B=\\n", "--", "./a"}) == 0);
  CHECK(variables == std::vector<std::string>{"A=\\", "B=\\n"});
}

TEST_CASE("exec: variables that are given with values, and tasks that are not bound, make other cases", "[exec]") {
  const Folder folder;
  const auto run_of = [&](const std::vector<std::string>& options) {
    std::vector<std::string> words{"exec", "--quiet", "--export-json", folder.file("f")};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", "./a", "-n", "5"});
    CHECK(Session()(words) == 0);
    return read_document(folder.file("f")).records<RunRecord>().at(0);
  };
  CHECK(run_of({}).parameters == NamedTexts{{"arguments", "-n 5"}});
  ::setenv("NASVM_TEST_VARIABLE", "here", 1);
  CHECK(run_of({"-x", "A=1\\,2,NASVM_TEST_VARIABLE,B=", "--bind", "none"}).parameters ==
        NamedTexts{{"arguments", "-n 5"}, {"environment", "A=1,2 B="}, {"bind", "none"}});
  ::unsetenv("NASVM_TEST_VARIABLE");
}

TEST_CASE("exec: what is not UTF-8 would reach the program changed, and is refused by its name", "[exec]") {
  Session session;
  const auto refuses = [&](const std::vector<std::string>& words, const std::string& expected) {
    session.err.clear();
    CHECK(session(words) == 2);
    CHECK_THAT(session.err, Contains(expected) && Contains("not UTF-8"));
    CHECK(session.err_lines() == 1);
  };
  refuses({"exec", "--", "./a", "right", "caf\xe9"}, "argument 2 of ./a: \"caf\xef\xbf\xbd\"");
  refuses({"mpiexec", "-n", "2", "./a", "caf\xe9"}, "argument 1 of ./a");
  refuses({"exec", "--", "./caf\xe9"}, "PROGRAM");
  refuses({"exec", "-x", "A=caf\xe9", "--", "./a"}, "-x: \"A=caf");
  refuses({"exec", "--expect", "caf\xe9", "--", "./a"}, "--expect");
  CHECK(session({"exec", "-x", "A=caf\xc3\xa9", "--", "./a", "caf\xc3\xa9", "\xf0\x9f\x98\x80"}) == 0);
}

TEST_CASE("exec: an order is the same after its journey", "[exec]") {
  abi::ProgramOrder order{.program = "/bin/a",
                          .arguments = {"b c", "", "d\n"},
                          .folder = "/somewhere",
                          .variables = {"E=f g"},
                          .streams = "socket",
                          .expected = "^h$",
                          .tags_output = true,
                          .times_calls = false,
                          .time = std::chrono::hours(1000),
                          .until = std::chrono::system_clock::time_point(std::chrono::milliseconds(9))};
  const abi::ProgramOrder back = program_order(order_text(order));
  CHECK(back.program == order.program);
  CHECK(back.arguments == order.arguments);
  CHECK(back.folder == order.folder);
  CHECK(back.variables == order.variables);
  CHECK(back.streams == order.streams);
  CHECK(back.expected == order.expected);
  CHECK(back.tags_output);
  CHECK_FALSE(back.times_calls);
  CHECK(back.time == order.time);
  CHECK(back.until == order.until);
  order.until = std::chrono::system_clock::time_point::max();  // of a kept machine
  CHECK(program_order(order_text(order)).until > std::chrono::system_clock::now() + std::chrono::hours(1000));
}

TEST_CASE("exec: what a program of tasks reports of itself is no report of the MPI library", "[exec]") {
  for (const char* text : {"r0", "", "5", "[]", "{}", R"({"verified": 1})"}) {
    CAPTURE(text);
    CHECK_FALSE(program_report(text).has_value());
  }
  TaskReport task;
  task.time_s = 2;
  const auto report = program_report(text_of_record(task));
  REQUIRE(report.has_value());
  CHECK(report->task.time_s == 2);
  CHECK(report->calls.empty());
}

TEST_CASE("exec: the heat map has a character for each pair, the darker the more", "[exec]") {
  RunRecord run;
  run.np = 3;
  run.comm.by_pair = {{0, 1, 800, 1}, {1, 2, 100, 1}, {2, 0, 401, 1}, {0, 0, 0, 0}};
  const Grid grid = heat_map_grid(run, "a");
  REQUIRE(grid.blocks.size() == 1);
  const auto& rows = grid.blocks[0].rows;
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].cells == std::vector<std::string>{"0", ".@."});
  CHECK(rows[1].cells == std::vector<std::string>{"1", "..-"});
  CHECK(rows[2].cells == std::vector<std::string>{"2", "*.."});
}

TEST_CASE("exec: ranks of a document that there are not are not on the heat map", "[exec]") {
  RunRecord run;
  run.np = 2;
  run.comm.by_pair = {{0, 50'000'000, 800, 1}, {2, 0, 800, 1}, {0, 1, 1, 1}};
  const auto rows = heat_map_grid(run, "a").blocks.at(0).rows;
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].cells == std::vector<std::string>{"0", ".@"});
  CHECK(rows[1].cells == std::vector<std::string>{"1", ".."});
}

TEST_CASE("exec: ranks that do not fit into the heat map are taken together", "[exec]") {
  RunRecord run;
  run.np = 130;  // three for each character
  run.comm.by_pair = {{129, 0, 5, 1}, {128, 1, 5, 1}, {0, 129, 1, 1}};
  const Grid grid = heat_map_grid(run, "a");
  const auto& rows = grid.blocks[0].rows;
  REQUIRE(rows.size() == 44);
  CHECK(rows[0].cells[0] == "0-2");
  CHECK(rows[43].cells[0] == "129");
  CHECK(rows[43].cells[1].front() == '@');
  CHECK(rows[42].cells[1].front() == '@');
  CHECK(rows[0].cells[1].back() == '-');
  CHECK_THAT(grid.notes.at(0), Contains("3 x 3 tasks"));
}

TEST_CASE("exec: what was asked for with other arguments is another case, and tables of both say which", "[exec]") {
  const Folder folder;
  for (const std::string size : {"10", "20"}) {
    Session session;
    CHECK(session({"exec", "--np", "2", "--transport", "shm", "--export-json", folder.file(size), "--", "./solver",
                   "--size", size}) == 0);
    CHECK(read_document(folder.file(size)).records<RunRecord>().at(0).parameters ==
          NamedTexts{{"arguments", "--size " + size}});
    CHECK_THAT(session.err, !Contains("--size"));
  }
  Session both;
  CHECK(both({"compare", folder.file("10"), folder.file("20")}) == 0);
  CHECK_THAT(both.out, Contains("Parameters") && Contains("arguments --size 10") && Contains("arguments --size 20"));
  CHECK(both({"regress", "--baseline", folder.file("10"), folder.file("20")}) == 2);
  CHECK_THAT(both.err, Contains("no case in common"));
}

TEST_CASE("exec: samples under other conditions are set apart, and none is taken again", "[exec]") {
  const Folder folder;
  Session session;
  session.program_behaviour = [](const ExecSpec& spec, const ExecOptions& options) {
    ExecResult result = good_exec_result(spec, options);
    const bool far = spec.transport == "shm" && spec.repeat == 1;
    result.run.sampled.conditions = Conditions{far ? 250.0 : 55.0, 12, 0, 0, 10};
    return result;
  };
  CHECK(session({"exec", "--transport", "shm,direct", "--runs", "3", "--export-json", folder.file("f"), "--",
                 "./a"}) == 0);
  const auto runs = read_document(folder.file("f")).records<RunRecord>();
  REQUIRE(runs.size() == 6);
  for (const RunRecord& run : runs) CHECK(run.sampled.changed == (run.transport == "shm" && run.repeat == 1));
  CHECK_THAT(session.err, Contains("1 of 6 samples were under others"));
}

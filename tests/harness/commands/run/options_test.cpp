#include "harness/kernel_runs/options.hpp"

#include <catch2/catch.hpp>

#include "../../fake_executor.hpp"
#include "harness/kernel_runs/options.hpp"
#include "harness/text.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using test::Session;

namespace {

RunOptions parsed(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "run");
  return test::options_of<RunOptions>(std::move(arguments), [](CommandLine& line, RunOptions& options) {
    add_run_options(line, options, test::format_names_of("run"));
  });
}

/// Expects exit status 2, one line on standard error that holds `words`, and no run.
void refuses(const std::vector<std::string>& arguments, const std::vector<std::string>& words) {
  Session session;
  const int status = session(arguments);
  CAPTURE(arguments, session.err);
  CHECK(status == 2);
  CHECK(session.err_lines() == 1);
  CHECK(session.err.rfind("nasvm: ", 0) == 0);
  CHECK(session.out.empty());
  CHECK(session.seen.empty());
  for (const std::string& word : words) {
    CAPTURE(word);
    CHECK(session.err.find(word) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("options: without any, all kernels of class S on 4 tasks over daemon and direct, once") {
  const RunOptions options = parsed({});
  CHECK(options.kernels.size() == kernels().size());
  CHECK(options.classes == std::vector<char>{'S'});
  CHECK(options.task_counts == std::vector<int>{4});
  CHECK(options.transports == std::vector<std::string>{"daemon", "direct"});
  CHECK(options.threads == 1);
  CHECK(options.runs == 1);
  CHECK(options.warmup == 0);
  CHECK(options.machine.launcher.empty());
  CHECK_FALSE(options.machine.copy);
  CHECK(options.parameters.empty());
  CHECK(options.output.format == "table");
}

TEST_CASE("options: everything can be said") {
  const RunOptions options = parsed({"ft",
                                     "ep",
                                     "ft",
                                     "--class",
                                     "a",
                                     "--np",
                                     "8",
                                     "--transport",
                                     "direct+daemon,auto",
                                     "--threads",
                                     "2",
                                     "--runs",
                                     "5",
                                     "--warmup",
                                     "1",
                                     "--hostfile",
                                     "h",
                                     "--timeout",
                                     "2.5",
                                     "--format",
                                     "npb",
                                     "--export-json",
                                     "j",
                                     "--export-csv",
                                     "c",
                                     "--export-markdown",
                                     "m"});
  REQUIRE(options.kernels.size() == 2);
  CHECK(options.kernels[0]->name == "ft");
  CHECK(options.kernels[1]->name == "ep");
  CHECK(options.classes == std::vector<char>{'A'});
  CHECK(options.task_counts == std::vector<int>{8});
  CHECK(options.transports == std::vector<std::string>{"direct+daemon", "auto"});
  CHECK(options.threads == 2);
  CHECK(options.runs == 5);
  CHECK(options.warmup == 1);
  CHECK(options.machine.hostfile == "h");
  CHECK(options.timeout_s == 2.5);
  CHECK(options.output.format == "npb");
  CHECK(options.output.export_json == "j");
  CHECK(options.output.export_csv == "c");
  CHECK(options.output.export_markdown == "m");
}

TEST_CASE("options: classes and numbers of tasks are lists, each value once") {
  const RunOptions options = parsed({"cg", "--class", "w,A,W", "--np", "8,1,8"});
  CHECK(options.classes == std::vector<char>{'W', 'A'});
  CHECK(options.task_counts == std::vector<int>{8, 1});
  refuses({"run", "cg", "--class", "A,"}, {"--class", "S, W, A"});
  refuses({"run", "is", "--class", "A,F"}, {"--class F", "kernel is"});
  refuses({"run", "cg", "--np", "2,0"}, {"--np 0", "1 to 4096"});
}

TEST_CASE("options: an export to standard output is printed, and nothing else is") {
  CHECK(parsed({"cg", "--export-json", "-"}).output.format == "json");
  CHECK(parsed({"cg", "--export-json", "-"}).output.export_json.empty());
  CHECK(parsed({"cg", "--export-csv=-", "--format", "csv"}).output.format == "csv");
  CHECK(parsed({"cg", "--export-markdown", "-", "--export-json", "j"}).output.export_json == "j");
  refuses({"run", "cg", "--export-json", "-", "--format", "csv"}, {"--export-json -", "--format csv"});
  refuses({"run", "cg", "--export-json", "-", "--export-csv", "-"}, {"two exports"});
}

TEST_CASE("options: a wrong name is answered with the one that was likely meant") {
  refuses({"run", "ft", "--clas", "A"}, {"--clas ", "did you mean --class?", "nasvm run --help"});
  refuses({"run", "ft", "--tarnsport=shm"}, {"did you mean --transport?"});
  refuses({"run", "ft", "-np", "4"}, {"did you mean --np?"});
  refuses({"peers", "--bn", "folder"}, {"--bn", "did you mean --bin?"});
  refuses({"rnu"}, {"'rnu'", "did you mean run?"});
  refuses({"run", "fft"}, {"'fft'", "did you mean ft?"});
  refuses({"run", "ft", "--transport", "dirct"}, {"did you mean direct?"});
  refuses({"run", "ft", "--transport", "direct:sndbuff=4k"}, {"did you mean sndbuf?"});
  refuses({"p2p", "--transport", "raw-tpc"}, {"did you mean raw-tcp?"});
  refuses({"p2p", "--collective", "alreduce"}, {"did you mean allreduce?"});
  refuses({"run", "ft", "--format", "tabel"}, {"did you mean table?"});
  refuses({"compare", "x.json", "--format", "markdwn"}, {"did you mean markdown?"});
  refuses({"run", "cg", "--variant", "mergd"}, {"did you mean merged?"});
  refuses({"run", "ft", "--launcher", "locla"}, {"did you mean local?"});
  refuses({"run", "ft", "--bind", "cores"}, {"did you mean core?"});
}

TEST_CASE("options: --variant takes a list, each name once, all of which every kernel must have") {
  using Names = std::vector<std::string>;
  CHECK(parsed({"cg"}).variants == Names{""});
  CHECK(parsed({"cg", "--variant", "classic,merged"}).variants == Names{"classic", "merged"});
  CHECK(parsed({"cg", "--variant", "merged,classic,merged"}).variants == Names{"merged", "classic"});
  CHECK(parsed({"ft", "--engine", "fftw"}).variants == Names{"fftw"});
  refuses({"run", "cg", "ft", "--variant", "classic,merged"}, {"--variant classic: kernel ft has"});
  refuses({"run", "cg", "--variant", "classic,"}, {"--variant : kernel cg has classic"});
  refuses({"run", "mg", "--variant", "paper,tuned", "--order", "token"}, {"--order", "--variant paper only"});
}

TEST_CASE("options: a parameter that a kernel declares is an option, kept where it is given") {
  CHECK(parsed({"ep", "--balance", "pilot"}).parameters == ParameterValues{{"balance", "pilot"}});
  CHECK(parsed({"ep", "--balance", "even"}).parameters == ParameterValues{{"balance", "even"}});
  CHECK(parsed({"mg", "--variant", "paper", "--order", "token"}).parameters == ParameterValues{{"order", "token"}});
}

TEST_CASE("options: a parameter of another kernel is refused with the kernel that has it") {
  refuses({"run", "ft", "--balance", "pilot"}, {"--balance", "kernel ft", "ep"});
  refuses({"run", "ep", "ft", "--balance", "even"}, {"--balance", "kernel ft", "ep"});
  refuses({"run", "mg", "--order", "plain"}, {"--order", "kernel mg", "--variant paper"});
}

TEST_CASE("options: options may stand before kernels, kernels may be joined by commas") {
  const RunOptions options = parsed({"--class", "W", "mg,cg", "is"});
  REQUIRE(options.kernels.size() == 3);
  CHECK(options.kernels[2]->name == "is");
}

TEST_CASE("options: what is not known is refused with what is") {
  refuses({"run", "fft"}, {"'fft'", joined(names_of(kernels())) + " and all"});
  refuses({"run", "ft", "--class", "Q"}, {"--class Q", "S, W, A"});
  refuses({"run", "ft", "--class", "AB"}, {"--class AB"});
  refuses({"run", "ft", "--class", ""}, {"--class"});
  refuses({"run", "ft", "--transport", "pigeon"}, {"pigeon", "daemon", "direct"});
  refuses({"run", "ft", "--transport", "direct+"}, {"daemon", "direct"});
  refuses({"run", "ft", "--transport", "direct,"}, {"daemon", "direct"});
  refuses({"run", "ft", "--transport", "direct,direct"}, {"twice", "--runs"});
  refuses({"run", "ft", "--variant", "magic"}, {"--variant magic", "ft"});
  refuses({"run", "ep", "--balance", "odd"}, {"--balance odd", "even, pilot"});
  refuses({"run", "ft", "--launcher", "rocket"}, {"known are local, ssh, mpirun, srun"});
  refuses({"run", "ft", "--host", "a", "--hostfile", "h"}, {"--hostfile and --host"});
  refuses({"run", "ft", "--vm", "--host", "a"}, {"--vm and --host", "nasvm vm add"});
  refuses({"run", "ft", "--vm", "a/b"}, {"a/b", "machine's name"});
  refuses({"run", "--vm", "ep"}, {"--vm ep", "a kernel", "--vm=NAME"});
  refuses({"run", "ft", "--format", "xml"}, {"table, json, csv, markdown, npb"});
  refuses({"info", "--format", "xml"}, {"text, json"});
  refuses({"compare", "x.json", "--format", "xml"}, {"table, json, csv, markdown, npb"});
  refuses({"dance"}, {"'dance'",
                      "run, compare, regress, p2p, mcast, io, hosts, vm, peers, roofline, exec, mpiexec, mpicc, "
                      "mpicxx, mpifort, reproduce, history, info"});
  refuses({}, {"no command",
               "run, compare, regress, p2p, mcast, io, hosts, vm, peers, roofline, exec, mpiexec, mpicc, "
               "mpicxx, mpifort, reproduce, history, info"});
  refuses({"run", "--nonsense"}, {"--nonsense", "nasvm run --help"});
}

TEST_CASE("options: an empty value is refused, not taken for an option left out") {
  refuses({"run", "ft", "--hostfile", ""}, {"--hostfile", "empty"});
  refuses({"run", "ft", "--export-json="}, {"--export-json", "empty"});
  refuses({"run", "--np=", "2"}, {"--np", "empty"});
  refuses({"run", "ft", "--vm="}, {"--vm", "empty"});
  refuses({"run", "--vm=", "ft"}, {"--vm", "empty"});
  refuses({"p2p", "--collective", ""}, {"--collective", "empty"});
  refuses({"p2p", "-m", ""}, {"--sizes", "empty"});
  refuses({"peers", "--bin", ""}, {"--bin", "empty"});
}

TEST_CASE("options: numbers out of range or not numbers are refused with the range") {
  for (const char* np : {"0", "-1", "four", "4.5", "1000000", "4097", "", "99999999999999999999", "4x"}) {
    refuses({"run", "ft", std::string("--np=") + np}, {"--np"});
  }
  refuses({"run", "ft", "--np", "0"}, {"1 to 4096"});
  refuses({"run", "ft", "--threads", "0"}, {"--threads 0", "from 1"});
  refuses({"run", "ft", "--runs", "0"}, {"--runs 0", "from 1"});
  refuses({"run", "ft", "--warmup", "-1"}, {"--warmup -1", "from 0"});
  refuses({"run", "ft", "--timeout", "0"}, {"--timeout 0"});
  refuses({"run", "ft", "--timeout", "nan"}, {"--timeout nan"});
  refuses({"regress", "--baseline", "a", "b", "--threshold", "-5"}, {"--threshold -5"});
  refuses({"regress", "--baseline", "a", "b", "--confidence", "100"}, {"--confidence 100"});
}

TEST_CASE("options: a missing argument is refused") {
  refuses({"compare"}, {"FILE", "nasvm compare --help"});
  refuses({"regress", "new.json"}, {"--baseline"});
  refuses({"regress", "--baseline", "old.json"}, {"--baseline", "to judge"});
  refuses({"run", "ft", "--np"}, {"--np"});
}

TEST_CASE("options: two exports cannot share a file") {
  refuses({"run", "ft", "--export-json", "f", "--export-csv", "f"}, {"two exports"});
}

TEST_CASE("options: every command explains itself with an example") {
  for (const std::string command : {"run", "compare", "regress", "p2p", "mcast", "hosts", "info"}) {
    Session session;
    CHECK(session({command, "--help"}) == 0);
    CHECK((session.out.find("Example:\n  nasvm " + command) != std::string::npos ||
           session.out.find("Examples:\n  nasvm " + command) != std::string::npos));
    CHECK(session.err.empty());
  }
  Session session;
  CHECK(session({"--help"}) == 0);
  CHECK(session.out.find("Exit status") != std::string::npos);
  CHECK(session({"--version"}) == 0);
}

TEST_CASE("options: help lists the tables' own names") {
  Session session;
  session({"run", "--help"});
  for (const Kernel& kernel : kernels()) CHECK(session.out.find(std::string(kernel.name)) != std::string::npos);
  for (const auto format : test::format_names_of("run")) {
    CHECK(session.out.find(std::string(format)) != std::string::npos);
  }
}

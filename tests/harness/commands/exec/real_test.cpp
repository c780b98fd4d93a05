/// \file
/// `nasvm exec` and `nasvm mpiexec` of programs that this test builds with Open MPI's compilers.

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <thread>

#include "../../fake_executor.hpp"
#include "support/process.hpp"
#include "support/skip.hpp"
#include "support/terminal.hpp"
#include "vm/process/pipe.hpp"
#include "vm/process/programs.hpp"

using namespace nasvm;
using namespace nasvm::test;
using Catch::Matchers::Contains;

namespace {

using Words = std::vector<std::string>;

const std::filesystem::path tree = NASVM_SOURCE_FOLDER;
const std::filesystem::path sources = tree / "tests/harness/commands/exec/programs";

/// A folder with the programs; empty names of those that cannot be built here.
struct Programs {
  Folder folder;
  std::string member = build("mpicc", "member.c", {});
  std::string ring = build("mpif90", "ring.f90", {});
  std::string example = build("mpicc", tree / "examples/pi.c", {});
  /// Looks for its MPI in Open MPI's folder alone.
  std::string bound = build("mpicc", "member.c", {"-Wl,-rpath,/usr/lib/x86_64-linux-gnu", "-Wl,--disable-new-dtags"});

 private:
  [[nodiscard]] std::string build(const std::string& compiler, const std::string& source, Words options) const {
    const std::string found = process::find_in_path(compiler);
    if (found.empty()) return {};
    const std::string program =
        folder.file(std::filesystem::path(source).filename().string() + std::to_string(options.size()));
    options.insert(options.end(), {"-o", program, (sources / source).string()});
    return run_process(found, options).exit_status == 0 ? program : "";
  }
};

const Programs& programs() {
  static const Programs built;
  return built;
}

/// Notes that the case is skipped where there is no compiler, or no library of ours.
bool can_run(const std::string& program) {
  if (program.empty()) skip("Open MPI's compilers are not installed");
  return !program.empty();
}

ProcessResult exec(Words options, const Words& words) {
  options.insert(options.begin(), "exec");
  options.emplace_back("--");
  options.insert(options.end(), words.begin(), words.end());
  return run_process(built_program("nasvm"), options);
}

ProcessResult exec_member(const Words& options, Words words) {
  words.insert(words.begin(), programs().member);
  return exec(options, words);
}

std::multiset<std::string> lines_in(const std::string& text) {
  const Words lines = lines_of_text(text);
  return {lines.begin(), lines.end()};
}

std::multiset<std::string> ring_lines(int tasks, int times) {
  std::multiset<std::string> lines;
  for (int i = 0; i < times * tasks; ++i) {
    lines.insert(fmt::format("rank {} of {}: sum {}", i % tasks, tasks, tasks * (tasks - 1) / 2));
  }
  return lines;
}

/// One line of complaint, and nothing else.
void check_complaint(const ProcessResult& result, int status, const std::string& words) {
  INFO(result.err);
  CHECK(result.exit_status == status);
  CHECK_THAT(result.err, Contains(words));
  CHECK(std::ranges::count(result.err, '\n') == 1);
}

const Words one_run{"--np", "2", "--quiet", "--transport", "shm"};

}  // namespace

TEST_CASE("exec runs a program over every transport with any number of tasks, and measures it", "[exec][heavy]") {
  if (!can_run(programs().member)) return;
  for (const int tasks : {1, 2, 4, 7}) {
    CAPTURE(tasks);
    const std::string document = programs().folder.file("measured.json");
    const ProcessResult result = exec_member({"--np", std::to_string(tasks), "--transport", "daemon,direct,shm,auto",
                                              "--by-rank", "--export-json", document},
                                             {"ring"});
    INFO(result.err);
    REQUIRE(result.exit_status == 0);
    CHECK(lines_in(result.out) == ring_lines(tasks, 4));
    const Document measured = read_document(document);
    const auto& runs = measured.records<RunRecord>();
    REQUIRE(runs.size() == 4);
    for (const RunRecord& run : runs) {
      CHECK(run.verified);
      CHECK(run.kernel == "member.c0");
      CHECK(run.comm.by_rank.size() == static_cast<std::size_t>(tasks));
      CHECK(run.comm.messages == runs.front().comm.messages);
      CHECK(run.comm.volume_bytes == runs.front().comm.volume_bytes);
      CHECK(run.comm.messages >= static_cast<std::uint64_t>(2 * (tasks - 1)));
      CHECK(run.comm.by_pair.empty() == (tasks == 1));
    }
    std::uint64_t sends = 0;
    for (const CallRecord& call : measured.records<CallRecord>()) {
      if (call.function == "MPI_Send") sends += call.calls;
    }
    CHECK(sends == static_cast<std::uint64_t>(4 * (tasks - 1)));
  }
  const std::string document = programs().folder.file("measured.json");
  const ProcessResult compared = run_process(built_program("nasvm"), {"compare", document});
  CHECK(compared.exit_status == 0);
  CHECK_THAT(compared.out, Contains("MPI_Bcast"));
}

TEST_CASE("exec runs a program in Fortran", "[exec]") {
  if (!can_run(programs().ring)) return;
  const ProcessResult result = exec({"--np", "3", "--quiet"}, {programs().ring});
  INFO(result.err);
  CHECK(result.exit_status == 0);
  CHECK(lines_in(result.out) == std::multiset<std::string>{"sum 3"});
}

TEST_CASE("exec has the exit status of a program that is run once", "[exec]") {
  if (!can_run(programs().member)) return;
  const auto status = [](const Words& words) { return exec_member(one_run, words).exit_status; };
  CHECK(status({"ring"}) == 0);
  CHECK(status({"fails", "5"}) == 5);
  CHECK(status({"abort", "7"}) == 7);
  CHECK(status({"abort", "263"}) == 7);
  CHECK(status({"abort", "256"}) == 1);
  CHECK(status({"killed"}) == 128 + SIGKILL);
  const ProcessResult several = exec_member({"--np", "2", "--quiet", "--runs", "2"}, {"fails", "5"});
  CHECK(several.exit_status == 3);
}

TEST_CASE("children that a program forks may end by exit, and nobody takes them for tasks", "[exec]") {
  if (!can_run(programs().member)) return;
  for (const char* status : {"0", "5"}) {
    const ProcessResult result = exec_member(one_run, {"forks", status});
    CHECK(result.exit_status == 0);
    CHECK(result.err.empty());
  }
}

TEST_CASE("exec says in a line what was wrong with a program", "[exec]") {
  if (!can_run(programs().member)) return;
  const std::string& folder = programs().folder.file("");
  check_complaint(exec(one_run, {"no-such-program-anywhere"}), 2, "no program no-such-program-anywhere");
  check_complaint(exec(one_run, {folder}), 2, "is no program that can be run");
  const ProcessResult stranger = exec(one_run, {"/bin/true"});
  check_complaint(stranger, 3, "exited with status 0; /bin/true has called neither MPI_Init");
  CHECK_THAT(stranger.err, !Contains("Task::"));
  check_complaint(exec_member(one_run, {"no-init", "0"}), 3, "MPI_Init");
  check_complaint(exec_member(one_run, {"forget", "0"}), 3, "without MPI_Finalize");
  check_complaint(exec_member(one_run, {"forget", "6"}), 6, "without MPI_Finalize");
  check_complaint(exec_member(one_run, {"leaves", "0"}), 3, "exited with status 0 without MPI_Finalize");
  check_complaint(exec_member(one_run, {"killed"}), 128 + SIGKILL, "killed by signal 9");
  if (can_run(programs().bound)) check_complaint(exec(one_run, {programs().bound}), 2, "RPATH");
}

TEST_CASE("exec refuses programs whose MPI cannot be replaced", "[exec]") {
  if (!can_run(programs().member)) return;
  const Folder& folder = programs().folder;
  const auto shell = [&](const std::string& command) {
    return run_process("/bin/sh", {"-c", "cd " + folder.file("") + " && " + command}).exit_status == 0;
  };
  const std::string source = folder.write("empty.c", "int MPI_Init(int*, char***) { return 0; }\n");
  (void)folder.write("main.c",
                     "int MPI_Init(int*, char***);\nint main(int c, char** v) { return MPI_Init(&c, &v); }\n");
  REQUIRE(shell(
      "cc -shared -fPIC -Wl,-soname,libmpi.so.12 -o libmpi12.so empty.c && cc -o for-mpich main.c ./libmpi12.so"));
  check_complaint(exec(one_run, {folder.file("for-mpich")}), 2, "is built for MPICH");
  REQUIRE(shell("cp " + programs().member + " of-another && chmod u+s of-another"));
  check_complaint(exec(one_run, {folder.file("of-another")}), 2, "runs as another user");
  if (shell("cc -static -o static main.c empty.c")) {
    check_complaint(exec(one_run, {folder.file("static")}), 2, "is a static program");
  } else {
    skip("static programs cannot be linked here");
  }
}

TEST_CASE("exec tells where each rank is when the time is up", "[exec]") {
  if (!can_run(programs().member)) return;
  const ProcessResult result =
      exec_member({"--np", "4", "--quiet", "--transport", "shm", "--timeout", "3"}, {"wait"});
  check_complaint(result, 3, "time-out of 3 s");
  CHECK_THAT(result.err, Contains("rank 0 waits in MPI_Recv for rank 1; rank 1 waits in MPI_Recv for rank 0; "
                                  "rank 2 computes; rank 3 waits in MPI_Barrier for rank"));
}

TEST_CASE("exec: a run that ends by itself after its time is over was too late", "[exec]") {
  if (!can_run(programs().member)) return;
  // Ranks are in usleep beyond that, however long they take.
  check_complaint(exec_member({"--np", "2", "--quiet", "--transport", "shm", "--timeout", "0.5"}, {"late"}), 3,
                  "time-out of 0.5 s");
}

TEST_CASE("exec measures what a program marks", "[exec]") {
  if (!can_run(programs().member)) return;
  const std::string document = programs().folder.file("regions.json");
  const ProcessResult result =
      exec_member({"--np", "2", "--quiet", "--transport", "shm", "--export-json", document}, {"regions"});
  INFO(result.err);
  REQUIRE(result.exit_status == 0);
  const Document measured = read_document(document);
  REQUIRE(measured.records<RunRecord>().size() == 1);
  CHECK(measured.records<RunRecord>()[0].comm.volume_bytes == 16 + 64);
  CHECK(measured.records<RunRecord>()[0].comm.messages == 2);
}

TEST_CASE("exec gives rank 0 its input, the others none", "[exec]") {
  if (!can_run(programs().member)) return;
  const std::string input = programs().folder.write("input", "one\ntwo\n");
  const ProcessResult result = run_process("/bin/sh", {"-c", R"(exec "$0" exec --np 3 --quiet -- "$1" input <"$2")",
                                                       built_program("nasvm"), programs().member, input});
  INFO(result.err);
  CHECK(result.exit_status == 0);
  CHECK(lines_in(result.out) == std::multiset<std::string>{"read one", "read two", "rank 0 has read 2 lines",
                                                           "rank 1 has read 0 lines", "rank 2 has read 0 lines"});
}

TEST_CASE("exec gives each run its input from the beginning, from a file and from a pipe", "[exec]") {
  if (!can_run(programs().member)) return;
  const std::string input = programs().folder.write("input", "before\none\n");
  const std::multiset<std::string> expected{"read one",
                                            "read one",
                                            "read one",
                                            "read one",
                                            "rank 0 has read 1 lines",
                                            "rank 0 has read 1 lines",
                                            "rank 0 has read 1 lines",
                                            "rank 0 has read 1 lines"};
  const std::string run = R"("$0" exec --np 1 --quiet --transport shm,direct --warmup 1 "$1" input)";
  for (const std::string& command : {"(read -r before; " + run + ") <\"$2\"", "echo one | " + run}) {
    CAPTURE(command);
    const ProcessResult result =
        run_process("/bin/sh", {"-c", command, built_program("nasvm"), programs().member, input});
    INFO(result.err);
    CHECK(result.exit_status == 0);
    CHECK(lines_in(result.out) == expected);
  }
}

TEST_CASE("exec waits for no end of input that no program reads", "[exec]") {
  if (!can_run(programs().member)) return;
  const process::Pipe open;  // its writing end stays with this process
  const ProcessResult result =
      run_process("/bin/sh", {"-c", R"(exec "$0" exec --np 2 --quiet --runs 2 "$1" <"$2")", built_program("nasvm"),
                              programs().member, fmt::format("/proc/{}/fd/{}", ::getpid(), open.read.get())});
  INFO(result.err);
  CHECK(result.exit_status == 0);
  CHECK(lines_in(result.out) == ring_lines(2, 2));
}

TEST_CASE("in the background a program leaves the terminal to the shell, in the foreground it has it", "[exec]") {
  if (!can_run(programs().member)) return;
  Terminal terminal;
  const std::string nasvm = built_program("nasvm"), member = programs().member;
  const pid_t shell = terminal.lead([&] {
    ::dup2(STDIN_FILENO, STDOUT_FILENO);
    ::dup2(STDIN_FILENO, STDERR_FILENO);
    ::execl("/bin/sh", "sh", "-c",
            R"(set -m; "$0" mpiexec -n 2 "$1" input & read -r line; echo "the shell has $line"; fg)", nasvm.c_str(),
            member.c_str(), nullptr);
    return 127;
  });
  terminal.type("one\n");
  CHECK(terminal.shows("the shell has one"));
  terminal.type("two\n\004");
  CHECK(terminal.shows("read two"));
  CHECK(terminal.shows("rank 0 has read 1 lines"));
  CHECK(exit_status_of(shell) == 0);
}

TEST_CASE("on a terminal a prompt appears before it is answered", "[exec]") {
  if (!can_run(programs().member)) return;
  Terminal terminal;
  const std::string nasvm = built_program("nasvm"), member = programs().member;
  const pid_t process = terminal.lead([&] {
    ::dup2(STDIN_FILENO, STDOUT_FILENO);
    ::dup2(STDIN_FILENO, STDERR_FILENO);
    ::execl(nasvm.c_str(), "nasvm", "mpiexec", "-n", "2", member.c_str(), "prompt", nullptr);
    return 127;
  });
  CHECK(terminal.shows("Enter n: "));
  terminal.type("5\n");
  CHECK(terminal.shows("rank 0 has 5"));
  CHECK(terminal.shows("rank 1 has 5"));
  CHECK(exit_status_of(process) == 0);
}

TEST_CASE("exec changes no byte of a task's output", "[exec]") {
  if (!can_run(programs().member)) return;
  std::string expected;
  for (int i = 0; i < 256'000; ++i) expected += static_cast<char>(i % 251);
  const ProcessResult result = exec_member({"--np", "1", "--quiet"}, {"bytes"});
  INFO(result.err);
  CHECK(result.exit_status == 0);
  CHECK(result.out.size() == expected.size());
  CHECK((result.out == expected));  // not to be printed
}

TEST_CASE("exec: a line without an end is a task's own, and ends with its run", "[exec]") {
  if (!can_run(programs().member)) return;
  const auto output = [](Words options) {
    const Words two_runs{"--np", "1", "--quiet", "--transport", "shm", "--runs", "2"};
    options.insert(options.end(), two_runs.begin(), two_runs.end());
    return exec_member(options, {"half"}).out;
  };
  CHECK(output({}) == "halfhalf");
  CHECK(output({"--tag-output"}) == "[0] half[0] half");
}

TEST_CASE("exec: on a terminal our own words and other runs do not go on in a program's line", "[exec]") {
  if (!can_run(programs().member)) return;
  const std::string nasvm = built_program("nasvm"), member = programs().member;
  const auto shows = [&](const std::vector<const char*>& options, const std::string& words) {
    Terminal terminal;
    const pid_t process = terminal.lead([&] {
      ::dup2(STDIN_FILENO, STDOUT_FILENO);
      ::dup2(STDIN_FILENO, STDERR_FILENO);
      std::vector<const char*> line{"nasvm", "exec", "--np", "1", "--transport", "shm"};
      line.insert(line.end(), options.begin(), options.end());
      line.insert(line.end(), {"--", member.c_str(), "half", nullptr});
      ::execv(nasvm.c_str(), const_cast<char**>(line.data()));
      return 127;
    });
    CHECK(terminal.shows(words));
    return exit_status_of(process);
  };
  CHECK(shows({"--quiet", "--runs", "2"}, "half\r\nhalf") == 0);
  CHECK(shows({"--quiet", "--expect", "more"}, "half\r\nnasvm: member.c0, 1 task") == 1);
}

TEST_CASE("exec runs a program where files may not grow", "[exec]") {
  if (!can_run(programs().member)) return;
  const ProcessResult result = run_process("/bin/sh", {"-c", R"(ulimit -f 0; exec "$0" exec --np 2 --quiet -- "$1")",
                                                       built_program("nasvm"), programs().member});
  INFO(result.err);
  CHECK(result.exit_status == 0);
  CHECK(lines_in(result.out) == ring_lines(2, 1));
}

TEST_CASE("exec runs a program in the folder that is named", "[exec]") {
  if (!can_run(programs().member)) return;
  const Folder folder;
  const std::string there = std::filesystem::canonical(folder.file("")).string();
  const ProcessResult result = exec_member({"--np", "2", "--quiet", "--folder", there}, {"folder"});
  INFO(result.err);
  CHECK(result.exit_status == 0);
  CHECK(lines_in(result.out) == std::multiset<std::string>{there, there});
}

TEST_CASE("exec keeps lines whole, and can name who has written them", "[exec]") {
  if (!can_run(programs().member)) return;
  const ProcessResult result = exec_member({"--np", "3", "--quiet", "--tag-output"}, {"pieces"});
  CHECK(result.exit_status == 0);
  std::multiset<std::string> expected;
  for (int i = 0; i < 600; ++i) expected.insert(fmt::format("[{0}] a{0}b{0}c{0}", i % 3));
  CHECK(lines_in(result.out) == expected);
}

TEST_CASE("exec passes the environment on", "[exec]") {
  if (!can_run(programs().member)) return;
  const ProcessResult result =
      exec_member({"--np", "2", "--quiet", "-x", "WEATHER=fine\\, dry"}, {"environment", "WEATHER"});
  INFO(result.err);
  CHECK(lines_in(result.out) == std::multiset<std::string>{"0/0/2 WEATHER=fine, dry", "1/1/2 WEATHER=fine, dry"});
}

TEST_CASE("exec leaves tasks unbound where that is asked for", "[exec]") {
  if (!can_run(programs().member)) return;
  if (std::thread::hardware_concurrency() < 2) return skip("there are not two cores");
  // Bound they are only where nobody else runs, which no test can see to.
  CHECK(lines_in(exec_member({"--np", "2", "--quiet", "--bind", "none"}, {"cores"}).out) ==
        std::multiset<std::string>{"several cores", "several cores"});
}

TEST_CASE("exec: a run is verified when its output has what was expected", "[exec]") {
  if (!can_run(programs().member)) return;
  const auto status = [](const std::string& expression) {
    return exec_member({"--np", "2", "--quiet", "--expect", expression}, {"ring"}).exit_status;
  };
  CHECK(status("rank 1 of [0-9]: sum 1$") == 0);
  CHECK(status("sum 2$") == 1);
}

TEST_CASE("exec: output that cannot be written ends the run", "[exec]") {
  if (!can_run(programs().member)) return;
  const auto shell = [](const std::string& command) {
    return run_process("/bin/bash", {"-c", "set -o pipefail; " + command, built_program("nasvm"), programs().member});
  };
  const ProcessResult full = shell(R"("$0" exec --np 2 --quiet -- "$1" flood >/dev/full)");
  check_complaint(full, 3, "cannot be written: No space left on device");
  const ProcessResult closed = shell(R"("$0" exec --np 2 --quiet -- "$1" flood | head -n 1 >/dev/null)");
  check_complaint(closed, 3, "cannot be written: Broken pipe");
}

TEST_CASE("exec passes SIGUSR1 on, and leaves nothing behind when it is interrupted", "[exec]") {
  if (!can_run(programs().member)) return;
  const std::string output = programs().folder.file("output");
  const int descriptor = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(descriptor, STDOUT_FILENO);
    const std::string nasvm = built_program("nasvm");
    ::execl(nasvm.c_str(), "nasvm", "exec", "--np", "2", "--quiet", "--", programs().member.c_str(), "signal",
            nullptr);
    ::_exit(127);
  }
  ::close(descriptor);
  const auto says = [&](const std::string& words) {
    return eventually([&] { return content(output).find(words) != std::string::npos; });
  };
  REQUIRE(says("ready"));
  ::kill(child, SIGUSR1);
  CHECK(says("rank 0 has heard signal 10"));
  CHECK(says("rank 1 has heard signal 10"));
  int wait_status = -1;
  ::waitpid(child, &wait_status, 0);
  CHECK(wait_status == 0);
}

TEST_CASE("exec: nothing is left behind when a run is interrupted", "[exec]") {
  if (!can_run(programs().member)) return;
  const std::string errors = programs().folder.file("errors");
  const std::string document = programs().folder.file("interrupted.json");
  const pid_t child = start_process_quietly(
      "/bin/sh", {"-c", R"(exec "$0" exec --np 3 --quiet --export-json "$2" -- "$1" wait 2>"$3")",
                  built_program("nasvm"), programs().member, document, errors});
  // The daemon, three tasks, three programs.
  REQUIRE(eventually([&] { return descendants(child).size() >= 7; }));
  const std::vector<pid_t> all = descendants(child);
  ::kill(child, SIGTERM);
  int wait_status = -1;
  ::waitpid(child, &wait_status, 0);
  CHECK(WIFSIGNALED(wait_status));
  CHECK(WTERMSIG(wait_status) == SIGTERM);
  CHECK_THAT(content(errors), Contains("nasvm: interrupted by SIGTERM\n"));
  CHECK_FALSE(std::filesystem::exists(document));
  CHECK(eventually([&] { return std::ranges::none_of(all, is_running); }));
}

TEST_CASE("the example runs", "[exec]") {
  if (!can_run(programs().example)) return;
  const ProcessResult result = exec({"--np", "3", "--quiet"}, {programs().example, "100000"});
  INFO(result.err);
  CHECK(result.exit_status == 0);
  CHECK(result.out == "pi is about 3.141592654\n");
}

TEST_CASE("exec runs a program that becomes a task by do_nio and knows nothing of MPI", "[exec]") {
  const Folder folder;
  const std::string program = built_program("tests/nasvm-files-elements");
  const std::string file = folder.file("elements.bin"), document = folder.file("document.json");
  const ProcessResult alone = run_process(program, {file});
  CHECK(alone.exit_status == 0);
  CHECK(alone.out == "task 0 of 1 has read 1000 elements\n");
  const ProcessResult result =
      exec({"--np", "3", "--transport", "shm", "--by-rank", "--export-json", document}, {program, file});
  INFO(result.err);
  REQUIRE(result.exit_status == 0);
  std::multiset<std::string> expected;
  for (int i = 0; i < 3; ++i) expected.insert(fmt::format("task {} of 3 has read 1000 elements", i));
  CHECK(lines_in(result.out) == expected);
  CHECK(std::filesystem::file_size(file) == 32'000);
  const auto runs = read_document(document).records<RunRecord>();
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].verified);
  CHECK(runs[0].time_s > 0);
  CHECK(runs[0].comm.by_rank.empty());
  const ProcessResult failed = exec(one_run, {program, folder.file("none/elements.bin")});
  CHECK(failed.exit_status == 3);
  CHECK_THAT(failed.err, Contains("No such file or directory"));
}

TEST_CASE("mpiexec runs a program as other launchers do", "[exec]") {
  if (!can_run(programs().member)) return;
  const auto mpiexec = [](Words words) {
    words.insert(words.begin(), "mpiexec");
    return run_process(built_program("nasvm"), words);
  };
  const ProcessResult ring = mpiexec({"-n", "3", "--oversubscribe", programs().member, "ring"});
  CHECK(ring.exit_status == 0);
  CHECK(ring.err.empty());
  CHECK(lines_in(ring.out) == ring_lines(3, 1));
  CHECK(mpiexec({"-n", "2", programs().member, "abort", "9"}).exit_status == 9);
}

#include "vm/launch/launcher.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "support/environment_variable.hpp"
#include "support/process.hpp"
#include "support/skip.hpp"
#include "support/task_bodies.hpp"
#include "vm/launch/machine.hpp"
#include "vm/net/interfaces.hpp"
#include "vm/net/timer.hpp"
#include "vm/process/programs.hpp"
#include "vm/process/start.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using namespace nasvm::test;
using Catch::Contains;
using Catch::VectorContains;

namespace {

/// Starts daemons as `local` does, and counts them.
class ToyLauncher final : public Launcher {
 public:
  void check(const HostSpec& host) override {
    if (host.name == "forbidden") throw UsageError("host forbidden is not for toys");
  }
  Started start(std::span<const HostSpec>, const std::string& bootstrap, int) override {
    ++started;
    return {process::start({.program = daemon_program(), .input = bootstrap, .output = STDERR_FILENO}), {}, true};
  }
  static inline int started = 0;
};

std::unique_ptr<Launcher> make_toy(const LauncherOptions&) { return std::make_unique<ToyLauncher>(); }

/// A folder with programs that stand in for others, and one for temporary files.
class StandIns {
 public:
  StandIns() : folder_(::mkdtemp(name_)), temporary_files_("TMPDIR", temporary()) {
    std::filesystem::create_directory(temporary());
  }
  StandIns(const StandIns&) = delete;
  StandIns& operator=(const StandIns&) = delete;
  ~StandIns() { std::filesystem::remove_all(folder_); }
  /// Path of a shell script.
  std::string script(const std::string& name, const std::string& text) {
    const auto path = folder_ / name;
    std::ofstream(path) << "#!/bin/sh\n" << text << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
  [[nodiscard]] std::filesystem::path folder() const { return folder_; }
  [[nodiscard]] std::filesystem::path temporary() const { return folder_ / "tmp"; }

 private:
  char name_[40] = "/tmp/nasvm-launcher-test-XXXXXX";
  std::filesystem::path folder_;
  EnvironmentVariable temporary_files_;
};

/// The programs of that folder are found before others.
EnvironmentVariable path_with(const StandIns& files) {
  return {"PATH", files.folder().string() + ":" + variable("PATH")};
}

/// A remote shell to any host, which is this one: HOST COMMAND.
constexpr const char* shell_to_here = "shift; eval \"$*\"";

/// Hosts that this computer does not know by name.
std::vector<HostSpec> far_hosts() {
  return {{.name = "far1", .address = {}, .slots = 2}, {.name = "far2", .address = {}, .slots = 2}};
}

Machine::Options over(const std::string& launcher, const std::string& rsh = "", bool copy = false) {
  return {.hosts = far_hosts(), .launcher = launcher, .rsh = rsh, .copy = copy, .interface = "lo"};
}

/// The table with one more row.
std::vector<LauncherRow> with_toy() {
  std::vector<LauncherRow> rows(launchers().begin(), launchers().end());
  rows.push_back({"toy", "starts daemons for a test", make_toy});
  return rows;
}

/// Where several start at once, or on a loaded computer, mpirun itself crashes or gives up now and then (status 139
/// or 213, one start of a dozen, sixteen in a row within two seconds have been seen): that is Open MPI's, and says
/// nothing about the launcher.
void start_by_mpirun(std::optional<Machine>& machine, const Machine::Options& options) {
  for (int attempts = 16; attempts > 0 && !machine.has_value(); --attempts) {
    try {
      machine.emplace(options);
    } catch (const Error& error) {
      if (attempts == 1 || std::string_view(error.what()).find("mpirun exited with") == std::string_view::npos) throw;
    }
    // Crashes come in series: what causes them outside takes a second or two to pass.
    if (!machine.has_value()) std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
}

}  // namespace

TEST_CASE("every launcher of the table can be made by its name", "[launcher]") {
  StandIns files;
  for (const char* program : {"mpirun", "srun", "ssh"}) files.script(program, "exit 0");
  const EnvironmentVariable path = path_with(files);
  for (const LauncherRow& row : launchers()) {
    CAPTURE(row.name);
    CHECK(make_launcher(row.name) != nullptr);
    CHECK_FALSE(row.description.empty());
  }
}

TEST_CASE("an unknown launcher is refused with those that are known", "[launcher]") {
  CHECK_THROWS_WITH(make_launcher("pigeon"), Contains("\"pigeon\"") && Contains("local") && !Contains("toy"));
  CHECK_THROWS_WITH(make_launcher("pigeon", with_toy()), Contains("srun, toy"));
}

TEST_CASE("a launcher is one more row of the table that a machine is given", "[launcher]") {
  const auto rows = with_toy();
  ToyLauncher::started = 0;
  Machine machine({two_hosts(1), "toy", rows});
  CHECK(ToyLauncher::started == 2);
  CHECK(machine.hosts().size() == 2);
  CHECK(machine.run(program_of("report rank", 2, "direct")).size() == 2);
}

TEST_CASE("a launcher is asked about every host before any daemon is started", "[launcher]") {
  const auto rows = with_toy();
  ToyLauncher::started = 0;
  CHECK_THROWS_WITH(Machine({{{"127.0.0.1", "127.0.0.1", 1}, {"forbidden", "127.0.0.2", 1}}, "toy", rows}),
                    Contains("not for toys"));
  CHECK(ToyLauncher::started == 0);
}

TEST_CASE("launcher ssh starts daemons over a remote shell", "[launcher]") {
  StandIns files;
  Machine machine(over("ssh", files.script("shell", shell_to_here)));
  REQUIRE(machine.hosts().size() == 2);
  CHECK(machine.hosts()[1].name == loopback_host().front().name);  // as it names itself
  CHECK(machine.hosts()[1].address == "127.0.0.1");
  for (const char* transport : {"daemon", "direct"}) {
    CHECK(machine.run(program_of("report rank", 4, transport)).size() == 4);
  }
}

TEST_CASE("a remote shell has options, and the environment may name it", "[launcher]") {
  StandIns files;
  const std::string shell = files.script("shell", "test \"$1\" = -x || exit 9; shift; " + std::string(shell_to_here));
  CHECK(Machine(over("ssh", shell + " -x")).hosts().size() == 2);
  const EnvironmentVariable rsh("NASVM_RSH", shell + " -x");
  CHECK(Machine(over("ssh")).hosts().size() == 2);
}

TEST_CASE("a remote shell has a session of its own, so that the terminal's signals are for the console",
          "[launcher]") {
  StandIns files;
  const std::string shell = files.script("shell", R"sh(session_of() {
  read -r status < "/proc/$1/stat"
  set -- ${status##*) }
  echo "$4"
}
test "$(session_of $$)" = $$ || exit 9
)sh" + std::string(shell_to_here));
  CHECK(Machine(over("ssh", shell)).hosts().size() == 2);
}

TEST_CASE("programs are copied for one machine's life", "[launcher]") {
  StandIns files;
  {
    Machine machine(over("ssh", files.script("shell", shell_to_here), true));
    CHECK(machine.run(program_of("report rank", 3, "auto")).size() == 3);
    CHECK(std::distance(std::filesystem::directory_iterator(files.temporary()), {}) == 2);
  }
  CHECK(std::filesystem::is_empty(files.temporary()));
}

TEST_CASE("with the programs all libraries are copied that they look for beside themselves", "[launcher]") {
  namespace fs = std::filesystem;
  StandIns files;
  // A build folder with kernels for several processors, whatever this one has.
  const fs::path built = fs::path(built_program("nasvm")).parent_path();
  fs::copy_file(built / "nasvm", files.folder() / "nasvm");
  for (const auto& entry : fs::directory_iterator(built)) {
    const std::string name = entry.path().filename();
    if (name == "nasvmd" || name.starts_with("libnasvm")) fs::create_symlink(entry.path(), files.folder() / name);
  }
  const std::vector<std::string> libraries{"glibc-hwcaps/x86-64-v3/kernels", "mpi/openmpi/libmpi.so.40",
                                           "mpi/openmpi/libmpi_mpifh.so.40", "mpi/standard/libmpi_abi.so.1",
                                           "mpi/standard/libmpi_abi.so.0"};
  for (const std::string& library : libraries) {
    fs::create_directories((files.folder() / library).parent_path());
    std::ofstream(files.folder() / library) << "a library\n";
  }
  const fs::path list = files.folder() / "list";
  const std::string shell = files.script("shell", "read -r line; tar -tzf - > " + list.string() + "; exit 9");
  const ProcessResult result =
      run_process(files.folder() / "nasvm", {"hosts", "--host", "no-such-host.invalid", "--launcher", "ssh", "--rsh",
                                             shell, "--copy", "--interface", "lo"});
  CHECK_THAT(result.err, Contains("shell exited with status 9"));
  std::ifstream file(list);
  const std::vector<std::string> copied{std::istream_iterator<std::string>(file), {}};
  CHECK_THAT(copied, VectorContains(std::string("nasvm")) && VectorContains(std::string("nasvmd")));
  for (const std::string& library : libraries) CHECK_THAT(copied, VectorContains(library));
}

TEST_CASE("a host that cannot be reached is named, with what the remote shell says", "[launcher]") {
  StandIns files;
  const std::string shell =
      files.script("shell", "test $1 = far1 || { echo \"connect to $1: no route\" >&2; exit 255; }; " +
                                std::string(shell_to_here));
  CHECK_THROWS_WITH(Machine(over("ssh", shell)),
                    Contains("host far2: shell exited with status 255") && Contains("connect to far2: no route"));
}

TEST_CASE("what a script around the remote shell has started ends where another host fails", "[launcher]") {
  StandIns files;
  const std::string list = files.folder() / "list";
  const std::string shell =
      files.script("shell", "test $1 = far1 || { until test -s " + list +
                                "; do sleep 0.01; done; exit 9; }; sleep 1000 & echo $! > " + list + "; wait");
  CHECK_THROWS_WITH(Machine(over("ssh", shell)), Contains("host far2: shell exited with status 9"));
  pid_t started = 0;
  REQUIRE(std::ifstream(list) >> started);
  CHECK(eventually([&] { return !is_running(started); }));
}

TEST_CASE("a daemon of another version is refused, and both are named", "[launcher]") {
  StandIns files;
  const std::string shell =
      files.script("shell", "shift; sed 's/\"version\":\"[^\"]*\"/\"version\":\"0.0.9 (old)\"/' | eval \"$*\"");
  try {
    Machine machine(over("ssh", shell));
    FAIL("nobody has refused");
  } catch (const Error& error) {
    CHECK(error.exit_status() == Exit::usage);
    CHECK_THAT(error.what(), Contains("0.0.9 (old)") && Contains("nasvmd ") && Contains("host far"));
  }
}

TEST_CASE("of what a remote shell says without end only so much is kept as a line has room for", "[launcher]") {
  StandIns files;
  const std::string shell = files.script("shell", "head -c 3000000 /dev/zero | tr '\\0' x >&2; exit 7");
  try {
    Machine machine(over("ssh", shell));
    FAIL("it has started nothing");
  } catch (const Error& error) {
    CHECK(error.exit_status() == Exit::broken);
    CHECK_THAT(error.what(), Contains("exited with status 7"));
    CHECK(std::string(error.what()).size() < 1500);
  }
}

TEST_CASE("where nothing can be copied to, the reason is the host's", "[launcher]") {
  StandIns files;
  ::setenv("TMPDIR", (files.folder() / "none").c_str(), 1);
  CHECK_THROWS_WITH(Machine(over("ssh", files.script("shell", shell_to_here), true)),
                    Contains("none/nasvm-copy") && Contains("No such file"));
}

TEST_CASE("programs that copying needs here and that are not there are named before anything starts", "[launcher]") {
  StandIns files;
  const std::string shell = files.script("shell", shell_to_here);
  const EnvironmentVariable path("PATH", files.folder().string());
  CHECK_THROWS_WITH(Machine(over("ssh", shell, true)), Contains("--copy needs tar"));
  files.script("tar", "exit 0");
  CHECK_THROWS_WITH(Machine(over("ssh", shell, true)), Contains("--copy needs gzip"));
}

TEST_CASE("an interface that other computers cannot reach is refused at once", "[launcher]") {
  const auto options = [](const char* interface) {
    return Machine::Options{
        .hosts = {{"far", "192.0.2.7"}}, .launcher = "ssh", .rsh = "true", .interface = interface};
  };
  CHECK_THROWS_WITH(Machine(options("lo")), Contains("--interface lo") && Contains("host far"));
}

TEST_CASE("a remote shell that is not there is wrong usage", "[launcher]") {
  CHECK_THROWS_AS(Machine(over("ssh", "/no/such/shell")), UsageError);
  CHECK_THROWS_WITH(Machine(over("ssh", "no-such-shell -x")), Contains("no-such-shell -x"));
}

TEST_CASE("launcher local refuses a host that it cannot resolve, with its place", "[launcher]") {
  CHECK_THROWS_WITH(Machine({.hosts = parse_hostfile("127.0.0.1\nno-such-host.invalid\n", "hosts")}),
                    Contains("hosts:2") && Contains("no-such-host.invalid"));
}

TEST_CASE("launcher mpirun has mpirun start the daemons", "[launcher]") {
  if (process::find_in_path("mpirun").empty()) return skip("mpirun is not installed");
  StandIns files;
  // Its own daemons have to find it, too.
  const EnvironmentVariable interface("OMPI_MCA_oob_tcp_if_include", "lo");
  std::vector<HostSpec> hosts = far_hosts();
  hosts.push_back({"127.0.0.1", "127.0.0.1", 1});
  std::optional<Machine> machine;
  start_by_mpirun(
      machine,
      {.hosts = hosts, .launcher = "mpirun", .rsh = files.script("shell", shell_to_here), .interface = "lo"});
  REQUIRE(machine.has_value());
  CHECK(machine->hosts().size() == 3);
  CHECK(machine->run(program_of("report rank", 5, "daemon")).size() == 5);
}

TEST_CASE("launcher srun starts a daemon on each node, which know them by their rank", "[launcher]") {
  StandIns files;
  files.script("srun", R"(for last; do :; done
case "$*" in *"--nodelist=far1,far2"*) ;; *) exit 8 ;; esac
read -r line
for rank in 0 1; do printf '%s\n' "$line" | SLURM_PROCID=$rank "$last" & done
wait)");
  const EnvironmentVariable path = path_with(files);
  Machine machine(over("srun"));
  CHECK(machine.hosts().size() == 2);
  CHECK(machine.run(program_of("report rank", 4, "daemon")).size() == 4);
}

TEST_CASE("hosts that one process was to bring up leave none when they are not added", "[launcher]") {
  const auto interfaces = net::interfaces();
  const auto outward =
      std::ranges::find_if(interfaces, [](const net::Interface& one) { return !net::is_loopback(one.address); });
  if (outward == interfaces.end()) return skip("there is no interface but loopback");
  StandIns files;
  const auto pid_file = files.folder() / "pid";
  files.script("srun", "echo $$ > " + pid_file.string() + ".new; mv " + pid_file.string() + ".new " +
                           pid_file.string() + "; exec sleep 1000");
  const EnvironmentVariable path = path_with(files);
  Machine machine(
      {.hosts = {{"here", outward->address, 1}}, .launcher = "srun", .interface = outward->address, .goes_on = true});
  net::Timer look(machine.poller(), [&] {
    if (std::filesystem::exists(pid_file)) return machine.cancel("enough");
    look.set(net::Timer::Clock::now() + std::chrono::milliseconds(5));
  });
  look.set(net::Timer::Clock::now());
  CHECK_THROWS_AS(machine.add(far_hosts()), Cancelled);
  pid_t starter = 0;
  std::ifstream(pid_file) >> starter;
  REQUIRE(starter > 0);
  CHECK(eventually([&] {
    machine.idle(std::chrono::milliseconds(5));
    return !is_running(starter);
  }));
  CHECK(machine.run(program_of("report rank", 2, "daemon")).size() == 2);
}

TEST_CASE("who starts daemons follows from the hosts", "[launcher]") {
  CHECK(usual_launcher(two_hosts(1), false) == "local");
  CHECK(usual_launcher(far_hosts(), false) == "ssh");
  CHECK(usual_launcher(two_hosts(1), true) == "srun");
}

TEST_CASE("a Slurm job's nodes are its hosts", "[launcher]") {
  const auto job_of = [](std::map<std::string, std::string> variables) {
    return slurm_job([variables](const char* name) {
      const auto found = variables.find(name);
      return found == variables.end() ? std::string() : found->second;
    });
  };
  CHECK(job_of({}) == std::nullopt);
  const auto job = job_of({{"SLURM_JOB_NODELIST", "a[08-10],b"}, {"SLURM_JOB_CPUS_PER_NODE", "4(x3),2"}});
  REQUIRE(job.has_value());
  REQUIRE(job->size() == 4);
  CHECK((*job)[1].name == "a09");
  CHECK((*job)[2].slots == 4);
  CHECK((*job)[3].slots == 2);
  CHECK(job_of({{"SLURM_JOB_NODELIST", "a"}, {"SLURM_JOB_CPUS_PER_NODE", "8"}, {"SLURM_TASKS_PER_NODE", "3"}})
            ->front()
            .slots == 3);
}

/// Kept machines in trouble: full disks, secrets that are missing or wrong, clients that do not read.

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "support/deadline.hpp"
#include "support/refused_calls.hpp"
#include "support/skip.hpp"
#include "support/task_bodies.hpp"
#include "vm/keeper/keeper_fixture.hpp"
#include "vm/keeper/translate.hpp"
#include "vm/net/timer.hpp"
#include "vm/process/pipe.hpp"
#include "vm/version.hpp"

using namespace nasvm;
using namespace nasvm::keeper;
using namespace nasvm::test;
using Catch::Contains;

namespace {

/// Files may not grow any more, as on a full disk.
void fill_disk(pid_t process) {
  ::signal(SIGXFSZ, SIG_IGN);
  const rlimit none{0, 0};
  REQUIRE(::prlimit(process, RLIMIT_FSIZE, &none, nullptr) == 0);
}

/// Until nobody reads what the process writes to its standard error: several looks in a row find as much in the pipe,
/// more than half of what it holds. (It is never quite full: pages are left that a reader has begun, and ends of
/// pages.)
bool waits_for_its_reader(pid_t process) {
  constexpr int looks_in_a_row = 100;
  int alike = 0;
  int before = 0;
  return eventually([&] {
    // Opened each time: at first a process may not have its pipe yet.
    const net::Fd pipe(
        ::open(("/proc/" + std::to_string(process) + "/fd/2").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    int waiting_bytes = 0;
    const int room = ::fcntl(pipe.get(), F_GETPIPE_SZ);
    const bool waits = room > 0 && ::ioctl(pipe.get(), FIONREAD, &waiting_bytes) == 0 && 2 * waiting_bytes > room;
    alike = waits && waiting_bytes == before ? alike + 1 : 0;
    before = waiting_bytes;
    return alike == looks_in_a_row;
  });
}

std::string text_of_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("a start on a full disk says so and leaves nothing", "[keeper]") {
  const RuntimeFixture runtime;
  const pid_t starter = in_another_process([] {
    fill_disk(::getpid());
    try {
      start_machine("work", {});
    } catch (const RunError& error) {
      ::_exit(std::string(error.what()).find("work/lock") != std::string::npos ? 33 : 34);
    }
  });
  CHECK(status_of(starter) == 33);
  CHECK(runtime.is_empty());
}

TEST_CASE("a start whose daemon does not come up says how it has ended, and why", "[keeper]") {
  const RuntimeFixture runtime;
  const int status = status_in_child([] {
    // Of a machine's processes only daemons have such sockets.
    constexpr std::uint32_t datagrams = SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
    if (!refuse_call(SYS_socket, EPERM, {{1, datagrams}})) return no_filter_status;
    try {
      start_machine("work", {});
    } catch (const RunError& error) {
      const std::string text = error.what();
      return text.find("before it was up: nasvmd: cannot open a datagram socket") != std::string::npos ? 33 : 34;
    }
    return 35;
  });
  if (status == no_filter_status) return skip("this system forbids filters of system calls");
  CHECK(status == 33);
  CHECK(runtime.is_empty());
}

TEST_CASE("on a full disk a machine ends in good order, too", "[keeper]") {
  SECTION("what a killed keeper has left is cleared") {
    Fixture fixture;
    ::kill(fixture.keeper_pid, SIGKILL);
    REQUIRE(eventually([&] { return fixture.all_gone(); }));
    const pid_t stopper = in_another_process([] {
      fill_disk(::getpid());
      ::_exit(stop_machine("work") == Ending::cleared ? 33 : 34);
    });
    CHECK(status_of(stopper) == 33);
  }
  SECTION("a keeper has no room to say why it has ended") {
    const RuntimeFixture runtime;
    start_machine("work", {});
    const State state = KeptMachine("work").state();
    fill_disk(static_cast<pid_t>(state.pid));
    ::kill(static_cast<pid_t>(state.hosts[0].facts.pid), SIGKILL);
    REQUIRE(eventually([&] { return !is_running(static_cast<pid_t>(state.pid)); }));
    CHECK(runtime.is_empty());
  }
}

TEST_CASE("who holds a name and says not who it is is waited for", "[keeper]") {
  const RuntimeFixture runtime;
  const RuntimeFolder folder("work");
  folder.make();
  net::Fd lock = folder.lock(Holder::unnamed);
  const pid_t stopper = in_another_process([&] {
    lock.reset();  // its own, which counts as long as the other is open
    (void)stop_machine("work");
  });
  REQUIRE(eventually([&] { return state_of(stopper) == 'S'; }));
  lock.reset();
  CHECK(status_of(stopper) == 0);
  CHECK(runtime.is_empty());
}

namespace {

/// A keeper in this process; the test says what its lock says of it.
class OwnKeeper {
 public:
  explicit OwnKeeper(const RuntimeFolder& folder, const std::string& holder = {})
      : lock_(make_lock(folder, holder)),
        keeper_(machine_, folder, lock_.get(), secret_of(folder), std::move(output_.read)) {}
  std::string serve() { return keeper_.serve(); }
  [[nodiscard]] net::Poller& poller() { return machine_.poller(); }

 private:
  static net::Fd make_lock(const RuntimeFolder& folder, const std::string& holder) {
    folder.make();
    net::Fd lock = folder.lock();
    REQUIRE(lock);
    if (!holder.empty()) std::ofstream(folder.path("lock")) << holder << "\n";
    return lock;
  }
  static Secret secret_of(const RuntimeFolder& folder) {
    const Secret secret = make_secret();
    folder.write_secret(secret);
    return secret;
  }

  net::Fd lock_;
  process::Pipe output_;
  Machine machine_{Machine::Options{.hosts = {local_host(1)}, .goes_on = true}};
  Keeper keeper_;
};

}  // namespace

TEST_CASE("no process is signalled whose number a lock only seems to mean", "[keeper]") {
  const RuntimeFixture runtime;
  const RuntimeFolder folder("work");
  const pid_t stranger = start_process_quietly("/bin/sleep", {"1000"});
  const std::string number = std::to_string(stranger);
  const std::string holder = number + GENERATE(" of another container", "");
  const pid_t keeper = in_another_process([&] { (void)OwnKeeper(folder, holder).serve(); });
  REQUIRE(eventually([&] { return folder.exists() && folder.connect(); }));
  CHECK(stop_machine("work") == Ending::stopped);
  CHECK(status_of(keeper) == 0);
  CHECK(is_running(stranger));
  ::kill(stranger, SIGKILL);
  (void)::waitpid(stranger, nullptr, 0);
  CHECK(runtime.is_empty());
}

TEST_CASE("a keeper with which something goes wrong says what", "[keeper]") {
  const RuntimeFixture runtime;
  const RuntimeFolder folder("work");
  OwnKeeper keeper(folder);
  net::Timer fault(keeper.poller(), [] { throw RunError("there is no more of anything"); });
  fault.set(net::Timer::Clock::now());
  CHECK(keeper.serve() == "there is no more of anything");
}

TEST_CASE("a client whose keeper hangs while it runs a program does not wait for ever", "[keeper]") {
  Fixture fixture(1);
  {
    KeptMachine machine("work");
    machine.on_start([&] {
      ::kill(fixture.keeper_pid, SIGSTOP);
      machine.ask_after(std::chrono::milliseconds(10));
    });
    CHECK_THROWS_WITH(machine.run(program_of("wait forever", 2, "daemon")), Contains("does not answer"));
  }
  ::kill(fixture.keeper_pid, SIGCONT);
}

TEST_CASE("a client whose program takes long hears that its keeper is there, and then its end", "[keeper]") {
  Fixture fixture(1);
  KeptMachine machine("work");
  auto program = program_of("compute forever", 1, "daemon");
  program.timeout = std::chrono::seconds(3);
  bool has_begun = false;
  machine.on_start([&] {
    has_begun = true;
    machine.ask_after(std::chrono::seconds(1));
  });
  CHECK_THROWS_WITH(machine.run(program), Contains("time-out of 3 s"));
  CHECK(has_begun);
  CHECK(machine.look().jobs.empty());
}

TEST_CASE("of what tasks write nothing is lost to a reader that is slow, and does not let its writer wait",
          "[keeper]") {
  Fixture fixture(1);
  process::Pipe pipe;
  ::fcntl(pipe.write.get(), F_SETFL, O_NONBLOCK);
  const pid_t client = in_another_process([&] {
    ::dup2(pipe.write.get(), STDERR_FILENO);
    (void)KeptMachine("work").run(program_of("write much", 1, "daemon"));
  });
  pipe.write.reset();
  REQUIRE(waits_for_its_reader(client));
  std::size_t bytes = 0;
  std::array<char, 4096> chunk;
  for (ssize_t got; (got = ::read(pipe.read.get(), chunk.data(), chunk.size())) > 0;)
    bytes += static_cast<std::size_t>(got);
  CHECK(status_of(client) == 0);
  CHECK(bytes == 4'000'000);
}

TEST_CASE("a machine without its secret says so, and can be stopped", "[keeper]") {
  Fixture fixture;
  REQUIRE(std::filesystem::remove(RuntimeFolder("work").path("secret")));
  CHECK_THROWS_WITH(KeptMachine("work"), Contains("has no secret") && Contains("nasvm vm stop work"));
  CHECK(stop_machine("work") == Ending::stopped);
}

TEST_CASE("who does not know a machine's secret is refused, and told so", "[keeper]") {
  Fixture fixture;
  const RuntimeFolder folder("work");
  const Secret secret = folder.read_secret();
  folder.write_secret(make_secret());
  CHECK_THROWS_WITH(KeptMachine("work"), Contains("does not accept the secret in " + folder.path("secret")));
  folder.write_secret(secret);
  CHECK(hosts_up("work") == 2);
}

TEST_CASE("a keeper that knows another secret, or that two stop at the same time, ends in good order", "[keeper]") {
  Fixture fixture;
  SECTION("secret") {
    RuntimeFolder("work").write_secret(make_secret());
    CHECK(stop_machine("work") == Ending::stopped);
  }
  SECTION("two") {
    constexpr int other_ending = 50;
    const auto stop = [] {
      if (stop_machine("work") == Ending::killed) ::_exit(other_ending);
    };
    const std::array stoppers{in_another_process(stop), in_another_process(stop), in_another_process(stop)};
    // Who comes late finds no machine.
    for (const pid_t stopper : stoppers) {
      const int status = status_of(stopper);
      CHECK((status == 0 || status == static_cast<int>(Exit::usage)));
    }
  }
}

namespace {

const Greeting greeting{std::string(build_version()), 4711, "nasvm test"};

/// Runs the program for a client that reads nothing, to its end. The request is there before who comes later is let
/// in.
void run_unread(PlainClient& client, const Machine::Program& program) {
  client.say(request_of(program));
  REQUIRE(eventually([] { return jobs_of("work") == 0; }));
}

}  // namespace

TEST_CASE("a client asks a keeper for one thing at a time", "[keeper]") {
  Fixture fixture;
  const RuntimeFolder folder("work");
  PlainClient client(folder);
  (void)client.answer_to(greeting);
  client.say(request_of(program_of("talk forever", 2, "daemon")));
  REQUIRE(eventually([] { return jobs_of("work") == 1; }));
  Message answer = client.answer_to(request_of(program_of("report rank", 2, "daemon")));
  while (!std::holds_alternative<Failed>(answer)) answer = client.next_answer();  // it has started, first
  CHECK_THAT(std::get<Failed>(answer).text, Contains("one thing at a time"));
  CHECK(jobs_of("work") == 1);
}

TEST_CASE("a client for which too many reports wait is cut off, and the log says so", "[keeper]") {
  Fixture fixture;
  const RuntimeFolder folder("work");
  PlainClient client(folder);
  (void)client.answer_to(greeting);
  // 27 MB each; two are kept.
  for (int i = 0; i < 3; ++i) run_unread(client, program_of("report long", 9, "daemon"));
  CHECK_THAT(text_of_file(folder.log()), Contains("client 4711 (nasvm test) is cut off"));
  CHECK(KeptMachine("work").run(program_of("report long", 2, "daemon")).size() == 2);
}

TEST_CASE("output of the next client's program does not wait for a client that does not read", "[keeper]") {
  Fixture fixture(1);
  const RuntimeFolder folder("work");
  PlainClient silent(folder);
  (void)silent.answer_to(greeting);
  silent.say(request_of(program_of("write much", 1, "daemon")));
  pid_t task = 0;
  REQUIRE(eventually([&] {
    const auto tasks = KeptMachine("work").state().tasks;
    if (!tasks.empty()) task = static_cast<pid_t>(tasks.front().pid);
    return task > 0;
  }));
  REQUIRE(waits_for_its_reader(task));
  ::kill(task, SIGKILL);
  REQUIRE(eventually([] { return jobs_of("work") == 0; }));
  const pid_t reader = in_another_process([] {
    const net::Fd nothing(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    ::dup2(nothing.get(), STDERR_FILENO);
    auto program = program_of("write much", 1, "daemon");
    program.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(deadline_length());
    (void)KeptMachine("work").run(program);
  });
  CHECK(status_of(reader) == 0);
}

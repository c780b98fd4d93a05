#include "vm/process/start.hpp"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/folder.hpp"
#include "support/process.hpp"
#include "support/skip.hpp"
#include "vm/process/pipe.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using namespace nasvm::process;

namespace {

StartOptions shell(const std::string& script) { return {.program = "/bin/sh", .arguments = {"-c", script}}; }

/// All that comes through the pipe until nobody holds its other end.
std::string read_to_end(Pipe& pipe) {
  pipe.write.reset();
  std::string text;
  std::array<char, 4096> chunk;
  for (ssize_t count; (count = ::read(pipe.read.get(), chunk.data(), chunk.size())) > 0;) {
    text.append(chunk.data(), static_cast<std::size_t>(count));
  }
  return text;
}

/// What the program writes to its standard output.
std::string output_of(StartOptions options) {
  Pipe pipe;
  options.output = pipe.write.get();
  Child child = start(options);
  std::string text = read_to_end(pipe);
  child.kill();
  return text;
}

int exit_status_of(const StartOptions& options) {
  Child child = start(options);
  std::optional<int> wait_status;
  REQUIRE(test::eventually([&] { return (wait_status = child.ended()).has_value(); }));
  return WIFEXITED(*wait_status) ? WEXITSTATUS(*wait_status) : -1;
}

}  // namespace

TEST_CASE("a started program reads the text that it is given, then the end", "[process]") {
  auto options = shell("read line; echo \"<$line>\"; read more || echo over");
  options.input = "one line\n";
  CHECK(output_of(options) == "<one line>\nover\n");
}

TEST_CASE("a started program without input finds an empty one", "[process]") {
  CHECK(output_of(shell("read line || echo empty")) == "empty\n");
}

TEST_CASE("a text that a pipe does not hold is refused before anything starts", "[process]") {
  auto options = shell("exit 0");
  options.input = std::string(1 << 21, 'x');
  CHECK_THROWS_AS(start(options), RunError);
  CHECK_THROWS_WITH(start(options), Catch::Contains("/proc/sys/fs/pipe-user-pages-soft"));
}

TEST_CASE("a text may be longer than pipes usually are", "[process]") {
  Pipe pipe;
  auto options = shell("wc -c");
  options.input = std::string(300'000, 'x');
  options.output = pipe.write.get();
  Child child = start(options);
  CHECK(read_to_end(pipe) == "300000\n");
  child.kill();
}

TEST_CASE("a started program's output may go where its errors go", "[process]") {
  Pipe pipe;
  auto options = shell("echo out; echo err >&2");
  options.output = options.error = pipe.write.get();
  Child child = start(options);
  CHECK(read_to_end(pipe) == "out\nerr\n");
  child.kill();
}

TEST_CASE("a started program has the given environment alone, or this process's", "[process]") {
  ::setenv("NASVM_START_TEST", "ours", 1);
  auto options = shell("echo \"$NASVM_START_TEST$GREETING\"");
  CHECK(output_of(options) == "ours\n");
  options.environment = {{"GREETING=hello"}};
  CHECK(output_of(options) == "hello\n");
  ::unsetenv("NASVM_START_TEST");
}

TEST_CASE("a started program has the descriptors that are kept for it, and no others", "[process]") {
  Pipe kept, other;
  const auto script = [](int descriptor) { return "true <&" + std::to_string(descriptor); };
  auto options = shell(script(kept.read.get()));
  options.kept = {kept.read.get()};
  CHECK(exit_status_of(options) == 0);
  auto others = shell(script(other.read.get()) + " 2>&1");
  others.kept = {kept.read.get()};
  others.error = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  CHECK(exit_status_of(others) != 0);
  // Nor what this process may have got from its own parent.
  const net::Fd inherited(::dup(other.read.get()));
  others.arguments = shell(script(inherited.get()) + " 2>&1").arguments;
  CHECK(exit_status_of(others) != 0);
  ::close(others.error);
}

TEST_CASE("a started program is in its parent's session, or leads one", "[process]") {
  auto options = shell("cut -d ' ' -f 6 /proc/$$/stat; echo $$");
  CHECK(std::stoi(output_of(options)) == ::getsid(0));
  options.session = SessionOf::itself;
  const std::string text = output_of(options);
  CHECK(std::stoi(text) == std::stoi(text.substr(text.find('\n'))));
}

/// The signals that this process ignores (a bit each), as whoever started it wanted (nohup, jobs in the background).
std::uint64_t ignored_signals() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("SigIgn:")) return std::stoull(line.substr(7), nullptr, 16);
  }
  return 0;
}

std::uint64_t bit_of(int number) { return std::uint64_t{1} << (number - 1); }

TEST_CASE("a started program has no signal blocked or ignored because of us", "[process]") {
  const std::uint64_t ignored = ignored_signals() & ~(bit_of(SIGPIPE) | bit_of(SIGXFSZ) | bit_of(SIGCHLD));
  sigset_t blocked, before;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &blocked, &before);
  const auto pipe_handler = ::signal(SIGPIPE, SIG_IGN);
  const auto limit_handler = ::signal(SIGXFSZ, SIG_IGN);
  const std::string text = output_of(shell("grep -E '^Sig(Blk|Ign)' /proc/self/status"));
  ::signal(SIGXFSZ, limit_handler);
  ::signal(SIGPIPE, pipe_handler);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  CHECK(text == fmt::format("SigBlk:\t{:016x}\nSigIgn:\t{:016x}\n", 0, ignored));
}

TEST_CASE("the end of a child is seen also by a process that was started with SIGCHLD ignored", "[process]") {
  struct sigaction ignoring {};
  ignoring.sa_handler = GENERATE(SIG_IGN, SIG_DFL);
  ignoring.sa_flags = ignoring.sa_handler == SIG_DFL ? SA_NOCLDWAIT : 0;
  struct sigaction before {};
  ::sigaction(SIGCHLD, &ignoring, &before);
  Child child = start(shell("exit 5"));
  CHECK(test::eventually([&] { return child.ended().has_value(); }));
  CHECK(describe_wait_status(child.ended().value_or(0)) == "exited with status 5");
  ::sigaction(SIGCHLD, &before, nullptr);
}

TEST_CASE("a started program ends with the process that has started it", "[process]") {
  const auto death_signal = GENERATE(SIGKILL, SIGTERM);
  Pipe pipe;
  const pid_t middle = ::fork();
  if (middle == 0) {
    auto options = shell("echo $$; exec sleep 1000");
    options.output = pipe.write.get();
    options.death_signal = death_signal;
    (void)start(options);
    for (;;) ::pause();
  }
  std::array<char, 32> text{};
  REQUIRE(::read(pipe.read.get(), text.data(), text.size() - 1) > 0);
  const pid_t child = std::stoi(text.data());
  CHECK(test::is_running(child));
  ::kill(middle, SIGKILL);
  ::waitpid(middle, nullptr, 0);
  CHECK(test::eventually([&] { return !test::is_running(child); }));
}

TEST_CASE("a program that cannot be executed says so and ends with status 127", "[process]") {
  Pipe pipe;
  Child child = start({.program = "/nowhere/program", .error = pipe.write.get()});
  CHECK(read_to_end(pipe) == "cannot run /nowhere/program: No such file or directory\n");
  CHECK(test::eventually([&] { return child.ended().has_value(); }));
  CHECK(WEXITSTATUS(*child.ended()) == 127);
}

TEST_CASE("a program that cannot be executed is an error where that is asked for", "[process]") {
  const test::Folder folder;
  const std::string script = folder.write("script", "#!/nowhere/interpreter\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  const auto start_of = [](const std::string& program) {
    return start({.program = program, .unexecutable = Unexecutable::throws});
  };
  CHECK_THROWS_WITH(start_of("/nowhere/program"), "cannot run /nowhere/program: No such file or directory");
  CHECK_THROWS_WITH(start_of("/tmp"), "cannot run /tmp: Permission denied");
  CHECK_THROWS_WITH(start_of(script), "cannot run " + script + ": No such file or directory");
  Child child = start_of("/bin/true");
  CHECK(test::eventually([&] { return child.ended().has_value(); }));
  CHECK(WEXITSTATUS(*child.ended()) == 0);
}

TEST_CASE("root can start a program as another user", "[process]") {
  if (::geteuid() != 0) return test::skip("only root can");
  auto options = shell("id -u; id -g; id -G");
  options.account = Account{"somebody", 65534, 65534};
  CHECK(output_of(options) == "65534\n65534\n65534\n");
}

#include "vm/process/session.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "vm/launch/scratch_folder.hpp"

using namespace nasvm;
using namespace std::chrono_literals;

namespace {

/// A session of a shell that carries out `script`.
std::vector<std::string> shell(const std::string& script) { return {"/bin/sh", "-c", script}; }

/// All that the session prints, line by line, until both streams have ended.
struct Listener {
  explicit Listener(Session& session)
      : output(session.take_output(), poller, [this](std::string line) { lines.push_back(std::move(line)); }),
        error(session.take_error(), poller, [this](std::string line) { complaints.push_back(std::move(line)); }) {}
  void listen_to_end() {
    while (!output.at_end() || !error.at_end()) (void)poller.wait(1s);
  }
  net::Poller poller;
  std::vector<std::string> lines, complaints;
  LineReader output, error;
};

int wait_for_end(Session& session) {
  std::optional<int> status;
  while (!(status = session.ended()).has_value()) ::usleep(500);
  return *status;
}

}  // namespace

TEST_CASE("what a session prints comes line by line", "[launch]") {
  Session session(shell("echo one; printf 'tw'; echo o >&2; printf 'o\\n\\nlast'"), {});
  Listener listener(session);
  listener.listen_to_end();
  CHECK(listener.lines == std::vector<std::string>{"one", "two", "", "last"});
  CHECK(listener.complaints == std::vector<std::string>{"o"});
  CHECK(wait_for_end(session) == 0);
}

TEST_CASE("a session has its own environment, no input, and an exit status", "[launch]") {
  Session session(shell("read line && exit 1; echo \"$GREETING\"; exit 7"), {"GREETING=hello"});
  Listener listener(session);
  listener.listen_to_end();
  CHECK(listener.lines == std::vector<std::string>{"hello"});
  CHECK(WEXITSTATUS(wait_for_end(session)) == 7);
}

TEST_CASE("a session ends whole, also what its program has started", "[launch]") {
  std::vector<pid_t> pids;
  {
    Session session(shell("trap '' TERM; sleep 1000 & echo $!; (trap '' TERM; sleep 1000) & echo $!; wait"),
                    {"PATH=/usr/bin:/bin"});
    Listener listener(session);
    while (listener.lines.size() < 2) (void)listener.poller.wait(1s);
    for (const std::string& line : listener.lines) pids.push_back(std::stoi(line));
    pids.push_back(session.pid());
    for (const pid_t pid : pids) CHECK(::kill(pid, 0) == 0);
  }
  for (const pid_t pid : pids) {
    INFO("process " << pid);
    CHECK(::kill(pid, 0) != 0);
  }
}

TEST_CASE("a program that is not there shows as status 127", "[launch]") {
  Session session({"/nowhere/program"}, {});
  CHECK(WEXITSTATUS(wait_for_end(session)) == 127);
}

TEST_CASE("a scratch folder goes with all its content", "[launch]") {
  std::string path;
  {
    const ScratchFolder folder;
    path = folder.path();
    std::filesystem::create_directories(path + "/a/b");
    std::ofstream(path + "/a/file") << "content";
    CHECK(std::filesystem::is_directory(path));
  }
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("a scratch folder of a process that is gone is removed by the next one", "[launch]") {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  const std::string left = "/tmp/nasvm-run-" + std::to_string(child) + "-abcdef";
  const std::string foreign = "/tmp/nasvm-run-notes-" + std::to_string(::getpid());
  std::filesystem::create_directories(left + "/inner");
  std::filesystem::create_directories(foreign);
  const ScratchFolder first;
  const ScratchFolder second;
  CHECK_FALSE(std::filesystem::exists(left));
  CHECK(std::filesystem::exists(foreign));
  CHECK(std::filesystem::exists(first.path()));
  std::filesystem::remove(foreign);
}

TEST_CASE("a scratch folder goes when its process is killed", "[launch]") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const ScratchFolder folder;
    std::ofstream(folder.path() + "/file") << "content";
    (void)!::write(ends[1], folder.path().data(), folder.path().size());
    ::close(ends[1]);
    for (;;) ::pause();
  }
  ::close(ends[1]);
  std::string path(256, '\0');
  path.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::read(ends[0], path.data(), path.size()))));
  ::close(ends[0]);
  CHECK(std::filesystem::exists(path + "/file"));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  const auto deadline = std::chrono::steady_clock::now() + 10s;
  while (std::filesystem::exists(path) && std::chrono::steady_clock::now() < deadline) ::usleep(1000);
  CHECK_FALSE(std::filesystem::exists(path));
}

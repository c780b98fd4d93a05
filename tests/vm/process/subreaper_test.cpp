#include "vm/process/subreaper.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "vm/process/child.hpp"
#include "vm/process/pipe.hpp"
#include "vm/process/start.hpp"

using namespace nasvm::process;
using namespace std::chrono_literals;

namespace {

pid_t make_sleeper() {
  const pid_t sleeper = ::fork();
  while (sleeper == 0) ::pause();
  return sleeper;
}

/// A process that sleeps, and whose parent, a child of ours, has ended.
pid_t make_orphan() {
  Pipe pipe;
  const pid_t middle = ::fork();
  if (middle == 0) {
    const pid_t orphan = make_sleeper();
    (void)!::write(pipe.write.get(), &orphan, sizeof orphan);
    ::_exit(0);
  }
  pid_t orphan = -1;
  (void)!::read(pipe.read.get(), &orphan, sizeof orphan);
  ::waitpid(middle, nullptr, 0);
  return orphan;
}

bool is_subreaper() {
  int answer = 0;
  ::prctl(PR_GET_CHILD_SUBREAPER, &answer);
  return answer != 0;
}

}  // namespace

TEST_CASE("a subreaper inherits orphans and ends them", "[process]") {
  const Subreaper subreaper;
  const std::array orphans{make_orphan(), make_orphan()};
  for (const pid_t orphan : orphans) REQUIRE(::kill(orphan, 0) == 0);
  end_orphans(orphans, 60s);
  for (const pid_t orphan : orphans) CHECK(::kill(orphan, 0) != 0);
}

TEST_CASE("a process is a subreaper for as long as it has asked to be", "[process]") {
  CHECK_FALSE(is_subreaper());
  {
    const Subreaper outer;
    { const Subreaper inner; }
    CHECK(is_subreaper());
  }
  CHECK_FALSE(is_subreaper());
}

TEST_CASE("orphans that others have reaped are no matter", "[process]") {
  const pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ::waitpid(gone, nullptr, 0);
  end_orphans(std::array{gone}, 60s);
}

TEST_CASE("a process that is no child of this one is left alone, and not waited for", "[process]") {
  end_orphans(std::array{::getpid()}, 24h);
  SUCCEED("it has come back");
}

TEST_CASE("of children only those are ended that a variable of their environment shows", "[process]") {
  const Subreaper subreaper;
  const auto sleeper = [](const char* variable) {
    return start({.program = "/bin/sleep",
                  .arguments = {"1000"},
                  .environment = std::vector<std::string>{"A=b", variable},
                  .unexecutable = Unexecutable::throws});
  };
  Child marked = sleeper("NASVM_SUBREAPER_TEST=1");
  Child other = sleeper("NASVM_SUBREAPER_TEST_2=1");
  end_other_children({}, 60s, "NASVM_SUBREAPER_TEST");
  CHECK(::kill(marked.pid(), 0) != 0);
  CHECK(::kill(other.pid(), 0) == 0);
  other.kill();
}

TEST_CASE("children that nobody knows are reaped when they have ended, and left alone before", "[process]") {
  const pid_t sleeper = make_sleeper();
  const pid_t ended = ::fork();
  if (ended == 0) ::_exit(0);
  const pid_t known = ::fork();
  if (known == 0) ::_exit(0);
  for (const pid_t child : {ended, known}) {  // and stay zombies
    siginfo_t info;
    REQUIRE(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) == 0);
  }
  reap_other_children(std::array{known});
  CHECK(::waitpid(ended, nullptr, WNOHANG) == -1);
  CHECK(::waitpid(known, nullptr, WNOHANG) == known);
  CHECK(::waitpid(sleeper, nullptr, WNOHANG) == 0);
  ::kill(sleeper, SIGKILL);
  ::waitpid(sleeper, nullptr, 0);
}

TEST_CASE("children that nobody knows are ended, and those that they leave behind", "[process]") {
  const Subreaper subreaper;
  const pid_t known = make_sleeper();
  const pid_t orphan = make_orphan();
  Pipe pipe;
  const pid_t parent = ::fork();
  if (parent == 0) {
    const pid_t child = make_sleeper();
    (void)!::write(pipe.write.get(), &child, sizeof child);
    for (;;) ::pause();
  }
  pid_t child = -1;
  REQUIRE(::read(pipe.read.get(), &child, sizeof child) == sizeof child);
  end_other_children(std::array{known}, 60s);
  for (const pid_t gone : {orphan, parent, child}) CHECK(::kill(gone, 0) != 0);
  CHECK(::kill(known, 0) == 0);
  end_other_children({}, 60s);
  CHECK(::kill(known, 0) != 0);
}

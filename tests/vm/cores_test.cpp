// OwnCores: binding, and claims that exclude each other. Claims belong to the process, so what one holds the same
// test cannot have twice.
#include "vm/cores.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstddef>
#include <string>

#include "support/skip.hpp"

using namespace nasvm;

namespace {

cpu_set_t affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  REQUIRE(::sched_getaffinity(0, sizeof set, &set) == 0);
  return set;
}

}  // namespace

TEST_CASE("a claim binds to cores that the task may use, and its release lets go", "[cores]") {
  const cpu_set_t before = affinity();
  const int usable = usable_cores();
  CHECK(usable == CPU_COUNT(&before));
  OwnCores own = OwnCores::claim(0, 1);
  if (own.numbers().empty()) return;  // a program is running here that has them all
  CHECK(CPU_ISSET(own.numbers().front(), &before));
  const cpu_set_t bound = affinity();
  CHECK(CPU_COUNT(&bound) == 1);
  CHECK(CPU_ISSET(own.numbers().front(), &bound));
  own.release();
  CHECK(own.numbers().empty());
  const cpu_set_t after = affinity();
  CHECK(CPU_EQUAL(&before, &after));
}

TEST_CASE("what one has claimed nobody else gets", "[cores]") {
  const cpu_set_t before = affinity();
  OwnCores all = OwnCores::claim(0, usable_cores());
  if (all.numbers().empty()) return;
  CHECK(OwnCores::claim(0, 1).numbers().empty());
  CHECK(OwnCores::claim(1, 1).numbers().empty());
  const auto numbers = all.numbers();
  all.release();
  OwnCores again = OwnCores::claim(0, static_cast<int>(numbers.size()));
  again.release();
  const cpu_set_t after = affinity();
  CHECK(CPU_EQUAL(&before, &after));
}

namespace {

/// As another user: takes the first name of each core, tells, and stays until it is killed.
[[noreturn]] void take_names(uid_t victim, bool listening, int told) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::setuid(65534) != 0) ::_exit(2);
  for (const int core : usable_core_numbers()) {
    const std::string name = "nasvm-core-" + std::to_string(victim) + "-" + std::to_string(core) + ".0";
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::ranges::copy(name, address.sun_path + 1);
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
    if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), length) != 0) ::_exit(3);
    if (listening) (void)::listen(fd, 8);
  }
  if (::write(told, "x", 1) != 1) ::_exit(4);
  for (;;) ::pause();
}

/// Whether all cores can be claimed, once, while another user holds their names. In a network namespace, which has
/// names of its own; to be called in a process of its own.
int claim_beside_squatter(bool listening) {
  std::array<int, 2> pipe{};
  if (::unshare(CLONE_NEWNET) != 0 || ::pipe(pipe.data()) != 0) return 77;
  const pid_t squatter = ::fork();
  if (squatter == 0) take_names(::geteuid(), listening, pipe[1]);
  char byte = 0;
  ::close(pipe[1]);
  if (::read(pipe[0], &byte, 1) != 1) return 77;
  const int cores = usable_cores();
  const OwnCores all = OwnCores::claim(0, cores);
  const bool right =
      all.numbers().size() == static_cast<std::size_t>(cores) && OwnCores::claim(0, 1).numbers().empty();
  ::kill(squatter, SIGKILL);
  ::waitpid(squatter, nullptr, 0);
  return right ? 0 : 1;
}

}  // namespace

TEST_CASE("another user who takes their names keeps nobody from claiming cores", "[cores]") {
  const bool listening = GENERATE(false, true);
  CAPTURE(listening);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(claim_beside_squatter(listening));
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  if (WEXITSTATUS(status) == 77) return test::skip("no right to make a network namespace and another user's process");
  CHECK(status == 0);
}

TEST_CASE("more cores than there are cannot be had, and nothing changes", "[cores]") {
  const cpu_set_t before = affinity();
  CHECK(OwnCores::claim(0, usable_cores() + 1).numbers().empty());
  const cpu_set_t after = affinity();
  CHECK(CPU_EQUAL(&before, &after));
}

TEST_CASE("the search begins where it is told to", "[cores]") {
  const int usable = usable_cores();
  OwnCores first = OwnCores::claim(0, 1);
  const auto numbers = first.numbers();
  first.release();
  OwnCores around = OwnCores::claim(usable, 1);
  const auto numbers_around = around.numbers();
  around.release();
  if (!numbers.empty() && !numbers_around.empty()) CHECK(numbers == numbers_around);
}

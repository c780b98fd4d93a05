#include "vm/proc.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include <catch2/catch.hpp>

using namespace nasvm;

TEST_CASE("proc: a file whose reading fails once it is open is empty, as one that is not there") {
  CHECK(proc_text("/proc/self/mem").empty());  // EIO at its begin; a process that has ended answers ESRCH
  CHECK(proc_text("/proc").empty());           // EISDIR
  CHECK(proc_text("/proc/0/stat").empty());
  CHECK_FALSE(proc_text("/proc/self/stat").empty());
}

TEST_CASE("proc: processes are listed by number, also those that have ended and are not reaped") {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  REQUIRE(child > 0);
  const auto found = all_processes();
  CHECK(std::count(found.begin(), found.end(), ::getpid()) == 1);
  CHECK(std::count(found.begin(), found.end(), child) == 1);
  CHECK_FALSE(proc_text(proc_folder(child) / "stat").empty());
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  CHECK(proc_text(proc_folder(child) / "stat").empty());
}

TEST_CASE("proc: the number of the computer's start is one word") {
  CHECK_FALSE(boot_id().empty());
  CHECK(boot_id().find_first_of(" \n") == std::string::npos);
  CHECK(boot_id() == boot_id());
}

TEST_CASE("proc: a process has a state, a parent and a session, until somebody has waited for it") {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  REQUIRE(child > 0);
  siginfo_t ended{};
  REQUIRE(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) == 0);
  const auto status = process_status(child);
  REQUIRE(status.has_value());
  CHECK(status->state == 'Z');
  CHECK(status->parent == ::getpid());
  CHECK(status->group == ::getpgrp());
  CHECK(status->session == ::getsid(0));
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  CHECK_FALSE(process_status(child).has_value());
}

TEST_CASE("proc: the namespace of process numbers is a number") {
  CHECK_FALSE(process_namespace().empty());
  CHECK(process_namespace().find_first_not_of("0123456789") == std::string::npos);
}

TEST_CASE("proc: values are found by their exact key") {
  const std::string text = "model\t\t: 17\nmodel name\t: Some CPU @ 2: fast\nmodel name : second\nlast: 1";
  CHECK(proc_value(text, "model") == "17");
  CHECK(proc_value(text, "model name") == "Some CPU @ 2: fast");
  CHECK(proc_value(text, "last") == "1");
  CHECK(proc_value(text, "name").empty());
  CHECK(proc_value("", "name").empty());
}

TEST_CASE("a processor has a name, whatever the system tells of it", "[proc]") {
  CHECK(processor_name("vendor_id\t: GenuineIntel\nmodel name\t: Some CPU @ 2\n", "x86_64") == "Some CPU @ 2");
  const std::string nameless = "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 207\n";
  CHECK(processor_name(nameless + "model name\t: unknown\n", "x86_64") == "GenuineIntel family 6 model 207");
  CHECK(processor_name(nameless, "x86_64") == "GenuineIntel family 6 model 207");
  CHECK(processor_name("vendor_id       : IBM/S390\n# processors    : 2\n", "s390x") == "IBM/S390 s390x");
  CHECK(processor_name("processor\t: 0\nCPU implementer\t: 0x41\n", "aarch64") == "aarch64");
  CHECK(processor_name("", "aarch64") == "aarch64");
}

TEST_CASE("proc: memory figures are kibibytes") {
  CHECK(meminfo_bytes("MemTotal:       24684092 kB\nMemAvailable: 5 kB\n", "MemTotal") == 24684092ULL * 1024);
  CHECK(meminfo_bytes("MemTotal: 1 kB\n", "MemAvailable") == 0);
}

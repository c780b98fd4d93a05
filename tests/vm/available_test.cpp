#include "vm/available.hpp"

#include <filesystem>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "support/folder.hpp"
#include "vm/proc.hpp"

using namespace nasvm;

namespace {

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

/// A file of a system that is only made up, and the folders that it is in.
void add_file(const test::Folder& root, const std::string& name, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(root.file(name)).parent_path());
  (void)root.write(name, text);
}

/// What the system says of a process, in the order in which it does.
std::string status_of(int real_user, int user, int threads, const char* capabilities = "0000000000000000") {
  return fmt::format("Name:\ta: b\nUid:\t{0}\t{1}\t{1}\t{1}\nThreads:\t{2}\nCapEff:\t{3}\n", real_user, user, threads,
                     capabilities);
}

}  // namespace

TEST_CASE("available: memory is what the computer has, or less where control groups leave less") {
  CHECK(available_memory_bytes() > 0);
  CHECK(available_memory_bytes() <= meminfo_bytes(proc_text("/proc/meminfo"), "MemTotal"));
  const test::Folder root;
  CHECK(available_memory_bytes(root.file("")) == no_limit);
  add_file(root, "proc/meminfo", "MemTotal: 8 kB\nMemAvailable: 4 kB\n");
  CHECK(available_memory_bytes(root.file("")) == 4096);
  add_file(root, "proc/self/cgroup", "0::/\n");
  add_file(root, "sys/fs/cgroup/memory.max", "5000\n");
  CHECK(available_memory_bytes(root.file("")) == 4096);
  add_file(root, "sys/fs/cgroup/memory.current", "1000\n");
  CHECK(available_memory_bytes(root.file("")) == 4000);
}

TEST_CASE("available: control groups leave what the tightest around this process does, cached files count as free") {
  const test::Folder root;
  CHECK(memory_left_by_groups(root.file("")) == no_limit);
  add_file(root, "proc/self/cgroup", "0::/outer/own\n");
  CHECK(memory_left_by_groups(root.file("")) == no_limit);
  add_file(root, "sys/fs/cgroup/outer/own/memory.max", "max\n");
  add_file(root, "sys/fs/cgroup/outer/own/memory.current", "700\n");
  CHECK(memory_left_by_groups(root.file("")) == no_limit);
  add_file(root, "sys/fs/cgroup/outer/memory.max", "1000\n");
  add_file(root, "sys/fs/cgroup/outer/memory.current", "800\n");
  CHECK(memory_left_by_groups(root.file("")) == 200);
  add_file(root, "sys/fs/cgroup/outer/memory.stat", "file 150\nactive_file 50\ninactive_file 100\n");
  CHECK(memory_left_by_groups(root.file("")) == 350);
  add_file(root, "sys/fs/cgroup/outer/own/memory.max", "750\n");
  CHECK(memory_left_by_groups(root.file("")) == 50);
  add_file(root, "sys/fs/cgroup/outer/own/memory.max", "600\n");
  CHECK(memory_left_by_groups(root.file("")) == 0);
}

TEST_CASE("available: control groups of version 1 have their limits under other names, by controller") {
  const test::Folder root;
  add_file(root, "proc/self/cgroup", "5:pids:/jobs\n4:cpu,memory:/job\n1:name=systemd:/elsewhere\n0::/\n");
  add_file(root, "sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  add_file(root, "sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1000\n");
  add_file(root, "sys/fs/cgroup/memory/job/memory.usage_in_bytes", "900\n");
  add_file(root, "sys/fs/cgroup/memory/job/memory.stat",
           "inactive_file 1\ntotal_active_file 20\ntotal_inactive_file 30\n");
  add_file(root, "sys/fs/cgroup/memory/jobs/memory.limit_in_bytes", "1\n");
  CHECK(memory_left_by_groups(root.file("")) == 150);
  CHECK(threads_left_by_groups(root.file("")) == no_limit);
  add_file(root, "sys/fs/cgroup/pids/jobs/pids.max", "64\n");
  add_file(root, "sys/fs/cgroup/pids/jobs/pids.current", "60\n");
  CHECK(threads_left_by_groups(root.file("")) == 4);
}

TEST_CASE("available: a container that does not see its group's path has its limit where groups begin") {
  const test::Folder root;
  add_file(root, "proc/self/cgroup", "0::/system.slice/container\n");
  add_file(root, "sys/fs/cgroup/memory.max", "1000\n");
  add_file(root, "sys/fs/cgroup/memory.current", "400\n");
  add_file(root, "sys/fs/cgroup/pids.max", "100\n");
  CHECK(memory_left_by_groups(root.file("")) == 600);
  CHECK(threads_left_by_groups(root.file("")) == 100);
}

TEST_CASE("available: this host allows some threads more, and not without end") {
  CHECK(available_threads() > 0);
  CHECK(available_threads() < 1'000'000'000);
}

TEST_CASE("available: the system's limits are those of all threads that there are") {
  const test::Folder root;
  CHECK(threads_left_by_system(root.file("")) == no_limit);
  add_file(root, "proc/loadavg", "0.1 0.2 0.3 2/5000 4711\n");
  CHECK(threads_left_by_system(root.file("")) == no_limit);
  add_file(root, "proc/sys/kernel/threads-max", "95968\n");
  CHECK(threads_left_by_system(root.file("")) == 90968);
  add_file(root, "proc/sys/kernel/pid_max", "32768\n");
  CHECK(threads_left_by_system(root.file("")) == 27768);
  add_file(root, "proc/sys/kernel/pid_max", "4999\n");
  CHECK(threads_left_by_system(root.file("")) == 0);
}

TEST_CASE("available: a user's limit is one of the user's own threads, however many others have") {
  const test::Folder root;
  add_file(root, "proc/loadavg", "0.1 0.2 0.3 2/5000 4711\n");
  add_file(root, "proc/1/status", status_of(0, 0, 4900));
  add_file(root, "proc/20/status", status_of(1000, 1000, 30));
  add_file(root, "proc/21/status", status_of(1000, 0, 4));  // sudo: the real user counts
  add_file(root, "proc/22/status", status_of(1001, 1000, 60));
  add_file(root, "proc/23/status", "");  // has ended meanwhile
  add_file(root, "proc/self/status", status_of(1000, 1000, 30));
  CHECK(threads_left_to_user(4096, root.file("")) == 4062);
  CHECK(threads_left_to_user(33, root.file("")) == 0);
  CHECK(threads_left_to_user(no_limit, root.file("")) == no_limit);
}

TEST_CASE("available: a user's limit binds neither root nor who may pass it") {
  const test::Folder root;
  const auto left = [&root](const std::string& status) {
    for (const char* process : {"20", "self"}) add_file(root, fmt::format("proc/{}/status", process), status);
    return threads_left_to_user(100, root.file(""));
  };
  CHECK(left(status_of(0, 0, 5)) == no_limit);
  CHECK(left(status_of(1000, 1000, 5, "0000000001000000")) == no_limit);  // CAP_SYS_RESOURCE
  CHECK(left(status_of(1000, 1000, 5, "0000000000200000")) == no_limit);  // CAP_SYS_ADMIN
  CHECK(left(status_of(1000, 1000, 5, "000001fffedfffff")) == 95);        // all others
  CHECK(left(status_of(1000, 0, 5)) == 95);
}

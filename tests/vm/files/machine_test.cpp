// The C interface on the machine: tasks are processes, files are on a disk.

#include <fcntl.h>
#include <nasvm/edonio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <utility>

#include "machine_files.hpp"
#include "support/environment_variable.hpp"
#include "vm/files/edonio.hpp"
#include "vm/files/posix_disk.hpp"
#include "vm/process/pipe.hpp"

using namespace nasvm;
using namespace nasvm::test;

TEST_CASE("the appendix program verifies every byte, over each transport", "[files]") {
  Folder folder;
  const std::string transport = GENERATE("shm", "direct", "daemon");
  Machine machine({two_hosts(4), "local"});
  struct Case {
    int size, n, per_access, data_kb, disk_kb, preload;
  };
  for (const Case& run : {Case{1, 20, 20, 512, 4096, 1}, Case{2, 30, 1, 512, 64, 0}, Case{3, 31, 7, 0, 4096, 1},
                          Case{8, 40, 1, 8192, 65536, 1}}) {
    INFO(transport << ", " << run.size << " tasks");
    const std::string path = folder.file("ex.bin");
    REQUIRE_NOTHROW(machine.run(files_program("files: appendix", run.size, transport, path,
                                              {run.n, run.per_access, run.data_kb, run.disk_kb, run.preload})));
    CHECK(std::filesystem::file_size(path) == static_cast<std::uintmax_t>(run.n) * run.n * run.n * 32);
  }
}

namespace {

/// With caches from one block to all of the file.
void run_appendix(Machine& machine, const std::string& path, int size) {
  for (const int disk_kb : {64, 256, 65536}) {
    INFO(size << " tasks, " << disk_kb << " KB");
    REQUIRE_NOTHROW(
        machine.run(files_program("files: appendix", size, "auto", path, {40, 3, 512, disk_kb, size % 2})));
  }
}

}  // namespace

TEST_CASE("the appendix program verifies every byte, for 5 and 17 tasks", "[files]") {
  Folder folder;
  Machine machine({two_hosts(9), "local"});
  for (const int size : {5, 17}) run_appendix(machine, folder.file("ex.bin"), size);
}

TEST_CASE("the appendix program verifies every byte that tasks of two hosts hand on", "[files]") {
  Folder folder;
  const std::string transport = GENERATE("shm+direct", "daemon");
  const std::string thread = GENERATE("off", "on");
  Machine machine({two_hosts(3), "local"});
  Machine::Program program = files_program("files: appendix", 6, transport, folder.file("a"), {40, 40, 512, 4096, 0});
  program.environment.emplace_back("NASVM_EDONIO=share=off:owners=host:thread=" + thread);
  REQUIRE_NOTHROW(machine.run(program));
}

TEST_CASE("files beyond 4 GiB", "[files]") {
  Folder folder;
  Machine machine({});
  REQUIRE_NOTHROW(machine.run(files_program("files: sparse", 3, "auto", folder.file("sparse"))));
  struct stat found {};
  REQUIRE(::stat(folder.file("sparse").c_str(), &found) == 0);
  CHECK(found.st_size == 5'000'300'000);
  CHECK(found.st_blocks * 512 < 10'000'000);
}

TEST_CASE("a task that waits in a barrier serves those that read", "[files]") {
  Folder folder;
  const std::string transport = GENERATE("auto", "daemon");
  Machine machine({});
  REQUIRE_NOTHROW(machine.run(files_program("files: read while others wait", 3, transport, folder.file("a"))));
}

TEST_CASE("with a thread, a task that computes serves those that read", "[files]") {
  Folder folder;
  const std::string transport = GENERATE("shm", "direct", "daemon");
  Machine machine({});
  REQUIRE_NOTHROW(machine.run(files_program("files: read while others compute", 3, transport, folder.file("a"))));
}

TEST_CASE("with a thread, the appendix program verifies every byte, over each transport", "[files]") {
  Folder folder;
  const std::string transport = GENERATE("shm", "direct", "daemon");
  Machine machine({two_hosts(4), "local"});
  Machine::Program program = files_program("files: appendix", 4, transport, folder.file("a"), {30, 2, 512, 128, 1});
  program.environment.emplace_back("NASVM_EDONIO=thread=on:share=off");
  REQUIRE_NOTHROW(machine.run(program));
}

TEST_CASE("what was flushed is on disk when a task is killed in the midst of writing", "[files]") {
  Folder folder;
  Machine machine({});
  constexpr int half = 2'000'000;
  CHECK_THROWS_WITH(machine.run(files_program("files: die while writing", 3, "auto", folder.file("a"), {half})),
                    Catch::Contains("signal 9"));
  REQUIRE(std::filesystem::exists(folder.file("a.flushed")));
  std::ifstream file(folder.file("a"), std::ios::binary);
  std::vector<char> bytes(half);
  REQUIRE(file.read(bytes.data(), half));
  bool all = true;
  for (std::size_t i = 0; i < bytes.size(); ++i) all = all && static_cast<unsigned char>(bytes[i]) == i % 251 + 1;
  CHECK(all);
}

TEST_CASE("a task that has ended is named by those that flush, and one that waits elsewhere", "[files]") {
  Folder folder;
  Machine machine({});
  const int waits = GENERATE(0, 1);
  constexpr int flush = 1;
  const auto reports = machine.run(files_program("files: absent", 3, "auto", folder.file("a"), {flush, waits}));
  for (const int task : {0, 1}) {
    CHECK_THAT(reports[static_cast<std::size_t>(task)],
               Catch::StartsWith("do_flush " + folder.file("a") + ": task 2 " +
                                 (waits != 0 ? "waits in another call\n" : "has ended\n")));
  }
}

TEST_CASE("who misses a task hears by which of its own calls", "[files]") {
  Folder folder;
  Machine machine({});
  const auto [call, name] = GENERATE(table<int, std::string>({{3, "do_preload"}, {4, "do_csize"}, {5, "do_lsize"}}));
  constexpr int ended = 0;
  const auto reports = machine.run(files_program("files: absent", 2, "auto", folder.file("a"), {call, ended}));
  CHECK_THAT(reports[0], Catch::StartsWith(name) && Catch::Contains(": task 1 has ended\n"));
}

TEST_CASE("a task that waits elsewhere is named by those that open a file", "[files]") {
  Folder folder;
  Machine machine({});
  const int thread = GENERATE(0, 1);
  const auto reports = machine.run(files_program("files: wait elsewhere", 3, "auto", folder.file("a"), {thread}));
  for (const std::string& report : reports) {
    CHECK(report == "do_open " + folder.file("a") + ": task 2 waits in another call");
  }
}

TEST_CASE("a task that computes is waited for, whether it serves others meanwhile or not", "[files]") {
  Folder folder;
  Machine machine({});
  const auto [serves, thread] = GENERATE(std::pair(0, 0), std::pair(1, 0), std::pair(0, 1));
  REQUIRE_NOTHROW(
      machine.run(files_program("files: compute elsewhere", 3, "auto", folder.file("a"), {serves, thread})));
}

TEST_CASE("a program whose do_nio has failed exchanges messages, and can begin again", "[files]") {
  Folder folder;
  const std::string transport = GENERATE("shm", "direct", "daemon");
  Machine machine({});
  REQUIRE_NOTHROW(machine.run(files_program("files: begin again", 3, transport, folder.file("a"))));
}

TEST_CASE("with a thread, what comes when a part has ended fails nobody", "[files]") {
  Folder folder;
  const std::string transport = GENERATE("shm", "daemon");
  Machine machine({});
  REQUIRE_NOTHROW(machine.run(files_program("files: many sessions", 3, transport, folder.file("a"), {60})));
}

TEST_CASE("a task that forgets to end its part in files ends all the same", "[files]") {
  Folder folder;
  const std::string transport = GENERATE("shm", "direct", "daemon");
  Machine machine({});
  REQUIRE_NOTHROW(machine.run(files_program("files: leave open", 3, transport, folder.file("a"))));
}

TEST_CASE("what is written to blocks of a task that has ended its part, and lives on, is told", "[files]") {
  Folder folder;
  const std::string transport = GENERATE("shm", "direct", "daemon");
  const int full = GENERATE(0, 1);
  Machine machine({});
  const auto reports = machine.run(files_program("files: outlive own part", 3, transport, folder.file("a"), {full}));
  for (const std::size_t task : {0, 1}) {
    CHECK(reports[task] == folder.file("a") + ": task 2, which has a part of it, has ended");
  }
}

TEST_CASE("two openers of one file are detected, and readers share it", "[files]") {
  Folder folder;
  const auto disk = files::make_posix_disk();
  const files::Way update{.access = files::Access::read_write, .create = true};
  const auto first = disk->open(folder.file("a"), update);
  const auto second = disk->open(folder.file("a"), update);
  CHECK(first->identity() == second->identity());
  CHECK(first->changed_ns() == second->changed_ns());
  const auto before = first->changed_ns();
  const auto time = std::filesystem::last_write_time(folder.file("a"));
  std::filesystem::last_write_time(folder.file("a"), time + std::chrono::nanoseconds(7));
  CHECK(first->changed_ns() == before + 7);
  first->lock(files::Access::read_write);
  CHECK_THROWS_WITH(second->lock(files::Access::read_write), Catch::Contains("is open elsewhere"));
  CHECK_THROWS_WITH(second->lock(files::Access::read), Catch::Contains("for writing"));
  const auto third = disk->open(folder.file("b"), update);
  const auto fourth = disk->open(folder.file("b"), update);
  third->lock(files::Access::read);
  CHECK_NOTHROW(fourth->lock(files::Access::read));
}

TEST_CASE("a file that was closed is open nowhere, though a child of this process lives on", "[files]") {
  Folder folder;
  const auto disk = files::make_posix_disk();
  const files::Way update{.access = files::Access::read_write, .create = true};
  auto file = disk->open(folder.file("a"), update);
  file->lock(files::Access::read_write);
  process::Pipe end;
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    end.write.reset();
    char byte = 0;
    (void)::read(end.read.get(), &byte, 1);
    ::_exit(0);
  }
  file.reset();
  CHECK_NOTHROW(disk->open(folder.file("a"), update)->lock(files::Access::read_write));
  end.write.reset();
  CHECK(::waitpid(child, nullptr, 0) == child);
}

TEST_CASE("a file is the same by way of the page cache and past it", "[files]") {
  Folder folder;
  const auto caching = GENERATE(files::Caching::page_cache, files::Caching::direct);
  const auto file = files::make_posix_disk(caching)->open(
      folder.file("a"), {.access = files::Access::read_write, .create = true, .exclusive = true});
  struct alignas(4096) Page {
    std::array<std::byte, 4096> bytes;
  };
  std::vector<Page> pages(3);
  for (std::size_t page = 0; page < pages.size(); ++page) pages[page].bytes.fill(static_cast<std::byte>(page + 1));
  const std::span<const std::byte> whole(pages[0].bytes);
  const std::span<const std::byte> other(pages[1].bytes);
  const std::span<const std::byte> part = std::span<const std::byte>(pages[2].bytes).first(100);
  file->write(4096, std::array{whole, other});
  file->write(3 * 4096, std::array{part});
  file->write(10, std::array{part});
  file->sync();
  CHECK(file->size() == 3 * 4096 + 100);
  std::vector<Page> read(5);
  file->read(0, std::span(read[0].bytes.data(), 5 * 4096));
  CHECK(
      (read[0].bytes[9] == std::byte{0} && read[0].bytes[10] == std::byte{3} && read[0].bytes[110] == std::byte{0}));
  CHECK((read[1].bytes == pages[0].bytes && read[2].bytes == pages[1].bytes));
  CHECK(
      (read[3].bytes[99] == std::byte{3} && read[3].bytes[100] == std::byte{0} && read[4].bytes[0] == std::byte{0}));
  std::array<std::byte, 7> few{};
  file->read(4096 + 4090, few);
  CHECK((few[5] == std::byte{1} && few[6] == std::byte{2}));
  // Not every file system can say what is in memory; what it has said it has is the file's.
  std::array<std::byte, 7> again{};
  const bool from_memory = file->read_from_memory(4096 + 4090, again);
  CHECK((!from_memory || again == few));
  CHECK_FALSE((from_memory && caching == files::Caching::direct));
  CHECK_FALSE(file->read_from_memory(3 * 4096 + 94, again));  // the file ends before
  file->resize(5000);
  CHECK(file->size() == 5000);
  CHECK_NOTHROW(file->read(4096 + 900, few, 4));
  CHECK((few[3] == std::byte{1} && few[4] == std::byte{0}));
  CHECK_THROWS_WITH(file->read(4096 + 900, few, 5), Catch::Contains("shorter since it was opened"));
  CHECK_THROWS_WITH(files::make_posix_disk(caching)->open(
                        folder.file("a"), {.access = files::Access::read_write, .create = true, .exclusive = true}),
                    Catch::Contains("File exists"));
}

TEST_CASE("several reads and writes at a time are those of a file, and errors those of one", "[files]") {
  Folder folder;
  const auto caching = GENERATE(files::Caching::page_cache, files::Caching::direct);
  const auto disk = files::make_posix_disk(caching);
  const auto file = disk->open(folder.file("a"), {.access = files::Access::read_write, .create = true});
  struct alignas(4096) Page {
    std::array<std::byte, 4096> bytes;
  };
  constexpr std::size_t count = 100;
  std::vector<Page> pages(count);
  std::vector<files::DiskFile::Writing> writings;
  for (std::size_t i = 0; i < count; ++i) {
    pages[i].bytes.fill(static_cast<std::byte>(i + 1));
    const std::span<const std::byte> page(pages[i].bytes);
    // Pairs of pages, and now and then one that is not whole.
    if (i % 2 == 0) writings.push_back({i * 4096, {i % 10 == 0 ? page.first(4095) : page}});
    else if (i % 10 != 1) writings.back().parts.push_back(page);
  }
  file->write_all(writings);
  for (const auto& one : writings) CHECK_FALSE(one.error.has_value());
  std::vector<Page> back(count);
  std::vector<files::DiskFile::Reading> readings;
  for (std::size_t i = 0; i < count; ++i) {
    back[i].bytes.fill(std::byte{255});
    readings.push_back({i * 4096, i % 7 == 3 ? std::span(back[i].bytes).first(4095) : std::span(back[i].bytes)});
  }
  file->read_all(readings);
  for (std::size_t i = 0; i < count; ++i) {
    const auto expected = i % 10 == 1 ? std::byte{0} : static_cast<std::byte>(i + 1);
    CHECK_FALSE(readings[i].error.has_value());
    CHECK((back[i].bytes[0] == expected && back[i].bytes[4094] == expected));
    const auto last = i % 7 == 3 ? std::byte{255} : i % 10 == 0 ? std::byte{0} : expected;
    CHECK(back[i].bytes[4095] == last);
  }
  const auto only_read = disk->open(folder.file("a"), {});
  std::vector<files::DiskFile::Writing> refused{{0, {std::span<const std::byte>(pages[0].bytes)}}};
  only_read->write_all(refused);
  REQUIRE(refused[0].error.has_value());
  CHECK_THAT(refused[0].error->what(), Catch::Contains("cannot be written"));
}

TEST_CASE("a program of one process needs no machine", "[files]") {
  Folder folder;
  const auto open = [&](const char* name, int flags) { return do_open(folder.file(name).c_str(), flags, 0666); };
  CHECK(open("a", O_RDWR) == -1);
  CHECK(std::string(do_error()) == "do_nio was not called yet");
  CHECK(do_nio(1, 2) == -1);
  CHECK(open("a", O_RDWR) == -1);
  CHECK(std::string(do_error()) == "do_nio has failed: do_nio(1, 2): this is task 0 of 1");
  for (const auto& [parameters, complaint] :
       {std::pair<std::string, std::string>{"foo=1", "NASVM_EDONIO has no parameter \"foo\"; it has: block"},
        {"owners=0,5", "owners=0,5: there is task 0"},
        {"disk=4k", "NASVM_EDONIO: a disk cache of 4096 bytes does not hold a block of 65536"},
        {"data=1", "NASVM_EDONIO: a data cache of 1 bytes does not hold a block of 65536 (0: none)"}}) {
    const EnvironmentVariable variable("NASVM_EDONIO", parameters);
    CHECK((do_nio(0, 1) == -1 && errno == EINVAL));
    CHECK_THAT(do_error(), Catch::StartsWith(complaint));
  }
  REQUIRE(do_nio(0, 1) == 0);
  CHECK(do_nio(0, 1) == -1);
  CHECK(open("a", O_RDWR | O_APPEND) == -1);
  CHECK(errno == EINVAL);
  for (const int flag : {O_TRUNC, O_CREAT, O_EXCL}) CHECK((open("a", O_RDONLY | flag) == -1 && errno == EINVAL));
  CHECK(open("a", O_RDONLY) == -1);
  CHECK(errno == ENOENT);
  CHECK(std::string(do_error()) == folder.file("a") + ": cannot be opened: No such file or directory");
  const int fd = open("a", O_RDWR);
  REQUIRE(fd == 0);
  CHECK(do_lsize(fd, 1 << 20) == 1 << 20);
  CHECK(do_write(fd, "0123456789", 10) == 10);
  CHECK(do_lseek(fd, -4, SEEK_CUR) == 6);
  char text[8] = {};
  CHECK(do_read(fd, text, 4) == 4);
  CHECK(std::string(text) == "6789");
  CHECK(do_read(fd, text, 1) == -1);
  CHECK(errno == ENODATA);
  CHECK(do_lseek(fd, 0, 7) == -1);
  CHECK(do_csize(0, 63) == -1);
  CHECK((do_csize(10, 64) == -1 && errno == EINVAL));
  CHECK(do_csize(0, 64) == 0);
  CHECK(do_check() == 0);
  CHECK(do_flush(fd) == 0);
  CHECK(do_close(fd) == 0);
  CHECK(do_close(fd) == -1);
  CHECK(errno == EBADF);
  CHECK(std::filesystem::file_size(folder.file("a")) == 10);
  files::detach();
}

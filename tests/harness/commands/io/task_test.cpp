#include "harness/commands/io/task.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include <filesystem>
#include <string>

#include "harness/commands/io/methods/method.hpp"
#include "harness/commands/io/order.hpp"
#include "support/folder.hpp"
#include "support/thread_machine.hpp"

using namespace nasvm;

TEST_CASE("io: the page cache forgets the file also by the path by which it is read", "[io]") {
  const test::Folder folder;
  IoOrder order;
  order.method = std::string(mounted_method);
  order.path = folder.file("elsewhere/file");
  // All of a file there is kept.
  order.mounted = "/dev/shm/nasvm-io-test-" + std::to_string(::getpid());
  order.pattern = "segmented";
  order.block_bytes = 8192;
  order.access_bytes = 4096;
  order.drop_cache = true;
  IoReport report;
  test::run_ranks(1, [&](Comm& comm) {
    report = record_of_text<IoReport>(measure_io(text_of_record(order), IoGround{.comm = comm}));
  });
  std::filesystem::remove(order.mounted);
  CHECK(report.wrong.empty());
  CHECK(report.file_bytes == 8192);
  CHECK(report.kept_bytes >= report.file_bytes);
}

TEST_CASE("io: a mapped file has its space before it is written to", "[io]") {
  const std::string path = "/dev/shm/nasvm-io-test-mapped-" + std::to_string(::getpid());
  constexpr std::uint64_t bytes = 1 << 20;
  IoOrder order;
  order.path = path;
  struct stat found {};
  test::run_ranks(1, [&](Comm& comm) {
    const auto method = io_method("mmap").make(IoGround{.comm = comm}, order);
    method->open_to_write(bytes);
    (void)::stat(path.c_str(), &found);
  });
  std::filesystem::remove(path);
  CHECK(static_cast<std::uint64_t>(found.st_blocks) * 512 >= bytes);
}

#include "harness/commands/io/one_file.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "harness/commands/io/methods/method.hpp"
#include "harness/commands/io/order.hpp"
#include "harness/commands/io/task.hpp"
#include "support/folder.hpp"
#include "support/thread_machine.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using Catch::Contains;

namespace {

IoOrder order_for(std::string_view method, const std::string& path) {
  IoOrder order;
  order.method = std::string(method);
  order.path = path;
  order.mounted = path;
  order.pattern = "segmented";
  order.block_bytes = 8192;
  order.access_bytes = 4096;
  order.sync = false;
  return order;
}

}  // namespace

TEST_CASE("io: tasks find out who does not have the file of task 0", "[io]") {
  const test::Folder one;
  const test::Folder other;
  std::array<int, 3> alike{};
  std::array<int, 3> apart{};
  // Somebody else's mark is none.
  (void)other.write(std::filesystem::path(mark_beside(other.file("file"))).filename(), "12345678");
  test::run_ranks(3, [&](Comm& comm) {
    const auto rank = static_cast<std::size_t>(comm.rank());
    alike[rank] = first_without(comm, one.file("file"));
    apart[rank] = first_without(comm, (comm.rank() == 2 ? other : one).file("file"));
  });
  CHECK(alike == std::array{3, 3, 3});
  CHECK(apart == std::array{2, 2, 2});
  CHECK(std::filesystem::is_empty(std::filesystem::path(one.file("file")).parent_path()));
}

TEST_CASE("io: a method that needs one file is not measured with a file on each host", "[io]") {
  for (const std::string_view method : {"posix", "mmap", "mounted"}) {
    CAPTURE(method);
    const test::Folder one;
    const test::Folder other;
    const auto measure = [&](Comm& comm) {
      const IoOrder order = order_for(method, (comm.rank() == 0 ? one : other).file("file"));
      (void)measure_io(text_of_record(order), IoGround{.comm = comm});
    };
    CHECK_THROWS_WITH(test::run_ranks(2, measure), Contains("a folder that all hosts share"));
    CHECK_THROWS_AS(test::run_ranks(2, measure), UsageError);
    for (const test::Folder* folder : {&one, &other}) {
      CHECK(std::filesystem::is_empty(std::filesystem::path(folder->file("file")).parent_path()));
    }
  }
}

TEST_CASE("io: the end of a file is told as such", "[io]") {
  const test::Folder folder;
  const IoOrder order = order_for("posix", folder.file("file"));
  const auto read_too_far = [&](Comm& comm) {
    const auto method = io_method("posix").make(IoGround{.comm = comm}, order);
    method->open_to_write(8);
    std::array<std::byte, 8> bytes{};
    method->write(0, bytes);
    method->close_written();
    method->open_to_read();
    method->read(4, bytes);
  };
  CHECK_THROWS_WITH(test::run_ranks(1, read_too_far), Contains("ends before all of it is read"));
}

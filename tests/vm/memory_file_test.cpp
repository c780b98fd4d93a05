#include "vm/memory_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>

#include "support/file_size_limit.hpp"

using namespace nasvm;

namespace {

off_t length_of(const net::Fd& file) {
  struct stat status {};
  return ::fstat(file.get(), &status) == 0 ? status.st_size : -1;
}

}  // namespace

TEST_CASE("a file in memory is as long as asked for") {
  CHECK(length_of(make_memory_file("test", 10'000)) == 10'000);
}

TEST_CASE("a file in memory that may not be so long is refused without a signal") {
  net::Fd refused, taken;
  int reason = 0;
  {
    const test::FileSizeLimit limit(1024);
    refused = make_memory_file("test", 1025);
    reason = errno;
    taken = make_memory_file("test", 1024);
  }
  CHECK_FALSE(refused);
  CHECK(reason == EFBIG);
  CHECK(length_of(taken) == 1024);
}

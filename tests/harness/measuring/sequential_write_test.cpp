#include "harness/measuring/sequential_write.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include <filesystem>

#include "support/file_size_limit.hpp"
#include "support/folder.hpp"
#include "vm/status.hpp"

using namespace nasvm;

TEST_CASE("sequential write: its file goes again, and nobody else's is touched") {
  const test::Folder folder;
  CHECK(sequential_write_s(folder.file("new"), 1000) > 0);
  CHECK_FALSE(std::filesystem::exists(folder.file("new")));
  const std::string there = folder.write("there", "precious");
  std::filesystem::create_symlink(there, folder.file("link"));
  for (const std::string& name : {there, folder.file("link")}) {
    CHECK_THROWS_AS(sequential_write_s(name, 1000), RunError);
    CHECK(std::filesystem::file_size(name) == 8);
  }
}

TEST_CASE("sequential write: who is killed in the midst of it leaves nothing") {
  const test::Folder folder;
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    const test::FileSizeLimit limit(1 << 20);
    (void)sequential_write_s(folder.file("new"), 2 << 20);
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ));
  CHECK_FALSE(std::filesystem::exists(folder.file("new")));
}

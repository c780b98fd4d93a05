#include "vm/system/scratch_folder.hpp"

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

#include "support/deadline.hpp"

using namespace nasvm;
using namespace std::chrono_literals;
using Places = std::vector<std::string_view>;

TEST_CASE("a place without room comes after those that have it", "[scratch_folder]") {
  const std::array<std::string_view, 3> places{"/proc", "/no/such/folder", "/"};  // /proc never has room
  CHECK(by_room(places, 1) == Places{"/", "/proc", "/no/such/folder"});
}

TEST_CASE("places keep their order when all have room, and when none has", "[scratch_folder]") {
  const std::array<std::string_view, 2> places{"/proc", "/"};
  CHECK(by_room(places, 0) == Places{"/proc", "/"});
  CHECK(by_room(places, std::uintmax_t{1} << 62) == Places{"/proc", "/"});
}

TEST_CASE("a scratch folder goes with all its content", "[process]") {
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

TEST_CASE("a scratch folder of a process that is gone is removed by the next one", "[process]") {
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

TEST_CASE("a scratch folder goes when its process is killed", "[process]") {
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
  test::Deadline deadline;
  while (std::filesystem::exists(path) && !deadline.passed()) ::usleep(1000);
  CHECK_FALSE(std::filesystem::exists(path));
}

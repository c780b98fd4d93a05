#include "vm/system/scratch_folder.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "support/process.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using namespace std::chrono_literals;

TEST_CASE("the first place that has room is taken", "[scratch_folder]") {
  const std::array<std::string_view, 4> places{"/proc", "/no/such/folder", "/", "/tmp"};  // /proc never has room
  CHECK(place_with_room(places, 1) == "/");
  CHECK(place_with_room(places, 0) == "/proc");
}

TEST_CASE("without room for its files no run begins, and the error says what there is", "[scratch_folder]") {
  const std::array<std::string_view, 2> places{"/proc", "/no/such/folder"};
  CHECK_THROWS_WITH(
      place_with_room(places, 3U << 20),
      "this run's files need 3.0 MiB of room, but /proc has 0.0 MiB, /no/such/folder has none: free some, "
      "or run fewer tasks");
  CHECK_THROWS_AS(ScratchFolder(std::uintmax_t{1} << 62), RunError);
}

TEST_CASE("a scratch folder goes with all its content", "[process]") {
  std::string path;
  {
    const ScratchFolder folder(1);
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
  std::error_code error;  // other runs may be faster, here and with the removal
  std::filesystem::create_directories(left + "/inner", error);
  std::filesystem::create_directories(foreign);
  const ScratchFolder first(1);
  const ScratchFolder second(1);
  CHECK(test::eventually([&] { return !std::filesystem::exists(left); }));
  CHECK(std::filesystem::exists(foreign));
  CHECK(std::filesystem::exists(first.path()));
  std::filesystem::remove(foreign);
}

TEST_CASE("a scratch folder stays while a process holds it whose number means nothing here", "[process]") {
  // As another process namespace has them: the number is nobody's here, the lock is held.
  const pid_t nobody = ::fork();
  if (nobody == 0) ::_exit(0);
  ::waitpid(nobody, nullptr, 0);
  const std::string path = "/tmp/nasvm-run-" + std::to_string(nobody) + "-abcdef";
  {
    // Other runs sweep it away until it is held.
    net::Fd held;
    REQUIRE(test::eventually([&] {
      std::filesystem::create_directories(path);
      held.reset(::open(path.c_str(), O_RDONLY | O_DIRECTORY));
      struct stat status {};
      return ::flock(held.get(), LOCK_EX | LOCK_NB) == 0 && ::fstat(held.get(), &status) == 0 && status.st_nlink != 0;
    }));
    const ScratchFolder folder(1);
    CHECK(std::filesystem::exists(path));
  }
  const ScratchFolder folder(1);
  CHECK(test::eventually([&] { return !std::filesystem::exists(path); }));
}

TEST_CASE("a scratch folder goes when its process is killed", "[process]") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      const ScratchFolder folder(1);
      std::ofstream(folder.path() + "/file") << "content";
      (void)!::write(ends[1], folder.path().data(), folder.path().size());
      ::close(ends[1]);
      for (;;) ::pause();
    } catch (...) {  // Catch must not go on in two processes
      ::_exit(1);
    }
  }
  ::close(ends[1]);
  std::string path(256, '\0');
  path.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::read(ends[0], path.data(), path.size()))));
  ::close(ends[0]);
  CHECK(std::filesystem::exists(path + "/file"));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  CHECK(test::eventually([&] { return !std::filesystem::exists(path); }));
}

#include "harness/document/read_text.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <thread>

#include "../fake_executor.hpp"

using namespace nasvm;
using test::Folder;

namespace {

std::string named_pipe(const Folder& folder) {
  std::string path = folder.file("pipe");
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  return path;
}

const std::string long_text = "{" + std::string(200'000, 'x');

}  // namespace

TEST_CASE("read text: a regular file, also an empty one") {
  const Folder folder;
  CHECK(read_text(folder.write("full", long_text)) == long_text);
  CHECK(read_text(folder.write("empty", "")).empty());
}

TEST_CASE("read text: of standard input comes what has not been read yet, be it a file or a socket") {
  const Folder folder;
  int sockets[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) == 0);
  REQUIRE(::write(sockets[0], "{rest}", 6) == 6);
  ::close(sockets[0]);
  const int file = ::open(folder.write("f", "read {rest}").c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(::lseek(file, 5, SEEK_SET) == 5);
  const int own = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
  for (const int input : {file, sockets[1]}) {
    ::dup2(input, STDIN_FILENO);
    ::close(input);
    CHECK(read_text("-") == "{rest}");
  }
  if (own < 0) {
    ::close(STDIN_FILENO);
  } else {
    ::dup2(own, STDIN_FILENO);
    ::close(own);
  }
}

TEST_CASE("read text: more than the bound is refused") {
  const Folder folder;
  const std::string path = folder.write("f", long_text);
  CHECK_THROWS_WITH(read_text(path, {.bytes = 100'000}), path + ": more than 0 MiB: no result document");
  CHECK(read_text(path, {.bytes = 300'000}) == long_text);
}

TEST_CASE("read text: what does not begin like a document is not read to its end") {
  const Folder folder;
  CHECK(read_text(folder.write("f", std::string(1'000'000, 'x')), {.bytes = 500'000}).size() < 500'000);
}

TEST_CASE("read text: a named pipe gives what is written into it, also later") {
  const Folder folder;
  const std::string path = named_pipe(folder);
  std::thread writer([&] { std::ofstream(path) << long_text; });
  CHECK(read_text(path, {.writer = std::chrono::seconds(60)}) == long_text);
  writer.join();
}

TEST_CASE("read text: a named pipe that nobody writes into is refused") {
  const Folder folder;
  const std::string path = named_pipe(folder);
  CHECK_THROWS_WITH(read_text(path, {.writer = std::chrono::milliseconds(1)}),
                    path + ": cannot be read: nobody writes into it");
}

TEST_CASE("read text: a writer that falls silent is not waited for without end") {
  const Folder folder;
  const std::string path = named_pipe(folder);
  const int both = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(::write(both, "{", 1) == 1);
  CHECK_THROWS_WITH(read_text(path, {.silence = std::chrono::milliseconds(1)}),
                    path + ": cannot be read: nothing more has come for a long time");
  ::close(both);
}

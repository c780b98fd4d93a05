#include "vm/process/pipe.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <string>

using namespace nasvm;

TEST_CASE("what is written to a pipe that nobody reads is an error, and no signal", "[process]") {
  process::Pipe pipe;
  CHECK(process::write_without_signal(pipe.write.get(), "heard") == 5);
  std::array<char, 8> heard{};
  CHECK(::read(pipe.read.get(), heard.data(), heard.size()) == 5);

  pipe.read.reset();
  const auto before = ::signal(SIGPIPE, SIG_DFL);  // a signal would end these tests
  errno = 0;
  CHECK(process::write_without_signal(pipe.write.get(), "unheard") == -1);
  CHECK(errno == EPIPE);
  ::signal(SIGPIPE, before);
  sigset_t pending, blocked;
  ::sigpending(&pending);
  ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  CHECK(::sigismember(&pending, SIGPIPE) == 0);
  CHECK(::sigismember(&blocked, SIGPIPE) == 0);
}

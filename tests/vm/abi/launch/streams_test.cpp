/// \file
/// The user's streams in the hands of tasks: host and guest in one process.

#include "vm/abi/launch/streams.hpp"

#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>

#include <catch2/catch.hpp>

#include "support/process.hpp"
#include "vm/abi/launch/stream_socket.hpp"
#include "vm/launch/machine.hpp"
#include "vm/launch/signal_watch.hpp"
#include "vm/process/pipe.hpp"

using namespace nasvm;
using namespace nasvm::abi;
using namespace nasvm::test;

namespace {

std::string read_some(int descriptor) {
  std::array<char, 4096> text;
  const ssize_t count = ::read(descriptor, text.data(), text.size());
  return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0))};
}

/// A host whose streams are pipes.
struct Pipes {
  process::Pipe input, output, error;
  StreamHost host{{input.read.get(), output.write.get(), error.write.get()}};
};

}  // namespace

TEST_CASE("streams: a task writes to the user's own, and rank 0 reads from them", "[exec]") {
  Pipes pipes;
  const StreamGuest first(pipes.host.name(), 0);
  const StreamGuest second(pipes.host.name(), 1);
  REQUIRE(first.input());
  CHECK_FALSE(second.input());
  REQUIRE(::write(pipes.input.write.get(), "typed", 5) == 5);
  CHECK(read_some(first.input().get()) == "typed");
  CHECK(second.write(STDOUT_FILENO, "out") == 0);
  CHECK(read_some(pipes.output.read.get()) == "out\n");
  CHECK(first.write(STDERR_FILENO, "err") == 0);
  CHECK(read_some(pipes.error.read.get()) == "err\n");
}

TEST_CASE("streams: the first failure counts, and what was told is forgotten once it was asked for", "[exec]") {
  Pipes pipes;
  {
    const StreamGuest first(pipes.host.name(), 0);
    const StreamGuest second(pipes.host.name(), 1);
    first.tell(Word::Kind::status, "0");
    second.tell(Word::Kind::status, "5");
    second.tell(Word::Kind::waits, "computes");
    first.tell(Word::Kind::expected, "");
  }
  const Told told = pipes.host.take();
  CHECK(told.failure == 5);
  CHECK(told.expected);
  CHECK(told.waits == std::map<int, std::string>{{1, "computes"}});
  CHECK(told.ended == 2);
  CHECK(pipes.host.take().failure == 0);
}

TEST_CASE("streams: lines come from other hosts in parts, among what daemons say", "[exec]") {
  Pipes pipes;
  pipes.host.hear_remark(remark_of({1, Word::Kind::part, "one "}));
  pipes.host.hear_remark(remark_of({2, Word::Kind::line, "another"}));
  pipes.host.hear_remark(remark_of({1, Word::Kind::line, "line"}));
  pipes.host.hear_remark(remark_of({1, Word::Kind::error_line, "complaint"}));
  CHECK(read_some(pipes.output.read.get()) == "another\none line\n");
  CHECK(read_some(pipes.error.read.get()) == "complaint\n");
}

TEST_CASE("streams: a signal that is to end this process goes to the one who waits for it", "[exec]") {
  const int number = GENERATE(SIGINT, SIGTERM, SIGHUP);
  CAPTURE(number);
  Pipes pipes;
  net::Poller poller;
  const SignalWatch watch(poller);
  ::kill(::getpid(), number);
  CHECK_THROWS_AS(poller.wait(std::chrono::seconds(60)), Interrupted);
}

TEST_CASE("streams: output that nobody takes is told", "[exec]") {
  Pipes pipes;
  ::signal(SIGPIPE, SIG_IGN);
  const StreamGuest guest(pipes.host.name(), 0);
  pipes.output.read.reset();
  CHECK(guest.write(STDOUT_FILENO, "line") == EPIPE);
  pipes.host.hear_remark(remark_of({1, Word::Kind::line, "line"}));
  CHECK(pipes.host.take().refused == "Broken pipe");
  ::signal(SIGPIPE, SIG_DFL);
}

TEST_CASE("streams: the user's own signals go to the tasks", "[exec]") {
  Pipes pipes;
  const StreamGuest guest(pipes.host.name(), 1);
  ::kill(::getpid(), SIGUSR1);
  int heard = 0;
  CHECK(eventually([&] { return (heard = guest.read_signal()) != 0; }));
  CHECK(heard == SIGUSR1);
}

TEST_CASE("streams: no signal comes before the streams", "[exec]") {
  Pipes pipes;
  const net::Fd early = make_stream_socket();
  const StreamAddress address(pipes.host.name());
  REQUIRE(::connect(early.get(), address.get(), address.length) == 0);
  const StreamGuest guest(pipes.host.name(), 1);  // the host has let both in, one after the other
  ::kill(::getpid(), SIGUSR1);
  REQUIRE(eventually([&] { return guest.read_signal() != 0; }));
  const std::string hello = packet_of({0, Word::Kind::hello, {}});
  REQUIRE(::send(early.get(), hello.data(), hello.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(hello.size()));
  char first = 1;
  REQUIRE(::recv(early.get(), &first, 1, 0) == 1);
  CHECK(first == 0);  // the byte with which streams travel
}

TEST_CASE("streams: without a host, words are remarks", "[exec]") {
  const StreamGuest guest("nasvm-streams-that-nobody-has-made", 0);
  CHECK_FALSE(guest.input());
  CHECK(guest.signal_descriptor() == -1);
}

/// \file
/// The user's streams in the hands of tasks: host and guest in one process.

#include "vm/abi/launch/streams.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <optional>

#include <catch2/catch.hpp>

#include "support/file_size_limit.hpp"
#include "support/folder.hpp"
#include "support/process.hpp"
#include "support/terminal.hpp"
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
  StreamGuest first(pipes.host.name(), 0);
  StreamGuest second(pipes.host.name(), 1);
  REQUIRE(first.input());
  CHECK_FALSE(second.input());
  REQUIRE(::write(pipes.input.write.get(), "typed", 5) == 5);
  CHECK(read_some(first.input().get()) == "typed");
  CHECK(second.write(STDOUT_FILENO, "out") == 0);
  CHECK(read_some(pipes.output.read.get()) == "out\n");
  CHECK(first.write(STDERR_FILENO, "err") == 0);
  CHECK(read_some(pipes.error.read.get()) == "err\n");
}

TEST_CASE("streams: each program of rank 0 reads a file from where it stood", "[exec]") {
  const Folder folder;
  const net::Fd file(::open(folder.write("input", "head\ntyped").c_str(), O_RDONLY | O_CLOEXEC));
  REQUIRE(::lseek(file.get(), 5, SEEK_SET) == 5);
  const Pipes pipes;
  StreamHost host({file.get(), pipes.output.write.get(), pipes.error.write.get()});
  for (int program = 0; program < 3; ++program) {
    const StreamGuest guest(host.name(), 0);
    REQUIRE(guest.input());
    CHECK(read_some(guest.input().get()) == "typed");
  }
}

TEST_CASE("streams: of several programs each reads all that has come by a pipe", "[exec]") {
  Pipes pipes;
  StreamHost host({pipes.input.read.get(), pipes.output.write.get(), pipes.error.write.get()}, Programs::several);
  REQUIRE(::write(pipes.input.write.get(), "one\n", 4) == 4);
  {
    const StreamGuest first(host.name(), 0);
    CHECK(read_some(first.input().get()) == "one\n");
  }
  const StreamGuest second(host.name(), 0);
  CHECK(read_some(second.input().get()) == "one\n");
  REQUIRE(::write(pipes.input.write.get(), "two\n", 4) == 4);
  CHECK(read_some(second.input().get()) == "two\n");
  pipes.input.write.reset();
  CHECK(read_some(second.input().get()).empty());
  CHECK_FALSE(host.has_lost_input());
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
  CHECK_FALSE(told.early);
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

TEST_CASE("streams: pieces are written as they come, and no newline is made", "[exec]") {
  Pipes pipes;
  StreamGuest first(pipes.host.name(), 0);
  StreamGuest second(pipes.host.name(), 1);
  CHECK(first.write(STDOUT_FILENO, "Enter n: ", false) == 0);
  CHECK(second.write(STDERR_FILENO, "err") == 0);
  CHECK(first.write(STDOUT_FILENO, "5") == 0);
  CHECK(first.write(STDOUT_FILENO, "Enter m: ", false) == 0);
  CHECK(second.write(STDOUT_FILENO, "other") == 0);
  CHECK(second.write(STDOUT_FILENO, std::string("\0end", 4), false) == 0);
  CHECK(read_some(pipes.output.read.get()) == std::string("Enter n: 5\nEnter m: other\n\0end", 30));
  CHECK(read_some(pipes.error.read.get()) == "err\n");
}

TEST_CASE("streams: the console's own words begin a line, too", "[exec]") {
  Pipes pipes;
  StreamGuest guest(pipes.host.name(), 0);
  CHECK(guest.write(STDERR_FILENO, "half", false) == 0);
  pipes.host.hear_remark("a daemon's");
  CHECK(guest.write(STDERR_FILENO, "half", false) == 0);
  CHECK(guest.write(STDOUT_FILENO, "bytes", false) == 0);
  pipes.host.end_lines();
  pipes.host.end_lines();
  CHECK(read_some(pipes.error.read.get()) == "half\na daemon's\nhalf\n");
  CHECK(read_some(pipes.output.read.get()) == "bytes");  // it is no terminal
}

TEST_CASE("streams: where output and error are one pipe, the console's own words begin a line", "[exec]") {
  Pipes pipes;
  StreamHost host({-1, pipes.error.write.get(), pipes.error.write.get()});
  StreamGuest guest(host.name(), 0);
  CHECK(guest.write(STDOUT_FILENO, "half", false) == 0);
  host.end_lines();
  CHECK(read_some(pipes.error.read.get()) == "half\n");
}

TEST_CASE("streams: each line begins with its task's tag once", "[exec]") {
  Pipes pipes;
  StreamGuest guest(pipes.host.name(), 0, true);
  CHECK(guest.write(STDOUT_FILENO, "one ", false) == 0);
  CHECK(guest.write(STDERR_FILENO, "err") == 0);
  CHECK(guest.write(STDOUT_FILENO, "line") == 0);
  CHECK(guest.write(STDOUT_FILENO, "") == 0);
  CHECK(guest.write(STDOUT_FILENO, "half", false) == 0);
  StreamGuest of_next_run(pipes.host.name(), 0, true);
  CHECK(of_next_run.write(STDOUT_FILENO, "half", false) == 0);
  CHECK(read_some(pipes.output.read.get()) == "[0] one line\n[0] \n[0] half[0] half");
  CHECK(read_some(pipes.error.read.get()) == "[0] err\n");
}

TEST_CASE("streams: on a terminal, of output and error, a line that stands open is ended once", "[exec]") {
  Terminal terminal;
  const pid_t process = terminal.lead([] {
    StreamHost host({-1, STDIN_FILENO, STDIN_FILENO});
    StreamGuest guest(host.name(), 0);
    const StreamGuest tagged(host.name(), 1, true);
    if (!guest.is_looked_at(STDOUT_FILENO) || tagged.is_looked_at(STDOUT_FILENO)) return 1;
    int error = guest.write(STDOUT_FILENO, "one ", false);
    error += guest.write(STDERR_FILENO, "line", false);
    host.end_lines();
    error += guest.write(STDOUT_FILENO, "prompt: ", false);
    error += guest.write(STDERR_FILENO, "");
    error += guest.write(STDOUT_FILENO, "answer");
    host.end_lines();
    error += guest.write(STDOUT_FILENO, "half", false);
    host.hear_remark(remark_of({1, Word::Kind::unfinished, "half"}));
    host.end_lines();
    host.hear_remark("a daemon's");
    (void)read_some(STDIN_FILENO);  // the terminal is seen before it is gone
    return error;
  });
  CHECK(terminal.shows("one line\r\nprompt: \r\nanswer\r\nhalfhalf\r\na daemon's\r\n"));
  terminal.type("\n");
  CHECK(exit_status_of(process) == 0);
}

TEST_CASE("streams: a line that stands open is not ended where there is no room, and nobody waits", "[exec]") {
  Pipes pipes;
  StreamGuest guest(pipes.host.name(), 0);
  CHECK(guest.write(STDERR_FILENO, "half", false) == 0);
  const int descriptor = pipes.error.write.get();
  const int flags = ::fcntl(descriptor, F_GETFL);
  ::fcntl(descriptor, F_SETFL, flags | O_NONBLOCK);
  const std::string much(65536, 'x');
  while (::write(descriptor, much.data(), much.size()) > 0) {
  }
  ::fcntl(descriptor, F_SETFL, flags);
  pipes.host.end_lines();
  ::fcntl(pipes.error.read.get(), F_SETFL, O_NONBLOCK);
  while (!read_some(pipes.error.read.get()).empty()) {
  }
  pipes.host.end_lines();
  CHECK(guest.write(STDERR_FILENO, "the rest") == 0);
  CHECK(read_some(pipes.error.read.get()) == "the rest\n");
}

TEST_CASE("streams: no file is needed for them", "[exec]") {
  std::optional<Pipes> pipes;
  std::optional<StreamGuest> guest;
  {
    const FileSizeLimit limit(0);
    pipes.emplace();
    guest.emplace(pipes->host.name(), 0);
  }
  REQUIRE(guest->signal_descriptor() >= 0);
  CHECK(guest->write(STDOUT_FILENO, "out") == 0);
  CHECK(read_some(pipes->output.read.get()) == "out\n");
}

TEST_CASE("streams: from other hosts a line without an end comes whole, and none is made", "[exec]") {
  Pipes pipes;
  pipes.host.hear_remark(remark_of({1, Word::Kind::part, "one "}));
  pipes.host.hear_remark(remark_of({1, Word::Kind::unfinished, "line "}));
  pipes.host.hear_remark(remark_of({1, Word::Kind::line, "at last"}));
  pipes.host.hear_remark(remark_of({1, Word::Kind::unfinished, "the end"}));
  pipes.host.hear_remark(remark_of({2, Word::Kind::line, "another"}));
  CHECK(read_some(pipes.output.read.get()) == "one line at last\nanother\n");
  (void)pipes.host.take();
  CHECK(read_some(pipes.output.read.get()) == "the end");
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
  StreamGuest guest(pipes.host.name(), 0);
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

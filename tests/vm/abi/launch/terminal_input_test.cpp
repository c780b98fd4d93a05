/// \file
/// A terminal that a program shares with a shell, in processes that have one of their own.

#include "vm/abi/launch/terminal_input.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include <catch2/catch.hpp>

#include "support/process.hpp"
#include "support/terminal.hpp"
#include "vm/process/pipe.hpp"

using namespace nasvm;
using namespace nasvm::abi;
using namespace nasvm::test;

namespace {

/// In a process without Catch: what is not so ends it with a line.
void require(bool is_so, const char* what) {
  if (is_so) return;
  std::fprintf(stderr, "not so: %s\n", what);
  ::_exit(1);
}

/// Is there something to read, or the end?
bool is_ready(int descriptor) {
  pollfd one{descriptor, POLLIN, 0};
  return ::poll(&one, 1, 0) > 0;
}

std::string read_some(int descriptor) {
  std::array<char, 4096> text;
  const ssize_t count = ::read(descriptor, text.data(), text.size());
  return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0))};
}

/// What is typed is there a moment later.
void type(const Terminal& terminal, const std::string& text) {
  terminal.type(text);
  require(eventually([] { return is_ready(STDIN_FILENO); }), "what is typed is there");
}

/// What the program reads next; empty: the end.
std::string carried(TerminalInput& input, const net::Fd& program) {
  const bool is_there = eventually([&] {
    input.go_on();
    return is_ready(program.get());
  });
  require(is_there, "something comes to the program");
  return read_some(program.get());
}

std::vector<pollfd> watched_by(const TerminalInput& input) {
  std::vector<pollfd> watched;
  input.watch(watched);
  return watched;
}

/// Of a session's leader: the terminal that it has.
TerminalInput own_terminal() {
  auto input = TerminalInput::of(STDIN_FILENO);
  require(input.has_value(), "standard input is this process's terminal");
  return std::move(*input);
}

}  // namespace

TEST_CASE("terminal: what is typed goes to the program, until the end of it", "[exec]") {
  const Terminal terminal;
  const pid_t process = terminal.lead([&] {
    TerminalInput input = own_terminal();
    const net::Fd program = input.open();
    terminal.type("one\n");
    require(carried(input, program) == "one\n", "the program gets the line");
    require(watched_by(input).size() == 2 && input.patience() < 0, "more is waited for");
    terminal.type("\004");
    require(carried(input, program).empty(), "the program gets the end");
    require(watched_by(input).empty(), "nothing is waited for after it");
    const net::Fd next = input.open();
    terminal.type("two\n");
    require(carried(input, next) == "two\n", "the next program reads again");
    return 0;
  });
  CHECK(exit_status_of(process) == 0);
}

TEST_CASE("terminal: in the background what is typed is left to the shell", "[exec]") {
  const Terminal terminal;
  const auto job = [&](pid_t shell) {
    ::signal(SIGTTOU, SIG_IGN);  // of tcsetpgrp
    ::setpgid(0, 0);
    TerminalInput input = own_terminal();
    const net::Fd program = input.open();
    type(terminal, "one\n");
    input.go_on();
    require(!is_ready(program.get()), "the program gets nothing in the background");
    require(watched_by(input).size() == 1 && input.patience() > 0, "only the time is waited for");
    ::tcsetpgrp(STDIN_FILENO, ::getpgrp());
    require(carried(input, program) == "one\n", "in the foreground it gets the line");
    require(watched_by(input).size() == 2 && input.patience() < 0, "more is waited for");
    ::tcsetpgrp(STDIN_FILENO, shell);
    type(terminal, "two\n");
    input.go_on();
    require(!is_ready(program.get()) && is_ready(STDIN_FILENO), "the next line is the shell's again");
    return 0;
  };
  const pid_t process = terminal.lead([&] {
    const pid_t shell = ::getpid();
    const pid_t child = ::fork();
    if (child == 0) ::_exit(job(shell));
    return exit_status_of(child);
  });
  CHECK(exit_status_of(process) == 0);
}

TEST_CASE("terminal: where no shell can give it back, input has ended", "[exec]") {
  const Terminal terminal;
  const pid_t process = terminal.lead([] {
    ::signal(SIGTTOU, SIG_IGN);
    const pid_t other = ::fork();
    if (other == 0) {
      for (;;) ::pause();
    }
    ::setpgid(other, other);
    ::tcsetpgrp(STDIN_FILENO, other);
    TerminalInput input = own_terminal();
    const net::Fd program = input.open();
    input.go_on();
    const bool has_ended = is_ready(program.get()) && read_some(program.get()).empty();
    ::kill(other, SIGKILL);
    ::waitpid(other, nullptr, 0);
    require(has_ended, "the program gets the end");
    return 0;
  });
  CHECK(exit_status_of(process) == 0);
}

TEST_CASE("terminal: when the program has closed its input, what is typed is left to the shell", "[exec]") {
  const Terminal terminal;
  const pid_t process = terminal.lead([&] {
    TerminalInput input = own_terminal();
    input.open().reset();
    type(terminal, "one\n");
    input.go_on();
    require(watched_by(input).empty(), "nothing is waited for");
    require(is_ready(STDIN_FILENO) && read_some(STDIN_FILENO) == "one\n", "the shell gets the line");
    return 0;
  });
  CHECK(exit_status_of(process) == 0);
}

TEST_CASE("terminal: while the program does not read, no more is taken than its pipe holds, and nothing is lost",
          "[exec]") {
  const Terminal terminal;
  const pid_t process = terminal.lead([&] {
    TerminalInput input = own_terminal();
    const net::Fd program = input.open();
    (void)::fcntl(program.get(), F_SETPIPE_SZ, 4096);
    std::string text;
    const auto type_line = [&] {
      const std::string line = std::string(999, static_cast<char>('a' + text.size() / 1000 % 26)) + "\n";
      type(terminal, line);
      input.go_on();
      text += line;
    };
    while (watched_by(input).size() != 1) type_line();
    require(watched_by(input).front().events == POLLOUT, "room in the pipe is waited for");
    type_line();
    require(is_ready(STDIN_FILENO), "the terminal is not read meanwhile");
    std::string read;
    while (read.size() < text.size()) read += carried(input, program);
    require(read == text, "the program gets everything");
    return 0;
  });
  CHECK(exit_status_of(process) == 0);
}

TEST_CASE("terminal: what is none, or another session's, is not read", "[exec]") {
  const process::Pipe pipe;
  CHECK_FALSE(TerminalInput::of(pipe.read.get()).has_value());
  const Terminal terminal;
  const pid_t process = terminal.lead([] {
    const pid_t child = ::fork();
    if (child != 0) return exit_status_of(child);
    ::setsid();
    ::_exit(TerminalInput::of(STDIN_FILENO).has_value() ? 1 : 0);
  });
  CHECK(exit_status_of(process) == 0);
}

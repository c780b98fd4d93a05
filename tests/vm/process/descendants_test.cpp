#include "vm/process/descendants.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

#include "support/process.hpp"
#include "vm/process/child.hpp"
#include "vm/process/pipe.hpp"
#include "vm/process/start.hpp"

using namespace nasvm;
using namespace nasvm::process;

namespace {

/// A shell in a session of its own that carries out `script`, which prints the numbers of so many processes.
struct Wrapper {
  Wrapper(const std::string& script, std::size_t processes) {
    Pipe output;
    shell = start({.program = "/bin/sh",
                   .arguments = {"-c", script},
                   .output = output.write.get(),
                   .session = SessionOf::itself});
    output.write.reset();
    std::istringstream numbers(lines_of(output, processes));
    for (pid_t process = 0; numbers >> process;) started.push_back(process);
  }
  Wrapper(const Wrapper&) = delete;
  Wrapper& operator=(const Wrapper&) = delete;
  ~Wrapper() {
    for (const pid_t process : started) {
      if (test::is_running(process)) ::kill(process, SIGKILL);
    }
    shell.kill();
  }

  static std::string lines_of(const Pipe& output, std::size_t count) {
    std::string text;
    for (char letter = 0; count > 0 && ::read(output.read.get(), &letter, 1) == 1;) {
      text += letter;
      if (letter == '\n') --count;
    }
    return text;
  }
  [[nodiscard]] bool has_ended() {
    return test::eventually([&] {
      bool ended = shell.ended().has_value();
      for (const pid_t process : started) ended = ended && !test::is_running(process);
      return ended;
    });
  }

  Child shell;
  std::vector<pid_t> started;
};

}  // namespace

TEST_CASE("what a script has started ends with it, also in a session of its own", "[process]") {
  Wrapper wrapper("sleep 1000 & echo $!; setsid sleep 1000 & echo $!; (sleep 1000 & echo $!; wait) & wait", 3);
  REQUIRE(wrapper.started.size() == 3);
  signal_with_descendants(std::array{wrapper.shell.pid()}, SIGTERM);
  CHECK(wrapper.has_ended());
}

TEST_CASE("orphans of a script end with it, as long as they are in its session", "[process]") {
  Wrapper wrapper("(sleep 1000 & echo $!); exec sleep 1000", 1);
  REQUIRE(wrapper.started.size() == 1);
  signal_with_descendants(std::array{wrapper.shell.pid()}, SIGTERM);
  CHECK(wrapper.has_ended());
}

TEST_CASE("what a script has left is found until the script is reaped", "[process]") {
  Wrapper wrapper("sleep 1000 & echo $!", 1);
  REQUIRE(wrapper.started.size() == 1);
  REQUIRE(test::eventually([&] { return wrapper.shell.peek().has_value(); }));
  CHECK(test::is_running(wrapper.started.front()));
  signal_with_descendants(std::array{wrapper.shell.pid()}, SIGKILL);
  CHECK(wrapper.has_ended());
}

TEST_CASE("other children, and what they have started, are not signalled", "[process]") {
  Wrapper wrapper("sleep 1000 & echo $!; wait", 1);
  Wrapper other("sleep 1000 & echo $!; wait", 1);
  REQUIRE(other.started.size() == 1);
  signal_with_descendants({}, SIGKILL);
  signal_with_descendants(std::array{wrapper.shell.pid()}, SIGKILL);
  REQUIRE(wrapper.has_ended());
  CHECK(test::is_running(other.shell.pid()));
  CHECK(test::is_running(other.started.front()));
}

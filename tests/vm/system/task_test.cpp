#include "vm/system/task.hpp"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <variant>

#include "vm/process/pipe.hpp"
#include "vm/system/protocol.hpp"

using namespace nasvm;
using namespace nasvm::system_protocol;

namespace {

std::unique_ptr<MessageSystem> refuse(const Seat&) { throw RunError("there is no way in"); }

}  // namespace

TEST_CASE("a task that cannot join says which rank it was to be", "[systems]") {
  Order order;
  order.rank = GENERATE(-1, 3);  // -1: the system is to say
  order.size = 5;
  process::Pipe said;
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const std::string variable = to_variable(order);
    ::setenv(order_variable, variable.substr(variable.find('=') + 1).c_str(), 1);
    ::dup2(said.write.get(), STDERR_FILENO);
    ::_exit(run_system_task(refuse, [](SystemTask&) {}));
  }
  said.write.reset();
  std::array<char, 1000> text{};
  const ssize_t count = ::read(said.read.get(), text.data(), text.size());
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WEXITSTATUS(status) == static_cast<int>(Exit::broken));
  const auto line = parse_task_line({text.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0))});
  REQUIRE(line.has_value());
  const auto* gave_up = std::get_if<GaveUp>(&*line);
  REQUIRE(gave_up != nullptr);
  CHECK(gave_up->rank == order.rank);
  CHECK(gave_up->text == "there is no way in");
}

/// \file
/// What the tasks do that the tests of message systems start: programs of their own, because each is linked with its
/// system. They run the body that their setup names.

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/common_bodies.hpp"
#include "vm/status.hpp"
#include "vm/system/task.hpp"

using namespace nasvm;
using namespace nasvm::test;

namespace {

void report_rank(SystemTask& task) {
  task.report("rank " + std::to_string(task.comm().rank()));
  task.report(" by " + std::string(task.comm().method(0)));
}

void beyond_4_gib(SystemTask& task) {
  constexpr std::size_t bytes = (std::size_t{1} << 32) + 12345;
  std::vector<std::uint8_t> data(bytes);
  if (task.comm().rank() == 0) {
    data.front() = 1;
    data[bytes / 2] = 2;
    data.back() = 3;
    task.comm().send(data, 1);
  } else {
    const Status status = task.comm().recv(data, 0);
    if (status.bytes != bytes || data.front() != 1 || data[bytes / 2] != 2 || data.back() != 3) {
      throw std::logic_error("a long message came wrong");
    }
  }
}

/// More Comms, one after the other, than MPI has communicators at a time.
void split_often(SystemTask& task) {
  for (int i = 0; i < 40'000; ++i) (void)task.comm().split(0, 0);
}

constexpr std::array own_bodies{
    Body<SystemTask>{"report rank", report_rank},
    Body<SystemTask>{"beyond 4 GiB", beyond_4_gib},
    Body<SystemTask>{"split often", split_often},
};

void run_body(SystemTask& task) { find_body<SystemTask>(task.setup(), own_bodies).run(task); }

}  // namespace

int main() { return run_system_task(join_message_system, run_body); }

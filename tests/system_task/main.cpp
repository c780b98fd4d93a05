/// \file
/// What the tasks do that the tests of message systems start: programs of their own, because each is linked with its
/// system. They run the body that their setup names.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "support/conformance.hpp"
#include "vm/status.hpp"
#include "vm/system/task.hpp"

using namespace nasvm;
using namespace nasvm::test;

namespace {

void conformance(SystemTask& task) { run_checks(task.comm(), conformance_checks()); }
void long_messages(SystemTask& task) { run_checks(task.comm(), long_message_checks()); }

void report_rank(SystemTask& task) {
  task.report("rank " + std::to_string(task.comm().rank()));
  task.report(" by " + std::string(task.comm().method(0)));
}

void report_long(SystemTask& task) {
  task.report(std::string(3'000'000, static_cast<char>('a' + task.comm().rank())));
  task.report("end\n");
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

void wait_forever(SystemTask& task) {
  std::array<int, 1> in{};
  task.comm().recv(in, any_source, 99);
}

void talk_forever(SystemTask& task) {
  for (;;) task.comm().allreduce(std::vector<double>(1000, 1.0));
}

void compute_forever(SystemTask&) {
  volatile double sum = 0;
  for (;;) sum = sum + 1;
}

/// The last rank ends in good order, but leaves a process behind that has all that it had.
void leave_a_process_behind(SystemTask& task) {
  if (task.comm().rank() != task.comm().size() - 1) return;
  const pid_t left = ::fork();
  while (left == 0) ::pause();
  task.report(std::to_string(left));
}

/// Gives up with words that are not UTF-8.
void throw_bytes(SystemTask&) { throw RunError("no file \"caf\xe9\" there"); }

void exit_early(SystemTask& task) {
  if (task.comm().rank() == task.comm().size() - 1) ::_exit(5);
  wait_forever(task);
}

void throw_late(SystemTask& task) {
  if (task.comm().rank() == 0) throw UsageError("this cannot be asked for");
  wait_forever(task);
}

void receive_too_little(SystemTask& task) {
  if (task.comm().rank() == 0) {
    task.comm().send(std::vector<int>(10), 1, 6);
    wait_forever(task);
  }
  std::vector<int> in(5);
  task.comm().recv(in, 0, 6);
}

struct Body {
  std::string_view name;
  void (*run)(SystemTask&);
};

constexpr std::array bodies{
    Body{"conformance", conformance},         Body{"long messages", long_messages},
    Body{"report rank", report_rank},         Body{"report long", report_long},
    Body{"beyond 4 GiB", beyond_4_gib},       Body{"split often", split_often},
    Body{"wait forever", wait_forever},       Body{"talk forever", talk_forever},
    Body{"compute forever", compute_forever}, Body{"leave a process behind", leave_a_process_behind},
    Body{"throw bytes", throw_bytes},         Body{"exit early", exit_early},
    Body{"throw late", throw_late},           Body{"receive too little", receive_too_little},
};

void run_body(SystemTask& task) {
  const auto found = std::ranges::find(bodies, task.setup(), &Body::name);
  if (found == bodies.end()) throw std::logic_error("no task body \"" + task.setup() + "\"");
  found->run(task);
}

}  // namespace

int main() { return run_system_task(join_message_system, run_body); }

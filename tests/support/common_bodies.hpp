#pragma once
/// \file
/// What tasks of every kind do in tests: those of our own machine (Task) and those of message systems (SystemTask).

#include <unistd.h>

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "support/conformance.hpp"
#include "vm/comm.hpp"
#include "vm/status.hpp"

namespace nasvm::test {

template <typename AnyTask>
struct Body {
  std::string_view name;
  void (*run)(AnyTask&);
};

namespace bodies {

template <typename AnyTask>
void conformance(AnyTask& task) {
  run_checks(task.comm(), conformance_checks());
}

template <typename AnyTask>
void long_messages(AnyTask& task) {
  run_checks(task.comm(), long_message_checks());
}

/// In two pieces.
template <typename AnyTask>
void report_long(AnyTask& task) {
  task.report(std::string(3'000'000, static_cast<char>('a' + task.comm().rank())));
  task.report("end\n");
}

/// Waits for what never comes.
template <typename AnyTask>
void wait_forever(AnyTask& task) {
  std::array<int, 1> in{};
  task.comm().recv(in, any_source, 99);
}

/// Talks all the time, so that connections exist and packets are under way when something dies.
template <typename AnyTask>
void talk_forever(AnyTask& task) {
  for (;;) task.comm().allreduce(std::vector<double>(1000, 1.0));
}

/// Computes without ever calling the message layer.
template <typename AnyTask>
void compute_forever(AnyTask&) {
  volatile double sum = 0;
  for (;;) sum = sum + 1;
}

/// The last rank ends in good order, but leaves a process behind that has all that it had.
template <typename AnyTask>
void leave_a_process_behind(AnyTask& task) {
  if (task.comm().rank() != task.comm().size() - 1) return;
  const pid_t left = ::fork();
  while (left == 0) ::pause();
  task.report(std::to_string(left));
}

/// Gives up with words that are not UTF-8.
template <typename AnyTask>
void throw_bytes(AnyTask&) {
  throw RunError("no file \"caf\xe9\" there");
}

template <typename AnyTask>
void exit_early(AnyTask& task) {
  if (task.comm().rank() == task.comm().size() - 1) ::_exit(5);
  wait_forever(task);
}

template <typename AnyTask>
void throw_late(AnyTask& task) {
  if (task.comm().rank() == 0) throw UsageError("this cannot be asked for");
  wait_forever(task);
}

template <typename AnyTask>
void receive_too_little(AnyTask& task) {
  if (task.comm().rank() == 0) {
    task.comm().send(std::vector<int>(10), 1, 6);
    wait_forever(task);
  }
  std::vector<int> in(5);
  task.comm().recv(in, 0, 6);
}

}  // namespace bodies

template <typename AnyTask>
inline constexpr std::array common_bodies{
    Body<AnyTask>{"conformance", bodies::conformance},
    Body<AnyTask>{"long messages", bodies::long_messages},
    Body<AnyTask>{"report long", bodies::report_long},
    Body<AnyTask>{"wait forever", bodies::wait_forever},
    Body<AnyTask>{"talk forever", bodies::talk_forever},
    Body<AnyTask>{"compute forever", bodies::compute_forever},
    Body<AnyTask>{"leave a process behind", bodies::leave_a_process_behind},
    Body<AnyTask>{"throw bytes", bodies::throw_bytes},
    Body<AnyTask>{"exit early", bodies::exit_early},
    Body<AnyTask>{"throw late", bodies::throw_late},
    Body<AnyTask>{"receive too little", bodies::receive_too_little},
};

/// The body of that name among all kinds' and `own`. Throws std::logic_error when there is none.
template <typename AnyTask>
const Body<AnyTask>& find_body(std::string_view name, std::span<const Body<AnyTask>> own) {
  for (const std::span<const Body<AnyTask>> table : {own, std::span<const Body<AnyTask>>(common_bodies<AnyTask>)}) {
    const auto found = std::ranges::find(table, name, &Body<AnyTask>::name);
    if (found != table.end()) return *found;
  }
  throw std::logic_error("no task body \"" + std::string(name) + "\"");
}

}  // namespace nasvm::test

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <exception>

#include "vm/service/parts.hpp"

// Handlers in a thread of their own. While the task is in the message layer, it takes what comes, and this thread
// only carries it out; while the task computes, this thread waits in the message layer in its place.

namespace nasvm::service {
namespace {

/// The task's thread may be bound to one core, which a thread that it makes would share.
void use_any_core() {
  cpu_set_t all;
  CPU_ZERO(&all);
  for (int core = 0; core < CPU_SETSIZE; ++core) CPU_SET(core, &all);
  (void)::sched_setaffinity(0, sizeof all, &all);
}

}  // namespace

void Service::Parts::start_thread() {
  thread = std::thread([this] {
    use_any_core();
    try {
      run_thread();
    } catch (...) {
      carrier.fail(std::current_exception());
    }
  });
}

void Service::Parts::run_thread() {
  const Hold turn(*this);
  while (!is_ending && !carrier.has_left()) {
    if (step()) continue;
    if (!carrier.others_want_turn()) wait({});
    if (!carrier.others_want_turn()) continue;
    carrier.give_turn();
    stand_aside();
    carrier.take_turn();
  }
}

/// Who has come to the message layer may come again soon, and would have to wake this thread each time.
void Service::Parts::stand_aside() {
  using namespace std::chrono_literals;
  constexpr auto longest_look = 1000us;
  std::unique_lock lock(aside_mutex);
  for (auto look = 50us; !has_work; look = std::min(2 * look, longest_look)) {
    const std::uint32_t before = carrier.turns_taken();
    aside.wait_for(lock, look, [this] { return has_work; });
    if (!carrier.is_in_use() && carrier.turns_taken() == before) break;
  }
  has_work = false;
}

void Service::Parts::wake_thread() {
  {
    const std::lock_guard lock(aside_mutex);
    if (has_work) return;
    has_work = true;
  }
  aside.notify_one();
}

void Service::Parts::stop_thread() {
  if (!own_thread) return;
  try {
    const Hold turn(*this);
    is_ending = true;
    wake_thread();
  } catch (const std::exception&) {
    // That thread's own error, with which it has ended: the machine says what has happened.
  }
  thread.join();
  own_thread = false;
}

void Service::Parts::wait_until_idle(const Endpoint& endpoint) {
  using namespace std::chrono_literals;
  while (running == &endpoint && !on_thread()) {
    carrier.give_turn();
    std::this_thread::sleep_for(50us);
    carrier.take_turn();
  }
}

}  // namespace nasvm::service

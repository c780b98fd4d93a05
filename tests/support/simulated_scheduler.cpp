#include "support/simulated_scheduler.hpp"

#include <algorithm>

namespace nasvm::test {
namespace {

using std::chrono::nanoseconds;

constexpr nanoseconds step{100};

}  // namespace

SimulatedScheduler::SimulatedScheduler(const Options& options)
    : options_(options), running_(static_cast<std::size_t>(options.cores)) {}

SimulatedScheduler::Thread& SimulatedScheduler::add_thread(int core) {
  Thread& thread = threads_.emplace_back();
  thread.bound = core != any_core;
  thread.core = thread.bound ? core : static_cast<int>(threads_.size() - 1) % options_.cores;
  thread.ready_since = now_;
  queue_.push_back(&thread);
  return thread;
}

int SimulatedScheduler::add_task(const Patience::Options& waiting, Compute compute, int core) {
  Thread& task = add_thread(core);
  task.compute = std::move(compute);
  task.patience = &patiences_.emplace_back(waiting, [&task] { return task.run_delay; });
  tasks_.push_back(&task);
  if (tasks_.size() % 2 == 0) {
    task.peer = tasks_[tasks_.size() - 2];
    task.peer->peer = &task;
  }
  begin_round(task);
  return static_cast<int>(tasks_.size()) - 1;
}

void SimulatedScheduler::run_for(nanoseconds time) {
  for (const nanoseconds end = now_ + time; now_ < end; now_ += step) {
    wake_sleepers();
    for (int core = 0; core < options_.cores; ++core) {
      Thread* thread = running(core);
      if (thread != nullptr && now_ >= thread->turn_ends) take_turn_away(*thread);
      if (running(core) == nullptr) give_core(core);
      if (running(core) != nullptr && running(core)->patience != nullptr) advance(*running(core));
    }
  }
}

/// To a core without work, if there is one; else it goes first on its own, before programs that compute.
void SimulatedScheduler::wake_sleepers() {
  for (Thread* task : tasks_) {
    if (task->state != State::asleep || task->rung.count() == 0 || now_ < task->rung + options_.wake_up) continue;
    task->state = State::ready;
    task->ready_since = now_;
    queue_.push_front(task);
    const auto idle = std::ranges::find(running_, nullptr);
    if (!task->bound && running(task->core) != nullptr && idle != running_.end()) {
      task->core = static_cast<int>(idle - running_.begin());
    }
    Thread* other = running(task->core);
    if (other != nullptr && other->patience == nullptr) take_turn_away(*other);
  }
}

void SimulatedScheduler::take_turn_away(Thread& thread) {
  running(thread.core) = nullptr;
  thread.state = State::ready;
  thread.ready_since = now_;
  queue_.push_back(&thread);
}

/// To its own first, then to whoever may come from elsewhere.
void SimulatedScheduler::give_core(int core) {
  auto next = std::ranges::find(queue_, core, &Thread::core);
  if (next == queue_.end()) next = std::ranges::find(queue_, false, &Thread::bound);
  if (next == queue_.end()) return;
  Thread& thread = **next;
  queue_.erase(next);
  thread.core = core;
  thread.state = State::running;
  thread.run_delay += now_ - thread.ready_since;
  thread.turn_ends = now_ + options_.turn;
  running(core) = &thread;
  if (thread.rung.count() == 0) return;
  thread.patience->woken_after(to_ticks(now_ - thread.rung));
  thread.rung = nanoseconds(0);
}

void SimulatedScheduler::begin_round(Thread& task) {
  task.waits = false;
  task.left_to_compute = task.compute(task.record.rounds);
}

void SimulatedScheduler::send(Thread& task) {
  task.peer->inbox.push_back(now_ + options_.message);
  if (task.peer->state == State::asleep && task.peer->rung.count() == 0) task.peer->rung = now_;
}

/// A step of a task that has a core.
void SimulatedScheduler::advance(Thread& task) {
  if (!task.waits) {
    task.left_to_compute -= step;
    if (task.left_to_compute.count() > 0) return;
    send(task);
    task.waits = true;
    if (task.inbox.empty() || task.inbox.front() > now_) return follow(task, task.patience->begin());
  }
  if (!task.inbox.empty() && task.inbox.front() <= now_) {
    task.inbox.pop_front();
    ++task.record.rounds;
    return begin_round(task);
  }
  task.record.looked += step;
  follow(task, task.patience->advise(false, to_ticks(now_)));
}

void SimulatedScheduler::follow(Thread& task, Patience::Advice advice) {
  if (advice == Patience::Advice::yield) return take_turn_away(task);
  if (advice == Patience::Advice::look) return;
  ++task.record.sleeps;
  task.state = State::asleep;
  // Who has sent before has not rung.
  if (!task.inbox.empty()) task.rung = now_;
  running(task.core) = nullptr;
}

}  // namespace nasvm::test

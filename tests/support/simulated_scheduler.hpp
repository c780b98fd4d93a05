#pragma once
/// \file
/// A small computer on a clock of its own: cores, programs of others that compute without end, and pairs of tasks
/// that compute, send each other a message, and wait for the other's as Patience advises.
///
/// Threads of a core take turns. Who is woken goes before programs that compute, as with Linux; a core without work
/// takes a thread that waits for another one. Time goes in steps of 100 ns, so a simulated second takes about a
/// tenth.

#include <chrono>
#include <deque>
#include <functional>
#include <vector>

#include "vm/waiting/patience.hpp"

namespace nasvm::test {

class SimulatedScheduler {
 public:
  struct Options {
    int cores = 2;
    std::chrono::nanoseconds turn = std::chrono::milliseconds(4);
    std::chrono::nanoseconds wake_up = std::chrono::microseconds(5);  ///< until who is woken can run
    std::chrono::nanoseconds message{300};                            ///< from core to core
  };
  static constexpr int any_core = -1;

  /// What a task has done.
  struct Record {
    long rounds = 0;
    long sleeps = 0;
    std::chrono::nanoseconds looked{0};  ///< for a message that was not there yet
  };
  /// How long a task computes before it sends its message of that round.
  using Compute = std::function<std::chrono::nanoseconds(long round)>;

  SimulatedScheduler() : SimulatedScheduler(Options{}) {}
  explicit SimulatedScheduler(const Options& options);
  void add_busy_loop(int core = any_core) { add_thread(core); }
  /// A task; each second one is the peer of the one before it. Returns its number.
  int add_task(const Patience::Options& waiting, Compute compute, int core = any_core);
  void run_for(std::chrono::nanoseconds time);
  [[nodiscard]] const Record& record(int task) const { return tasks_[static_cast<std::size_t>(task)]->record; }

 private:
  enum class State { ready, running, asleep };
  struct Thread {
    State state = State::ready;
    int core = 0;
    bool bound = false;
    std::chrono::nanoseconds ready_since{0}, run_delay{0}, turn_ends{0};
    // Of tasks only.
    Patience* patience = nullptr;
    Thread* peer = nullptr;
    Compute compute;
    std::chrono::nanoseconds left_to_compute{0};
    bool waits = false;
    std::deque<std::chrono::nanoseconds> inbox;  ///< when messages are there
    std::chrono::nanoseconds rung{0};            ///< 0: not
    Record record;
  };

  Thread& add_thread(int core);
  void wake_sleepers();
  void give_core(int core);
  void take_turn_away(Thread& thread);
  void advance(Thread& task);
  void begin_round(Thread& task);
  void send(Thread& task);
  void follow(Thread& task, Patience::Advice advice);
  [[nodiscard]] Thread*& running(int core) { return running_[static_cast<std::size_t>(core)]; }

  Options options_;
  std::chrono::nanoseconds now_ = std::chrono::hours(1);
  std::deque<Thread> threads_;
  std::deque<Patience> patiences_;
  std::vector<Thread*> tasks_;
  std::vector<Thread*> running_;  ///< by core; null: idle
  std::deque<Thread*> queue_;     ///< who is ready, first come first
};

}  // namespace nasvm::test

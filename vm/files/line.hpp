#pragma once
/// \file
/// Messages between the tasks that share files, as the file cache needs them. Over remote service requests in a
/// program (service_line.hpp); between threads in tests.
///
/// One thread uses a line. The listener is called in that thread whenever it is in the message layer, which is in
/// every call below and, in a program, in every call that waits or looks for messages; never from within itself.
///
/// Some lines have a thread of their own for the listener (has_thread). It is called between `lock` and `unlock`, and
/// whoever else uses what the listener uses locks it, too; `post`, `progress` and `wait_until` let it in meanwhile.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace nasvm::files {

using TimePoint = std::chrono::steady_clock::time_point;

class Line {
 public:
  virtual ~Line() = default;

  /// Tasks are numbered 0..size-1, as Comm's ranks.
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;

  /// Messages of one task to another come in the order in which they were posted. May block, serving others, while
  /// too much is under way; within the listener it does not. A message to a task that has ended vanishes.
  virtual void post(int to, std::vector<std::byte> message) = 0;
  /// Hands what has come to the listener. Does not wait.
  virtual void progress() = 0;
  /// The same until `done()`. Blocks. False: the deadline came first.
  virtual bool wait_until(const std::function<bool()>& done, TimePoint deadline) = 0;

  using Listener = std::function<void(int from, std::span<const std::byte> message)>;
  virtual void listen(Listener listener) = 0;

  /// It has ended, and takes part in nothing any more.
  [[nodiscard]] virtual bool is_gone(int task) const = 0;
  /// The task's part in the files has ended, which its messages have said: what is posted to it vanishes from now on,
  /// and a `post` that waits for room there ends. Also within the listener.
  virtual void forget(int /*task*/) {}
  /// Grows with the calls to the message layer that this task has begun.
  [[nodiscard]] virtual std::uint64_t calls() const = 0;

  /// Who sends this task something after its listener has gone hears nothing of it, and does not get an error either:
  /// others have to be told before.
  [[nodiscard]] virtual bool ends_silently() const { return true; }
  [[nodiscard]] virtual bool has_thread() const { return false; }
  virtual void lock() {}
  virtual void unlock() {}
  /// For the listener: the task's own thread is in the message layer, and not at work of its own.
  [[nodiscard]] virtual bool is_waiting() const { return true; }
};

}  // namespace nasvm::files

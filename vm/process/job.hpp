#pragma once
/// \file
/// Job: a program in a session of its own, heard line by line while it runs.

#include <sys/types.h>

#include <chrono>
#include <optional>

#include "vm/net/poller.hpp"
#include "vm/process/line_reader.hpp"
#include "vm/process/session.hpp"

namespace nasvm::process {

class Job {
 public:
  /// Starts the program, as Session does; its lines are handed over while `poller` is waited with. Throws RunError.
  Job(StartOptions options, net::Poller& poller, OnLine on_output, OnLine on_error);

  [[nodiscard]] pid_t pid() const { return session_.pid(); }
  /// How the program ended (as waitpid says), once it has and all it said has been read. What comes later than 500 ms
  /// after its end is not waited for: others may hold its pipes open. Does not block.
  std::optional<int> ended();
  /// Its end is near, or what it said last is still to be read: to be asked again soon.
  [[nodiscard]] bool ending() const;
  /// Asks the program to end (SIGTERM), and after `patience` kills what is left of its session. Blocks until it is
  /// gone, `patience` and 2 s at most. An Error that a watcher of the poller throws meanwhile is passed over: an
  /// interruption changes nothing any more.
  void end(std::chrono::milliseconds patience);

 private:
  using Clock = std::chrono::steady_clock;

  net::Poller& poller_;
  Session session_;
  LineReader output_, error_;
  std::optional<Clock::time_point> ended_at_;
};

}  // namespace nasvm::process

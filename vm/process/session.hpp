#pragma once
/// \file
/// A program that is started in a session of its own, with all that it starts in turn: to read what it prints, to see
/// it end, and to end it whole.

#include <sys/types.h>

#include <optional>
#include <utility>
#include <vector>

#include "vm/net/fd.hpp"
#include "vm/process/child.hpp"
#include "vm/process/start.hpp"

namespace nasvm::process {

class Session {
 public:
  /// As start; the session and the two output streams are its own, whatever `options` says of them. Throws RunError.
  explicit Session(StartOptions options);
  /// Ends everything that is still there.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] pid_t pid() const { return leader_.pid(); }
  /// Ends of the program's standard output and error, once each.
  net::Fd take_output() { return std::move(output_); }
  net::Fd take_error() { return std::move(error_); }

  /// How the program ended (as waitpid says), once it has. Does not block. It is reaped only by kill_all, so that the
  /// session's number stays its own as long as there may be something to kill.
  [[nodiscard]] std::optional<int> ended() const { return leader_.peek(); }
  /// Asks the program to end what it has started and itself (SIGTERM).
  void terminate();
  /// Kills what is left of the session. Blocks until it is gone, 2 s at most.
  void kill_all();

 private:
  /// All but the leader.
  [[nodiscard]] std::vector<pid_t> members() const;
  void kill_member(pid_t member) const;

  Child leader_;
  net::Fd output_, error_;
};

}  // namespace nasvm::process

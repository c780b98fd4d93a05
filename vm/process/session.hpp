#pragma once
/// \file
/// A program that is started in a session of its own, with all that it starts in turn: to read what it prints, to see
/// it end, and to end it whole.

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vm/net/fd.hpp"
#include "vm/net/poller.hpp"

namespace nasvm {

/// Hands over what comes through a pipe line by line (without the newline), a last incomplete line too.
class LineReader final : public net::Watcher {
 public:
  LineReader(net::Fd pipe, net::Poller& poller, std::function<void(std::string)> on_line);
  ~LineReader() override;
  void ready(std::uint32_t) override;
  [[nodiscard]] bool at_end() const { return !pipe_; }

 private:
  void close();

  net::Fd pipe_;
  net::Poller& poller_;
  std::function<void(std::string)> on_line_;
  std::string pending_;
};

/// A user that a program can be run as by root.
struct Account {
  std::string name;
  uid_t uid = 0;
  gid_t gid = 0;
};

/// While it lives, descendants become children of this process when those between die before them.
class Subreaper {
 public:
  Subreaper();
  ~Subreaper();
  Subreaper(const Subreaper&) = delete;
  Subreaper& operator=(const Subreaper&) = delete;

 private:
  int before_ = 0;
};

/// The process is asked to end (SIGTERM) when this process dies.
class Session {
 public:
  /// Finds `arguments[0]` by its path; `environment` has "NAME=value". Standard input is empty. As `account`, where
  /// there is one, the program is found also where that user has no way to it; it must be allowed to execute it.
  /// Throws RunError; a program that cannot be executed says so on its standard error and ends with status 127.
  Session(const std::vector<std::string>& arguments, const std::vector<std::string>& environment,
          const std::optional<Account>& account = std::nullopt);
  /// Ends everything that is still there.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Ends of the program's standard output and error, once each.
  net::Fd take_output() { return std::move(output_); }
  net::Fd take_error() { return std::move(error_); }

  /// How the program ended (as waitpid says), once it has. Does not block.
  std::optional<int> ended();
  /// Asks the program to end what it has started and itself.
  void terminate();
  /// Kills what is left of the session. Blocks until it is gone, 2 s at most.
  void kill_all();

 private:
  [[nodiscard]] std::vector<pid_t> members() const;

  pid_t pid_ = -1;
  std::optional<int> wait_status_;
  net::Fd output_, error_;
};

}  // namespace nasvm

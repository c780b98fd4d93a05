#pragma once
/// \file
/// A kept machine as its clients see it: starting one in the background, using it, ending it. What they are told
/// about machines that are not there, are of another version or do not answer is one line each, as everywhere.

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "vm/keeper/requests.hpp"
#include "vm/launch/machine.hpp"

namespace nasvm::keeper {

/// Starts a keeper with a machine of those options. Blocks until it is up. Throws UsageError and RunError, also what
/// has gone wrong in the keeper; nothing is left behind then.
void start_machine(const std::string& name, const Machine::Options& options);

/// How a machine has ended.
enum class Ending { stopped, killed, cleared };

/// Ends a machine: asks its keeper, and kills it when that takes too long; what a dead keeper has left is cleared
/// away. Blocks until all is gone. Throws UsageError when there is no such machine.
Ending stop_machine(const std::string& name);

/// A connection to a machine's keeper. While it lives, SIGINT, SIGTERM and SIGHUP make what blocks throw Interrupted.
class KeptMachine {
 public:
  /// Connects. Throws UsageError when there is no such machine or it is of another version; RunError.
  explicit KeptMachine(const std::string& name);
  ~KeptMachine();
  KeptMachine(const KeptMachine&) = delete;
  KeptMachine& operator=(const KeptMachine&) = delete;

  /// As it was when it was asked last: by the constructor, or `look`.
  [[nodiscard]] const State& state() const;
  const State& look();

  /// As Machine::run, but when others come first it waits. What tasks write goes to this process's standard error,
  /// unless `on_remark` gets it.
  std::vector<std::string> run(const Machine::Program& program);
  /// As those of Machine; they wait for programs to end.
  void add(const std::vector<HostSpec>& hosts);
  void remove(const std::vector<std::string>& names);

  [[nodiscard]] std::vector<long> task_pids() const;
  void on_start(std::function<void()> callback);
  /// Called when `before` others come first.
  void on_wait(std::function<void(int before)> callback);
  /// Gets what tasks write and what daemons say while the keeper is busy for this client, line by line.
  void on_remark(std::function<void(const std::string& line)> callback);
  /// Time without a word after which a keeper that is busy for this client is asked whether it is still there (10 s;
  /// other values are for tests). One that leaves six such questions in a row unanswered hangs: RunError.
  void ask_after(std::chrono::milliseconds silence);

 private:
  friend Ending stop_machine(const std::string& name);
  class Line;
  std::unique_ptr<Line> line_;
};

/// The hosts that are there.
std::vector<HostSpec> hosts_of(const State& state);
/// What the daemons of those said. Throws RunError when one is not there any more.
std::vector<HostFacts> facts_of(const State& state, const std::vector<HostSpec>& hosts);

}  // namespace nasvm::keeper

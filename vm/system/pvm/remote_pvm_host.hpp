#pragma once
/// \file
/// Another host's part of a run over PVM, as the console sees it: a remote shell there runs `nasvm-pvm-host`
/// (host_protocol.hpp).

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "vm/net/fd.hpp"
#include "vm/net/poller.hpp"
#include "vm/process/job.hpp"
#include "vm/process/pipe.hpp"
#include "vm/system/pvm/host_protocol.hpp"
#include "vm/system/pvm/pvm_places.hpp"
#include "vm/system/remarks.hpp"
#include "vm/system/roster.hpp"

namespace nasvm {

class RemotePvmHost {
 public:
  /// Starts the remote shell `shell`. What the host's tasks say, and what goes wrong there, is heard by `roster`;
  /// `on_answer` hears what the host's PVM daemon answers to that of the console. Throws UsageError, RunError.
  RemotePvmHost(const PvmPlace& place, PvmShare share, const std::vector<std::string>& shell, net::Poller& poller,
                TaskRoster& roster, process::OnLine on_answer);

  [[nodiscard]] const std::string& name() const { return name_; }
  /// PVM is there; its daemon can be started.
  [[nodiscard]] bool ready() const { return ready_; }
  [[nodiscard]] bool answered() const { return answered_; }
  void start_pvmd(const std::vector<std::string>& arguments) { say(pvm_protocol::line_for_pvmd(arguments)); }
  void start_tasks() { say(pvm_protocol::line_for_tasks()); }

  /// How the task ended (as waitpid says), once it has.
  [[nodiscard]] std::optional<int> task_ended(Rank rank) const;
  [[nodiscard]] const std::vector<Rank>& ranks() const { return ranks_; }
  /// Notes in the roster that the host has been lost, or PVM's daemon there. To be called again and again.
  void watch();

  /// Tells the host to end all that is there. Does not block.
  void dismiss() { input_.reset(); }
  /// It has done so.
  [[nodiscard]] bool gone() { return job_.ended().has_value(); }
  /// Ends the remote shell, whose end the host takes for the same. Blocks for a moment.
  void end();

 private:
  void say(const std::string& line);
  void give_sign_of_life();
  void hear(const std::string& line);
  void hear_error(const std::string& line);
  void take(const pvm_protocol::News& news);

  std::string name_;
  std::string shell_name_;
  std::vector<Rank> ranks_;
  TaskRoster& roster_;
  process::OnLine on_answer_;
  Remarks remarks_;
  std::chrono::steady_clock::time_point sign_given_ = std::chrono::steady_clock::now();
  bool ready_ = false;
  bool answered_ = false;
  bool lost_ = false;
  std::map<Rank, int> ended_;
  process::Pipe pipe_;  ///< to its standard input; both ends are ours until it has been started
  net::Fd input_;
  process::Job job_;
};

}  // namespace nasvm

#pragma once
/// \file
/// One host's part of a run over PVM: a daemon of PVM's, and tasks that enroll in it, all children of this process,
/// with their files in a folder that goes with them.

#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vm/net/poller.hpp"
#include "vm/process/job.hpp"
#include "vm/system/protocol.hpp"
#include "vm/system/scratch_folder.hpp"

namespace nasvm {

/// What a host is told of a run.
struct PvmShare {
  std::string program;                     ///< path of the tasks' program
  std::vector<std::string> arguments{};    ///< those that follow its name
  std::vector<std::string> environment{};  ///< "NAME=value", where the host's own has no such name
  system_protocol::Order order{};          ///< to each task, but for its rank
  std::vector<Rank> ranks{};               ///< of the tasks on this host
};

class PvmHost {
 public:
  /// Who hears the lines of PVM's daemon (standard output, standard error) and of the tasks.
  struct Hears {
    process::OnLine pvmd;
    process::OnLine pvmd_error;
    process::OnLine task;
    process::OnLine task_error;
  };

  /// Makes the folder; starts nothing. Throws UsageError when PVM is not installed here, cannot run as the user that
  /// was asked for, or that user may not execute the program; RunError.
  PvmHost(PvmShare share, net::Poller& poller, Hears hears);
  ~PvmHost() { end(); }
  PvmHost(const PvmHost&) = delete;
  PvmHost& operator=(const PvmHost&) = delete;

  /// Of this run alone, and of the user that PVM runs as.
  [[nodiscard]] const std::string& folder() const { return pvm_folder_; }
  /// `input`: descriptor of ours that is its standard input; -1: an empty one. Throws RunError.
  void start_pvmd(std::vector<std::string> arguments, int input = -1);
  /// Once the daemon listens. Throws RunError.
  void start_tasks();

  [[nodiscard]] const std::vector<Rank>& ranks() const { return share_.ranks; }
  /// The number of PVM's daemon; 0: it has not been started.
  [[nodiscard]] pid_t pvmd_pid() const { return pvmd_.has_value() ? pvmd_->pid() : 0; }
  /// How they ended (as waitpid says), once they have, and all that they said has been read. Do not block.
  std::optional<int> pvmd_ended() { return pvmd_.has_value() ? pvmd_->ended() : std::nullopt; }
  /// Of the task at that place among `ranks`; none when it has not been started.
  std::optional<int> task_ended(std::size_t place);
  /// A task's end is near: to be asked again soon.
  [[nodiscard]] bool ending() const;
  /// Leaves nothing behind. Blocks, some seconds at most. The tasks first, so that the daemon has nobody to mourn;
  /// then it is asked to halt, which removes its files.
  void end();

 private:
  void make_folder();
  /// In the environment of PVM, as the user that PVM runs as.
  [[nodiscard]] process::StartOptions options_for(const std::string& program,
                                                  std::vector<std::string> arguments) const;

  PvmShare share_;
  net::Poller& poller_;
  Hears hears_;
  std::string program_of_pvmd_;
  std::optional<process::Account> account_;  ///< whom PVM runs as; none: this user
  ScratchFolder folder_;
  std::string pvm_folder_;  ///< within it
  std::vector<std::string> environment_;
  std::optional<process::Job> pvmd_;
  std::vector<std::unique_ptr<process::Job>> tasks_;
};

/// Path of PVM's daemon. Throws UsageError when it is not installed here.
std::string find_pvmd();

}  // namespace nasvm

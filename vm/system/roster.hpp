#pragma once
/// \file
/// The tasks of a message system as their lines tell of them (vm/system/protocol.hpp), and the verdict on their run.

#include <string>
#include <vector>

#include "vm/launch/verdict.hpp"
#include "vm/status.hpp"

namespace nasvm {

class TaskRoster {
 public:
  explicit TaskRoster(int size) : tasks_(static_cast<std::size_t>(size)) {}

  /// Takes a line that rank 0 has written to standard output, or a task to standard error. False: it is not of the
  /// protocol.
  bool hear_output(const std::string& line);
  bool hear_error(const std::string& line);

  void note(Gravity gravity, std::string text, Exit exit_status = Exit::broken);

  [[nodiscard]] bool all_joined() const;
  [[nodiscard]] const Verdict& verdict() const { return verdict_; }
  [[nodiscard]] bool reported() const { return reports_.size() == tasks_.size(); }
  [[nodiscard]] std::vector<long> pids() const;
  /// "rank 1 (pid 4711, host lab1)", as far as that is known.
  [[nodiscard]] std::string describe(int rank) const;

  /// What each rank has reported; throws the failure if there is one.
  [[nodiscard]] std::vector<std::string> reports() const;

 private:
  struct TaskState {
    long pid = 0;
    std::string host;
  };

  [[nodiscard]] bool is_rank(int rank) const { return rank >= 0 && static_cast<std::size_t>(rank) < tasks_.size(); }

  std::vector<TaskState> tasks_;
  std::vector<std::string> reports_;
  Verdict verdict_;
};

}  // namespace nasvm

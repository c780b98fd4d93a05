#pragma once
/// \file
/// Understands what mpirun says on its standard error when a task has ended before its time: sentences for people,
/// between lines of dashes (those of Open MPI 4.1).

#include <optional>
#include <string>

#include "vm/launch/verdict.hpp"

namespace nasvm {

/// The end of a task, as mpirun tells it.
struct TaskEnd {
  int rank = -1;
  Gravity gravity = Gravity::exited;
  std::string text;  ///< what has become of it: "exited with status 5"

  bool operator==(const TaskEnd&) const = default;
};

/// Some ends are told in several lines, so lines are to be given in their order.
class MpirunListener {
 public:
  /// The end that the line tells, or completes; none: it tells nothing of that kind.
  std::optional<TaskEnd> hear(const std::string& line);

 private:
  int named_rank_ = -1;  ///< "Process name" of the block that is being read
};

}  // namespace nasvm

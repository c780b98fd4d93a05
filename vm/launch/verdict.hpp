#pragma once
/// \file
/// The one judge of failures: of a machine's runs (Machine) and of a message system's (TaskRoster). A death has
/// consequences, closed connections and tasks that give up, which may be heard of before it. So failures are
/// collected for a while, and then the gravest is told. Of equally grave ones the first stays.
///
/// No clock: the time is an argument. Nothing blocks.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "vm/status.hpp"

namespace nasvm {

/// From the least telling to the one that explains all others.
enum class Gravity : std::uint8_t {
  complaint,  ///< of a helper program, or no result though nothing else is known
  exited,     ///< a task's process has ended with a strange exit status
  failed,     ///< a task's or daemon's own words
  silent,     ///< a daemon or host does not answer
  killed,     ///< a task or daemon has died
  overdue,    ///< the time is up
};

class Verdict {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  void note(Gravity gravity, std::string text, TimePoint now, Exit exit_status = Exit::broken);

  [[nodiscard]] bool failed() const { return gravest_.has_value(); }
  /// Has it been collected for `patience` since the first failure? False where there is none.
  [[nodiscard]] bool due(TimePoint now, std::chrono::nanoseconds patience) const {
    return failed() && now - since_ >= patience;
  }
  /// The gravest failure; only after one. Throws it as an Error.
  [[noreturn]] void pronounce() const;

 private:
  struct Failure {
    Gravity gravity;
    Complaint complaint;
  };

  std::optional<Failure> gravest_;
  TimePoint since_{};  ///< of the first failure
};

}  // namespace nasvm

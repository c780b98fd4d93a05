#pragma once
/// \file
/// Exit statuses and the errors that carry them. Every program of the suite ends with one of these, and an
/// error's text is one line: what is wrong, and what would be right.

#include <exception>
#include <new>
#include <stdexcept>
#include <string>

namespace nasvm {

/// Exit status of every program (docs/results.md).
enum class Exit : int {
  ok = 0,
  failed = 1,     ///< a verification failed, or `regress` found a regression
  usage = 2,      ///< wrong arguments, files or environment
  broken = 3,     ///< a run could not finish: something died, timed out or ran out of memory
  undecided = 4,  ///< `regress` had too few or too noisy samples
};

/// An error that ends a program with a given exit status. `what()` is the one line for the user.
class Error : public std::runtime_error {
 public:
  Error(Exit exit_status, const std::string& text) : std::runtime_error(text), exit_status_(exit_status) {}
  [[nodiscard]] Exit exit_status() const noexcept { return exit_status_; }

 private:
  Exit exit_status_;
};

/// What the user typed, wrote or set is wrong.
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& text) : Error(Exit::usage, text) {}
};

/// The run cannot go on: a task, daemon or host died, a deadline passed, memory or descriptors ran out.
class RunError : public Error {
 public:
  explicit RunError(const std::string& text) : Error(Exit::broken, text) {}
};

/// What an exception has to say to the user.
struct Complaint {
  Exit exit_status = Exit::broken;
  std::string text;
};

/// That of the exception that is being handled; call it in a handler.
inline Complaint current_complaint() {
  try {
    throw;
  } catch (const Error& error) {
    return {error.exit_status(), error.what()};
  } catch (const std::bad_alloc&) {
    return {Exit::broken, "out of memory"};
  } catch (const std::exception& error) {
    return {Exit::broken, error.what()};
  } catch (...) {
    return {Exit::broken, "something was thrown that is no std::exception"};
  }
}

}  // namespace nasvm

#pragma once
/// \file
/// Tells people at a terminal what is being run, on standard error.

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "harness/session/output.hpp"
#include "harness/session/step_times.hpp"

namespace nasvm {

/// One line that is written over again, cut where the terminal ends. Where standard error is no terminal, a line that
/// stays at the first step that begins a minute or more after the last one, so that a long measurement can be told
/// from one that hangs, and a short one says nothing.
class Progress {
 public:
  explicit Progress(const Console& console) : console_(console), begin_(console.now()) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Step `position` (from 0) begins, and the one before it, if any, has come to its end: says how long all have
  /// taken, and how long the rest will take by what is known so far.
  void show(std::span<const std::string> steps, std::size_t position);
  /// Removes the line.
  void clear();
  /// A message that stays; written at a terminal or not.
  void note(const std::string& text);
  /// Is that line of a program's standard error one that `show` has left, and no complaint?
  static bool is_word(std::string_view line);

 private:
  const Console& console_;
  std::chrono::steady_clock::time_point begin_;
  std::chrono::steady_clock::time_point step_begin_;
  std::chrono::steady_clock::time_point last_word_ = begin_;  ///< where there is no terminal
  StepTimes times_;
  bool shown_ = false;
};

}  // namespace nasvm

#pragma once
/// \file
/// Tells people at a terminal what is being run, on standard error.

#include <chrono>
#include <cstddef>
#include <string>

#include "harness/session/output.hpp"

namespace nasvm {

/// One line that is written over again; nothing at all where standard error is no terminal.
class Progress {
 public:
  explicit Progress(const Console& console) : console_(console), begin_(std::chrono::steady_clock::now()) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Step `position` (from 0) of `total` begins.
  void show(const std::string& what, std::size_t position, std::size_t total);
  /// Removes the line.
  void clear();
  /// A message that stays; written at a terminal or not.
  void note(const std::string& text);

 private:
  const Console& console_;
  std::chrono::steady_clock::time_point begin_;
  bool shown_ = false;
};

}  // namespace nasvm

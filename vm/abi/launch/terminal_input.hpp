#pragma once
/// \file
/// The user's terminal as input of a program that runs in another session (that of a daemon), where the kernel does
/// not keep it from reading what is typed for others. The console reads it, as long as its own process group is in
/// the foreground, and passes it on by a pipe.

#include <poll.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vm/abi/launch/input_pipe.hpp"
#include "vm/net/fd.hpp"

namespace nasvm::abi {

/// Of one program at a time. To be used where SIGTTIN is blocked: whoever reads just when the terminal is taken away
/// is stopped otherwise. Does not block.
class TerminalInput {
 public:
  /// None: `input` is no terminal, or none that controls this process, so that all may read it.
  static std::optional<TerminalInput> of(int input);

  /// The reading end of a new pipe. What is typed from now on goes there, until it ends (Ctrl-D, no terminal any
  /// more) or nobody has that end any more. What the program before has not taken is lost. Empty: there are no
  /// descriptors.
  [[nodiscard]] net::Fd open();
  /// Adds what is to be waited for before `go_on`.
  void watch(std::vector<pollfd>& watched) const;
  /// For how long, in milliseconds; -1: without end. Nothing tells that a process group has come to the foreground.
  [[nodiscard]] int patience() const;
  /// Passes on what is there.
  void go_on();

 private:
  explicit TerminalInput(net::Fd terminal) : terminal_(std::move(terminal)) {}

  [[nodiscard]] bool pass_on();
  [[nodiscard]] bool read_more();
  void end();

  net::Fd terminal_;
  InputPipe pipe_;
  std::string typed_;  ///< and not passed on yet
  bool in_background_ = false;
};

}  // namespace nasvm::abi

#pragma once
/// \file
/// The pipe by which the console passes input on to a program of rank 0.

#include <poll.h>

#include <string_view>

#include "vm/net/fd.hpp"

namespace nasvm::abi {

/// To one program after the other. Does not block.
class InputPipe {
 public:
  /// The reading end of a new pipe, which stands for the one before. Empty: there are no descriptors.
  [[nodiscard]] net::Fd open();
  /// The program sees the end of its input.
  void end() { pipe_.reset(); }
  /// Is there anybody to read? Ends where nobody has the other end any more.
  [[nodiscard]] bool is_read();
  [[nodiscard]] explicit operator bool() const { return static_cast<bool>(pipe_); }
  /// How many bytes of the text there was room for; ends where nobody reads.
  [[nodiscard]] std::size_t pass_on(std::string_view text);
  /// What is to be waited for: room in the pipe, or only the news that nobody reads, which is told without being
  /// asked for.
  [[nodiscard]] pollfd watched(bool for_room) const;

 private:
  net::Fd pipe_;  ///< its writing end; none: nobody reads
};

}  // namespace nasvm::abi

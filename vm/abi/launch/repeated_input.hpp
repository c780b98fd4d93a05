#pragma once
/// \file
/// Standard input that is no terminal for several runs of a program, each of which reads it from its beginning.

#include <poll.h>
#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "vm/abi/launch/input_pipe.hpp"
#include "vm/net/fd.hpp"

namespace nasvm::abi {

/// A file that can be read again from where it stands.
class RepeatedFile {
 public:
  /// None: `input` is no regular file.
  static std::optional<RepeatedFile> of(int input);

  void rewind() const;

 private:
  RepeatedFile(int file, off_t begin) : file_(file), begin_(begin) {}

  int file_;  ///< the user's
  off_t begin_;
};

/// A pipe or a socket: what a run has been given is kept for the next ones. No more is read than there is room for in
/// the pipe of the program that runs. Does not block, as long as nobody else reads there.
class RepeatedPipe {
 public:
  static constexpr std::size_t most_kept = std::size_t{256} << 20U;

  /// None: `input` is neither. `most`: bytes that are kept.
  static std::optional<RepeatedPipe> of(int input, std::size_t most = most_kept);

  /// The reading end of a new pipe, by which all of it comes from its beginning. Empty: there are no descriptors, or
  /// it was too long.
  [[nodiscard]] net::Fd open();
  /// Was it too long to be kept? Then there is none for another run.
  [[nodiscard]] bool is_too_long() const { return is_too_long_; }
  /// Adds what is to be waited for before `go_on`.
  void watch(std::vector<pollfd>& watched) const;
  /// Passes on what is there.
  void go_on();

 private:
  RepeatedPipe(int source, std::size_t most) : source_(source), most_(most) {}

  [[nodiscard]] bool pass_on();
  [[nodiscard]] bool read_more();

  int source_;  ///< the user's
  std::size_t most_;
  InputPipe pipe_;
  std::string kept_;
  std::size_t passed_ = 0;  ///< of `kept_`, to the program that runs
  bool has_ended_ = false;
  bool is_too_long_ = false;
};

}  // namespace nasvm::abi

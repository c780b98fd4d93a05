#pragma once
/// \file
/// The lines that come through a pipe.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "vm/net/fd.hpp"
#include "vm/net/poller.hpp"
#include "vm/process/pipe_reader.hpp"

namespace nasvm::process {

using OnLine = std::function<void(std::string)>;

/// Hands over what comes through a pipe line by line (without the newline), a last incomplete line too, while
/// `poller` is waited with.
class LineReader {
 public:
  /// `pipe` is made non-blocking. What is longer than `longest` is no part of a line; by default there is no bound,
  /// for programs of this suite.
  LineReader(net::Fd pipe, net::Poller& poller, OnLine on_line, std::size_t longest = std::string::npos);
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// Hands over what has come by now, without waiting.
  void ready(std::uint32_t events) { reader_.ready(events); }
  /// Nobody holds the other end any more, and all has been read.
  [[nodiscard]] bool at_end() const { return reader_.at_end(); }

 private:
  void take(std::string_view bytes);

  OnLine on_line_;
  std::size_t longest_;
  std::string pending_;  ///< without a newline
  PipeReader reader_;
};

}  // namespace nasvm::process

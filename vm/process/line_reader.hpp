#pragma once
/// \file
/// The lines that come through a pipe.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "vm/net/fd.hpp"
#include "vm/net/poller.hpp"

namespace nasvm::process {

using OnLine = std::function<void(std::string)>;

/// Hands over what comes through a pipe line by line (without the newline), a last incomplete line too, while
/// `poller` is waited with.
class LineReader final : public net::Watcher {
 public:
  /// `pipe` is made non-blocking. What is longer than `longest` is no part of a line; by default there is no bound,
  /// for programs of this suite.
  LineReader(net::Fd pipe, net::Poller& poller, OnLine on_line, std::size_t longest = std::string::npos);
  ~LineReader() override;
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  void ready(std::uint32_t) override;
  /// Nobody holds the other end any more, and all has been read.
  [[nodiscard]] bool at_end() const { return !pipe_; }

 private:
  void close();
  void read_all();
  void take(std::string_view bytes);

  net::Fd pipe_;
  net::Poller& poller_;
  OnLine on_line_;
  std::size_t longest_;
  std::string pending_;  ///< without a newline
};

}  // namespace nasvm::process

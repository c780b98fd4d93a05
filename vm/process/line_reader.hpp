#pragma once
/// \file
/// The lines that come through a pipe.

#include <cstdint>
#include <functional>
#include <string>

#include "vm/net/fd.hpp"
#include "vm/net/poller.hpp"

namespace nasvm::process {

using OnLine = std::function<void(std::string)>;

/// Hands over what comes through a pipe line by line (without the newline), a last incomplete line too, while
/// `poller` is waited with. A line has no bound: those who write are programs that this one has started.
class LineReader final : public net::Watcher {
 public:
  /// `pipe` is made non-blocking.
  LineReader(net::Fd pipe, net::Poller& poller, OnLine on_line);
  ~LineReader() override;
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  void ready(std::uint32_t) override;
  /// Nobody holds the other end any more, and all has been read.
  [[nodiscard]] bool at_end() const { return !pipe_; }

 private:
  void close();
  void read_all();
  void hand_over_lines();

  net::Fd pipe_;
  net::Poller& poller_;
  OnLine on_line_;
  std::string pending_;
};

}  // namespace nasvm::process

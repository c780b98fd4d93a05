#pragma once
/// \file
/// What comes through a pipe.

#include <cstdint>
#include <functional>
#include <string_view>

#include "vm/net/fd.hpp"
#include "vm/net/poller.hpp"

namespace nasvm::process {

/// Gets some bytes; none: the end.
using OnBytes = std::function<void(std::string_view)>;

/// Hands over what comes through a pipe, as it comes, while `poller` is waited with.
class PipeReader final : public net::Watcher {
 public:
  /// `pipe` is made non-blocking.
  PipeReader(net::Fd pipe, net::Poller& poller, OnBytes on_bytes);
  ~PipeReader() override;
  PipeReader(const PipeReader&) = delete;
  PipeReader& operator=(const PipeReader&) = delete;

  void ready(std::uint32_t) override;
  /// Nobody holds the other end any more, and all has been read.
  [[nodiscard]] bool at_end() const { return !pipe_; }

 private:
  void close();

  net::Fd pipe_;
  net::Poller& poller_;
  OnBytes on_bytes_;
};

}  // namespace nasvm::process

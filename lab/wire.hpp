#pragma once
/// \file
/// Ethernet links with delay, reordering and duplication, for systems whose kernel has no netem: frames of one
/// interface go through a LossyLink to another one.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "lab/frame_port.hpp"
#include "lab/lossy_link.hpp"
#include "vm/net/poller.hpp"

namespace nasvm::lab {

class Wire {
 public:
  /// A link from a host's interface to that of the switch. Frames from host to switch are delayed and so on, those of
  /// the other direction pass at once: so a frame between two hosts is treated once. Both the same: one interface,
  /// by which what has arrived leaves again.
  struct Link {
    std::string host_side;
    std::string switch_side;
  };

  /// Each link has a seed of its own made of that of `path`. Errors as FramePort.
  Wire(const std::vector<Link>& links, const LossyLink::Options& path);
  ~Wire();

  /// Forwards frames until an error, which it throws (RunError).
  [[noreturn]] void run();

 private:
  class Path;
  class Shortcut;

  [[nodiscard]] std::chrono::nanoseconds until_next_arrival() const;

  net::Poller poller_;
  std::vector<std::unique_ptr<FramePort>> ports_;
  std::vector<std::unique_ptr<Path>> paths_;
  std::vector<std::unique_ptr<Shortcut>> shortcuts_;
};

}  // namespace nasvm::lab

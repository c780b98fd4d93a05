#pragma once
/// \file
/// A network interface from which every arriving frame can be read, whoever it is for, and by which frames can be
/// sent as they are (packet(7), SOCK_RAW). Needs CAP_NET_RAW in the interface's network namespace.

#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "vm/net/fd.hpp"

namespace nasvm::lab {

class FramePort {
 public:
  /// Throws UsageError when there is no such interface, RunError when the system refuses.
  explicit FramePort(const std::string& interface);

  /// Readable when a frame has arrived.
  [[nodiscard]] int fd() const { return fd_.get(); }
  /// The next frame that has arrived, or nothing. Never blocks. It is valid until the next call. Throws RunError when
  /// the interface has gone.
  std::span<const std::byte> receive();
  /// Never blocks. What the interface does not take is lost, as in a switch.
  void send(std::span<const std::byte> frame);

 private:
  std::string interface_;
  net::Fd fd_;
  std::array<std::byte, 65536 + 64> buffer_{};
};

}  // namespace nasvm::lab

#pragma once
/// \file
/// A port that keeps what goes out, until the test takes it away.

#include <memory>
#include <utility>
#include <vector>

#include "vm/daemon/port.hpp"

namespace nasvm::test {

class RecordingPort final : public daemon::SingleRoomPort {
 public:
  using SingleRoomPort::SingleRoomPort;

  void send(std::unique_ptr<daemon::Frame> frame) override {
    add_queued(*frame);
    frames.push_back(std::move(frame));
  }
  /// The oldest frame has left.
  void drain_one() {
    const std::unique_ptr<daemon::Frame> frame = std::move(frames.front());
    frames.erase(frames.begin());
    remove_queued(*frame);
  }

  std::vector<std::unique_ptr<daemon::Frame>> frames;
};

struct CountingWaiter final : daemon::Waiter {
  void room() override { ++times; }
  int times = 0;
};

}  // namespace nasvm::test

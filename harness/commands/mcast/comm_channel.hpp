#pragma once
/// \file
/// Comm's own broadcast, as message systems have it, with an answer of one byte from every receiver: so that the
/// sender knows as much as after a reliable multicast.

#include <array>

#include "harness/commands/mcast/channel.hpp"
#include "vm/comm.hpp"

namespace nasvm {

class CommMulticastChannel final : public MulticastChannel {
 public:
  /// All tasks of `comm`, which must outlive it.
  explicit CommMulticastChannel(Comm& comm);

  void send(std::span<const std::byte> message) override;
  std::int64_t receive(std::span<std::byte> message) override;
  void close() override {}
  [[nodiscard]] multicast::Counts counts() const override { return {}; }
  [[nodiscard]] Facts facts() const override { return {}; }
  [[nodiscard]] bool may_lose() const override { return false; }

 private:
  Comm& comm_;
  std::array<std::byte, 1> answer_{};
  std::vector<std::byte> answers_;
};

}  // namespace nasvm

#pragma once
/// \file
/// Broadcasts as programs have them that leave the choice to us (`--multicast auto`): inside a host by memory,
/// between hosts by what the table of rules says (vm/multicast/automatic.hpp). Where the sender does not know by
/// itself that all have a message, each receiver answers with a byte.

#include <vector>

#include "harness/commands/mcast/channel.hpp"
#include "vm/broadcast/multicast_broadcasts.hpp"
#include "vm/task.hpp"

namespace nasvm {

class AutoChannel final : public MulticastChannel {
 public:
  /// All tasks of the task's world, rank 0 the sender. The task must outlive it. `options`: of the group between
  /// hosts.
  AutoChannel(Task& task, const multicast::GroupOptions& options);

  void send(std::span<const std::byte> message) override;
  std::int64_t receive(std::span<std::byte> message) override;
  void close() override { comm_.barrier(); }
  [[nodiscard]] multicast::Counts counts() const override;
  [[nodiscard]] Facts facts() const override;
  [[nodiscard]] bool may_lose() const override { return false; }
  [[nodiscard]] std::string chosen(std::uint64_t bytes) const override;

 private:
  void broadcast(std::span<std::byte> message);
  void answer(std::size_t bytes);

  Comm& comm_;
  multicast::Broadcasts method_;
  std::vector<std::byte> answers_;
};

}  // namespace nasvm

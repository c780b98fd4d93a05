#pragma once
/// \file
/// The channel over Comm: whatever transport the run has chosen.

#include <vector>

#include "harness/commands/p2p/pair/channel.hpp"
#include "vm/comm.hpp"

namespace nasvm {

class CommChannel final : public Channel {
 public:
  /// Bursts have up to `most_in_flight` messages.
  CommChannel(Comm& comm, Rank peer, int most_in_flight);

  void send(std::span<const std::byte> data) override { comm_.send(data, peer_); }
  void recv(std::span<std::byte> data) override { comm_.recv(data, peer_, 0); }
  void send_burst(const Burst& out) override;
  void recv_burst(const Burst& in) override;
  void exchange_bursts(const Burst& out, const Burst& in) override;

 private:
  Comm& comm_;
  Rank peer_;
  std::vector<Request> requests_;  ///< empty between calls; has room for two bursts
};

}  // namespace nasvm

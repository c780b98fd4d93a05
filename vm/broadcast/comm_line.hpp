#pragma once
/// \file
/// A group's packets as messages of a Comm, for protocols over links: the Comm's transports bring each once and in
/// order. A packet to all is one message to each.

#include <memory>
#include <vector>

#include "vm/broadcast/line.hpp"
#include "vm/broadcast/surroundings.hpp"
#include "vm/comm.hpp"

namespace nasvm::multicast {

/// Node 0 is `root`, the others follow in rank order.
[[nodiscard]] Rank rank_of(Node node, Rank root);
[[nodiscard]] Node node_of(Rank rank, Rank root);

class CommLine final : public Line {
 public:
  /// Longest payload of a packet: with its header it leaves without asking for room.
  static constexpr std::size_t packet_bytes = (std::size_t{64} << 10) - header_bytes;

  /// The members of `comm`, which has no other packets and outlives this.
  CommLine(const Surroundings& here, Comm& comm, Rank root) : here_(here), comm_(comm), root_(root) {}

  void send(Node to, const Packet& packet) override;
  void send_to_all(const Packet& packet) override;
  void serve(End& end, const std::function<bool()>& done) override;

 private:
  struct Sent {
    std::vector<std::byte> bytes;
    Request request;
  };
  /// Forgets what has left; blocks while there are many that have not.
  void make_room();
  /// Blocks until there is a packet. False: first came a loss, or `done()`.
  bool find(Status& found, const std::function<bool()>& done);
  /// False: its sender is lost, and the rest of it.
  bool receive(const Status& found);

  Surroundings here_;
  Comm& comm_;
  Rank root_;
  std::vector<std::unique_ptr<Sent>> sent_;
  std::vector<std::byte> received_;
};

}  // namespace nasvm::multicast

#pragma once
/// \file
/// A sender's way to the network that gives multicast up for a packet after some tries: from then on it goes to those
/// who said that they miss it, one by one (Dunigan and Hall, PVM and IP Multicast, section 3.2.4). Memory is bounded
/// by the window.

#include <cstdint>
#include <optional>
#include <vector>

#include "vm/multicast/multicast.hpp"

namespace nasvm::multicast::ipmcast {

class UnicastFallback final : public Network {
 public:
  /// `retries`: times that a packet is multicast again; `window`: packets on their way at once.
  UnicastFallback(int receivers, std::uint32_t retries, std::uint32_t window, Network& network);

  void send(Node to, const Packet& packet) override;
  void send_to_all(const Packet& packet) override;
  void give_copies(Node to) override;
  [[nodiscard]] bool has_room() const override { return network_.has_room(); }

  /// A receiver's NAK.
  void missing(Node node, const Packet& nak);
  void lost(Node node);

  /// Copies that went one by one, beyond the first of each packet and time.
  [[nodiscard]] std::uint64_t further_copies() const { return further_copies_; }

 private:
  struct Place {
    std::uint32_t sequence = 0;
    std::uint32_t multicasts = 0;
    std::vector<Node> missing;
  };
  [[nodiscard]] Place& place(std::uint32_t sequence) { return places_[sequence & (places_.size() - 1)]; }
  void send_one_by_one(const Place& place, const Packet& packet);

  Network& network_;
  std::uint32_t retries_;
  std::vector<bool> alive_;  ///< by node
  /// By node: the question that it was asked apart last, as long as it is in doubt whether it hears what is for all.
  std::vector<std::optional<std::uint32_t>> asked_apart_;
  std::vector<Place> places_;  ///< of the latest packets, by sequence number
  std::uint64_t further_copies_ = 0;
};

}  // namespace nasvm::multicast::ipmcast

#include "vm/multicast/fanout/fanout.hpp"

#include <algorithm>
#include <vector>

#include "vm/multicast/pieces.hpp"

namespace nasvm::multicast {
namespace {

class FanoutSender final : public Sender {
 public:
  FanoutSender(const Group& group, Network& network) : network_(network), packet_bytes_(group.packet_bytes) {
    for (Node node = 1; node <= group.receivers; ++node) receivers_.push_back(node);
  }

  void send(std::span<const std::byte> message, TimePoint /*now*/) override {
    const Pieces pieces(message, message_++, sequence_, packet_bytes_);
    for (; sequence_ != pieces.end(); ++sequence_) {
      for (const Node receiver : receivers_) network_.send(receiver, pieces.packet(sequence_));
      counts_.data_packets += receivers_.size();
    }
  }
  bool done() const override { return true; }
  void arrived(Node, const Packet&, TimePoint) override {}
  void lost(Node node, TimePoint) override { std::erase(receivers_, node); }
  const Counts& counts() const override { return counts_; }

 private:
  Network& network_;
  std::size_t packet_bytes_;
  std::vector<Node> receivers_;
  std::uint32_t message_ = 0;
  std::uint32_t sequence_ = 0;
  Counts counts_;
};

/// Packets come in order, so messages do not mix and the last packet of each completes it.
class FanoutReceiver final : public Receiver {
 public:
  explicit FanoutReceiver(Inbox& inbox) : inbox_(inbox) {}

  void arrived(Node from, const Packet& packet, TimePoint /*now*/) override {
    if (from != sender_node || packet.kind != Packet::Kind::data || !inbox_.take(packet)) return;
    if (packet.offset + packet.payload.size() == packet.message_bytes) inbox_.complete(packet.message);
  }
  void lost(Node, TimePoint) override {}

 private:
  Inbox& inbox_;
};

}  // namespace

std::unique_ptr<Sender> make_fanout_sender(const Group& group, Network& network) {
  return std::make_unique<FanoutSender>(group, network);
}

std::unique_ptr<Receiver> make_fanout_receiver(const Group&, Network&, Inbox& inbox) {
  return std::make_unique<FanoutReceiver>(inbox);
}

}  // namespace nasvm::multicast

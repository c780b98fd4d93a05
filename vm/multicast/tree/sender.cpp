#include "vm/multicast/pieces.hpp"
#include "vm/multicast/tree/branch.hpp"
#include "vm/multicast/tree/settings.hpp"
#include "vm/multicast/tree/tree.hpp"

namespace nasvm::multicast {
namespace {

class TreeSender final : public Sender {
 public:
  TreeSender(const Group& group, Network& network)
      : network_(network),
        packet_bytes_(group.packet_bytes),
        window_(tree::window_of(group)),
        branch_(tree::shape_of(group), sender_node) {}

  void send(std::span<const std::byte> message, TimePoint /*now*/) override {
    pieces_ = Pieces(message, message_++, next_, packet_bytes_);
    end_ = pieces_.end();
    go_on();
  }
  bool done() const override { return branch_.everywhere(end_) == end_; }

  void arrived(Node from, const Packet& packet, TimePoint /*now*/) override {
    const bool makes_sense = packet.kind == Packet::Kind::ack && branch_.has_below(from);
    if (!makes_sense || before(next_, packet.sequence)) return;
    branch_.acknowledged(from, packet.sequence);
    go_on();
  }
  void lost(Node node, TimePoint /*now*/) override {
    for (const Node heir : branch_.lose(node)) {
      for (std::uint32_t sequence = branch_.known_of(heir); sequence != next_; ++sequence) {
        send_piece(heir, sequence);
        ++counts_.retransmitted;
      }
    }
    go_on();
  }
  const Counts& counts() const override { return counts_; }

 private:
  void go_on() {
    const std::uint32_t edge = branch_.everywhere(next_) + window_;
    for (; next_ != end_ && before(next_, edge); ++next_) {
      for (const Node child : branch_.children()) send_piece(child, next_);
    }
  }
  void send_piece(Node child, std::uint32_t sequence) {
    network_.send(child, pieces_.packet(sequence));
    ++counts_.data_packets;
  }

  Network& network_;
  std::size_t packet_bytes_;
  std::uint32_t window_;
  tree::Branch branch_;
  Pieces pieces_;
  std::uint32_t message_ = 0;
  std::uint32_t next_ = 0;  ///< piece to send
  std::uint32_t end_ = 0;   ///< after the message's last piece
  Counts counts_;
};

}  // namespace

std::unique_ptr<Sender> make_tree_sender(const Group& group, Network& network) {
  return std::make_unique<TreeSender>(group, network);
}

}  // namespace nasvm::multicast

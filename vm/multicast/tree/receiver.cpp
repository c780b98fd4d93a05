#include "vm/multicast/tree/branch.hpp"
#include "vm/multicast/tree/held_pieces.hpp"
#include "vm/multicast/tree/settings.hpp"
#include "vm/multicast/tree/tree.hpp"

namespace nasvm::multicast {
namespace {

class TreeReceiver final : public Receiver {
 public:
  TreeReceiver(const Group& group, Network& network, Inbox& inbox)
      : network_(network),
        inbox_(inbox),
        window_(tree::window_of(group)),
        every_(tree::acknowledged_every(window_)),
        branch_(tree::shape_of(group), group.self),
        held_(branch_.children().empty() ? 1 : window_) {}

  void arrived(Node from, const Packet& packet, TimePoint /*now*/) override {
    if (packet.kind == Packet::Kind::data && branch_.has_above(from)) take(packet);
    if (packet.kind == Packet::Kind::ack && branch_.has_below(from) && !before(next_, packet.sequence)) {
      branch_.acknowledged(from, packet.sequence);
    }
    acknowledge_when_due();
  }

  void lost(Node node, TimePoint /*now*/) override {
    const auto parent = branch_.parent();
    for (const Node heir : branch_.lose(node)) {
      for (std::uint32_t sequence = branch_.known_of(heir); sequence != next_; ++sequence) {
        network_.send(heir, held_.piece(sequence));
      }
    }
    // The lost parent may have kept what it was told to itself.
    if (branch_.parent() != parent) acknowledge();
    acknowledge_when_due();
  }

 private:
  /// Links bring pieces in order; those that a new parent sends again are known by their numbers.
  void take(const Packet& piece) {
    const bool has_room = piece.sequence - branch_.everywhere(next_) < window_;
    if (piece.sequence != next_ || !has_room) return;
    if (!branch_.children().empty()) held_.put(piece);
    for (const Node child : branch_.children()) network_.send(child, piece);
    inbox_.take(piece);
    ++next_;
    if (piece.offset + piece.payload.size() != piece.message_bytes) return;
    message_end_ = next_;
    inbox_.complete(piece.message);
  }

  void acknowledge_when_due() {
    const std::uint32_t known = branch_.everywhere(next_);
    const bool far = known / every_ != acknowledged_ / every_;
    if (known != acknowledged_ && (far || known == message_end_)) acknowledge();
  }
  void acknowledge() {
    acknowledged_ = branch_.everywhere(next_);
    Packet packet;
    packet.kind = Packet::Kind::ack;
    packet.sequence = acknowledged_;
    if (const auto parent = branch_.parent()) network_.send(*parent, packet);
  }

  Network& network_;
  Inbox& inbox_;
  std::uint32_t window_;
  std::uint32_t every_;
  tree::Branch branch_;
  tree::HeldPieces held_;           ///< from what all below have to next_
  std::uint32_t next_ = 0;          ///< piece to come
  std::uint32_t message_end_ = 0;   ///< after the last piece of the latest complete message
  std::uint32_t acknowledged_ = 0;  ///< to the parent
};

}  // namespace

std::unique_ptr<Receiver> make_tree_receiver(const Group& group, Network& network, Inbox& inbox) {
  return std::make_unique<TreeReceiver>(group, network, inbox);
}

}  // namespace nasvm::multicast

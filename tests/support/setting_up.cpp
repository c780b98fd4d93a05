#include "support/setting_up.hpp"

#include <optional>
#include <string>
#include <vector>

#include "vm/multicast/wire/reach.hpp"
#include "vm/multicast/wire/roll_call.hpp"

namespace nasvm::test {

using namespace multicast;

namespace {

/// In place of a message's number: what the packet is for. Real ports have another socket or envelope for it.
constexpr std::uint32_t of_roll_call = 0xffff'ffffU;
constexpr std::uint32_t of_probe = 0xffff'fffeU;

void take(const Reach& found, Group& group) {
  group.packet_bytes = found.payload_bytes;
  group.round_trip = found.round_trip;
  if (found.room_bytes > 0) group.room_bytes = found.room_bytes;
}

class MarkingNetwork final : public Network {
 public:
  MarkingNetwork(Network& network, std::uint32_t mark) : network_(network), mark_(mark) {}
  void send(Node to, const Packet& packet) override { network_.send(to, marked(packet)); }
  void send_to_all(const Packet& packet) override { network_.send_to_all(marked(packet)); }

 private:
  [[nodiscard]] Packet marked(Packet packet) const {
    packet.message = mark_;
    return packet;
  }

  Network& network_;
  std::uint32_t mark_;
};

class SettingUpSender final : public Sender {
 public:
  SettingUpSender(const Row& row, const Group& group, Network& network, Network& links)
      : row_(row),
        group_(group),
        network_(network),
        for_roll_(links, of_roll_call),
        for_probe_(network, of_probe),
        roll_(group.receivers, for_roll_) {
    roll_.invite("a group");
    go_on({});
  }

  void arrived(Node from, const Packet& packet, TimePoint now) override {
    if (packet.message == of_roll_call) roll_.arrived(from, packet, now);
    else if (packet.message == of_probe && probe_) probe_->arrived(from, packet, now);
    else if (packet.message < of_probe && protocol_) protocol_->arrived(from, packet, now);
    go_on(now);
  }
  [[nodiscard]] TimePoint deadline() const override {
    if (protocol_) return protocol_->deadline();
    return probe_ ? probe_->deadline() : TimePoint::max();
  }
  void tick(TimePoint now) override {
    if (protocol_) return protocol_->tick(now);
    probe_->tick(now);
    go_on(now);
  }
  void resume(TimePoint now) override {
    if (protocol_) protocol_->resume(now);
  }
  void lost(Node node, TimePoint now) override {
    lost_.push_back(node);
    roll_.lost(node, now);
    if (probe_) probe_->lost(node, now);
    if (protocol_) protocol_->lost(node, now);
    go_on(now);
  }

  void send(std::span<const std::byte> message, TimePoint now) override { protocol_->send(message, now); }
  [[nodiscard]] bool done() const override { return protocol_ && protocol_->done(); }
  [[nodiscard]] const Counts& counts() const override { return protocol_->counts(); }

 private:
  void go_on(TimePoint now) {
    if (!probe_ && roll_.done()) {
      (void)roll_.read_out("node 0");
      probe_.emplace(ReachProbe::Options{.receivers = group_.receivers, .payload_bytes = {group_.packet_bytes, 500}},
                     for_probe_, now);
      for (const Node node : lost_) probe_->lost(node, now);
    }
    if (!protocol_ && probe_ && probe_->done()) {
      take(probe_->reach(), group_);
      protocol_ = row_.make_sender(group_, network_);
      for (const Node node : lost_) protocol_->lost(node, now);
    }
  }

  const Row& row_;
  Group group_;
  Network& network_;
  MarkingNetwork for_roll_;
  MarkingNetwork for_probe_;
  RollCall roll_;
  std::optional<ReachProbe> probe_;
  std::unique_ptr<Sender> protocol_;
  std::vector<Node> lost_;
};

class SettingUpReceiver final : public Receiver {
 public:
  SettingUpReceiver(const Row& row, const Group& group, Network& network, Network& links, Inbox& inbox)
      : row_(row),
        group_(group),
        network_(network),
        inbox_(inbox),
        for_roll_(links, of_roll_call),
        for_probe_(network, of_probe),
        roll_(for_roll_),
        reach_(
            for_probe_, [] { return false; }, std::size_t{4} << 20) {}

  void arrived(Node from, const Packet& packet, TimePoint now) override {
    if (packet.message == of_roll_call) {
      roll_.arrived(from, packet, now);
      if (roll_.invitation()) roll_.answer("node " + std::to_string(group_.self));
    } else if (packet.message == of_probe) {
      if (roll_.roll()) reach_.arrived(from, packet, now);  // before that members have no addresses
    } else if (protocol_) {
      protocol_->arrived(from, packet, now);
    }
    if (protocol_ || !reach_.reach()) return;
    take(*reach_.reach(), group_);
    protocol_ = row_.make_receiver(group_, network_, inbox_);
    for (const Node node : lost_) protocol_->lost(node, now);
  }
  [[nodiscard]] TimePoint deadline() const override { return protocol_ ? protocol_->deadline() : TimePoint::max(); }
  void tick(TimePoint now) override { protocol_->tick(now); }
  void resume(TimePoint now) override {
    if (protocol_) protocol_->resume(now);
  }
  void lost(Node node, TimePoint now) override {
    lost_.push_back(node);
    if (protocol_) protocol_->lost(node, now);
  }

 private:
  const Row& row_;
  Group group_;
  Network& network_;
  Inbox& inbox_;
  MarkingNetwork for_roll_;
  MarkingNetwork for_probe_;
  RollAnswer roll_;
  ReachAnswer reach_;
  std::unique_ptr<Receiver> protocol_;
  std::vector<Node> lost_;
};

}  // namespace

std::unique_ptr<Sender> make_setting_up_sender(const Row& row, const Group& group, Network& network, Network& links) {
  return std::make_unique<SettingUpSender>(row, group, network, links);
}

std::unique_ptr<Receiver> make_setting_up_receiver(const Row& row, const Group& group, Network& network,
                                                   Network& links, Inbox& inbox) {
  return std::make_unique<SettingUpReceiver>(row, group, network, links, inbox);
}

}  // namespace nasvm::test

#pragma once
/// \file
/// A toy protocol, to test the room that protocols live in: each packet goes to all, every receiver acknowledges it,
/// and whoever has not within a while gets it again by itself; only then the next one goes.

#include <memory>
#include <set>

#include "vm/multicast/pieces.hpp"
#include "vm/multicast/table.hpp"

namespace nasvm::test {

class StopAndWaitSender final : public multicast::Sender {
 public:
  StopAndWaitSender(const multicast::Group& group, multicast::Network& network)
      : network_(network),
        packet_bytes_(group.packet_bytes),
        timeout_(std::chrono::milliseconds(value_of(group.parameters, "timeout", 10))) {
    for (multicast::Node node = 1; node <= group.receivers; ++node) alive_.insert(node);
  }

  void send(std::span<const std::byte> message, multicast::TimePoint now) override {
    pieces_ = multicast::Pieces(message, message_++, sequence_, packet_bytes_);
    send_next(now);
  }
  bool done() const override { return deadline_ == multicast::TimePoint::max(); }

  void arrived(multicast::Node from, const multicast::Packet& packet, multicast::TimePoint now) override {
    if (done() || packet.kind != multicast::Packet::Kind::ack || packet.sequence != sequence_ + 1) return;
    missing_.erase(from);
    go_on(now);
  }
  multicast::TimePoint deadline() const override { return deadline_; }
  void tick(multicast::TimePoint now) override {
    for (const multicast::Node node : missing_) network_.send(node, pieces_.packet(sequence_));
    counts_.data_packets += missing_.size();
    counts_.retransmitted += missing_.size();
    deadline_ = now + timeout_;
  }
  void lost(multicast::Node node, multicast::TimePoint now) override {
    alive_.erase(node);
    missing_.erase(node);
    if (!done()) go_on(now);
  }
  const multicast::Counts& counts() const override { return counts_; }

 private:
  void send_next(multicast::TimePoint now) {
    missing_ = alive_;
    network_.send_to_all(pieces_.packet(sequence_));
    ++counts_.data_packets;
    deadline_ = now + timeout_;
    go_on(now);
  }
  void go_on(multicast::TimePoint now) {
    if (!missing_.empty()) return;
    deadline_ = multicast::TimePoint::max();
    if (++sequence_ != pieces_.end()) send_next(now);
  }

  multicast::Network& network_;
  std::size_t packet_bytes_;
  multicast::Duration timeout_;
  std::set<multicast::Node> alive_;
  std::set<multicast::Node> missing_;  ///< the packet under way
  multicast::Pieces pieces_;
  std::uint32_t message_ = 0;
  std::uint32_t sequence_ = 0;  ///< of the packet under way
  multicast::TimePoint deadline_ = multicast::TimePoint::max();
  multicast::Counts counts_;
};

class StopAndWaitReceiver final : public multicast::Receiver {
 public:
  StopAndWaitReceiver(multicast::Network& network, multicast::Inbox& inbox) : network_(network), inbox_(inbox) {}

  void arrived(multicast::Node from, const multicast::Packet& packet, multicast::TimePoint) override {
    if (from != multicast::sender_node || packet.kind != multicast::Packet::Kind::data) return;
    if (packet.sequence == next_) {
      if (!inbox_.take(packet)) return;
      ++next_;
      if (packet.offset + packet.payload.size() == packet.message_bytes) inbox_.complete(packet.message);
    }
    multicast::Packet ack;
    ack.kind = multicast::Packet::Kind::ack;
    ack.sequence = next_;
    network_.send(multicast::sender_node, ack);
  }
  void lost(multicast::Node, multicast::TimePoint) override {}

 private:
  multicast::Network& network_;
  multicast::Inbox& inbox_;
  std::uint32_t next_ = 0;
};

inline constexpr std::array stop_and_wait_parameters{
    ParameterRow{"timeout", ParameterKind::count, 1, 1000, "milliseconds until a packet goes again (default 10)"}};

inline constexpr multicast::Row stop_and_wait{
    "stopwait",
    "a toy: each packet to all, acknowledged by each, before the next",
    multicast::Carrier::datagrams,
    [](const multicast::Group& group, multicast::Network& network) -> std::unique_ptr<multicast::Sender> {
      return std::make_unique<StopAndWaitSender>(group, network);
    },
    [](const multicast::Group&, multicast::Network& network, multicast::Inbox& inbox)
        -> std::unique_ptr<multicast::Receiver> { return std::make_unique<StopAndWaitReceiver>(network, inbox); },
    stop_and_wait_parameters};

/// The table, and the toy behind it.
inline std::vector<multicast::Row> protocols_and_toy() {
  const auto rows = multicast::protocols();
  std::vector<multicast::Row> all(rows.begin(), rows.end());
  all.push_back(stop_and_wait);
  return all;
}

}  // namespace nasvm::test

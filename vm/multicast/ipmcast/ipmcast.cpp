#include "vm/multicast/ipmcast/ipmcast.hpp"

#include "vm/multicast/ipmcast/unicast_fallback.hpp"
#include "vm/multicast/window/receiving_end.hpp"
#include "vm/multicast/window/sending_end.hpp"

namespace nasvm::multicast {
namespace {

Settings ipmcast_settings(const Group& group) { return settings_of(group, static_cast<double>(group.receivers)); }

std::uint32_t retries_of(const Group& group) {
  return static_cast<std::uint32_t>(value_of(group.parameters, "retries", 3));
}

class IpmcastSender final : public Sender {
 public:
  IpmcastSender(const Group& group, const Settings& settings, Network& network)
      : fallback_(group.receivers, retries_of(group), settings.window, network),
        end_(group, settings, SendingRules{}, fallback_) {}

  void send(std::span<const std::byte> message, TimePoint now) override { end_.send(message, now); }
  bool done() const override { return end_.done(); }
  const Counts& counts() const override {
    counts_ = end_.counts();
    counts_.data_packets += fallback_.further_copies();
    counts_.retransmitted += fallback_.further_copies();
    return counts_;
  }

  std::uint32_t window() const override { return end_.window(); }
  Duration patience() const override { return end_.patience(); }
  void arrived(Node from, const Packet& packet, TimePoint now) override {
    if (packet.kind == Packet::Kind::nak) fallback_.missing(from, packet);
    end_.arrived(from, packet, now);
  }
  TimePoint deadline() const override { return end_.deadline(); }
  void tick(TimePoint now) override { end_.tick(now); }
  void resume(TimePoint now) override { end_.resume(now); }
  void lost(Node node, TimePoint now) override {
    fallback_.lost(node);
    end_.lost(node, now);
  }

 private:
  ipmcast::UnicastFallback fallback_;
  SendingEnd end_;
  mutable Counts counts_;
};

}  // namespace

std::unique_ptr<Sender> make_ipmcast_sender(const Group& group, Network& network) {
  return std::make_unique<IpmcastSender>(group, ipmcast_settings(group), network);
}

std::unique_ptr<Receiver> make_ipmcast_receiver(const Group& group, Network& network, Inbox& inbox) {
  return std::make_unique<ReceivingEnd>(group, ipmcast_settings(group), Turns{1, 0}, std::make_unique<Upstream>(),
                                        network, inbox);
}

}  // namespace nasvm::multicast

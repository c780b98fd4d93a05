#include "vm/transport/daemon/daemon_transport.hpp"

#include "vm/transport/daemon/daemon_link.hpp"

namespace nasvm {
namespace {

/// Packets this long are stored whole by each daemon on the way: long enough to make the cost per packet small,
/// short enough that others' packets pass between them.
constexpr std::size_t default_packet_bytes = 256 * 1024;

class DaemonTransport final : public Transport {
 public:
  explicit DaemonTransport(const TransportContext& context)
      : link_(*context.daemon),
        self_(context.self),
        // Whole multiples of every element's width, so that each packet can be converted by itself.
        packet_bytes_(value_of(context.parameters, "packet", default_packet_bytes) / 64 * 64) {
    if (const auto bytes = value_of(context.parameters, "sndbuf", 0); bytes != 0) link_.set_send_buffer(bytes);
  }

  std::string_view name() const override { return "daemon"; }
  std::string descriptor() const override { return to_string(self_); }
  void meet(const std::vector<Member>&) override {}
  std::string why_not(Rank) const override { return {}; }
  std::size_t max_payload(Rank) const override { return packet_bytes_; }
  void send(Rank, net::Packet& packet) override { link_.send(packet); }
  bool poll(Rank) override { return link_.poll(); }
  void forget(Tid task, bool clean) override {
    if (!clean) link_.forget(task);
  }

 private:
  DaemonLink& link_;
  Tid self_;
  std::size_t packet_bytes_;
};

}  // namespace

std::unique_ptr<Transport> make_daemon_transport(const TransportContext& context) {
  return std::make_unique<DaemonTransport>(context);
}

}  // namespace nasvm

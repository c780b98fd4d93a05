#pragma once
/// \file
/// A group's packets as datagrams, for protocols that repair losses by themselves: a port of the group among the
/// descriptors that its task waits for, which it looks at often as long as this is there (Surroundings::answer). So
/// the end is served in every call of the message layer in which the task waits, and answers who asks late.

#include "vm/broadcast/line.hpp"
#include "vm/broadcast/surroundings.hpp"
#include "vm/multicast/wire/group_port.hpp"

namespace nasvm::multicast {

class WireLine final : public Line {
 public:
  /// The group has been set up over `port`. `end` gets what comes from now on; it is made over this line.
  WireLine(const Surroundings& here, std::unique_ptr<GroupPort> port);
  ~WireLine() override;
  WireLine(const WireLine&) = delete;
  WireLine& operator=(const WireLine&) = delete;

  /// Gives that end, which lives as long as this, what comes while nobody serves it.
  void attach(End& end);

  void send(Node to, const Packet& packet) override { port_->send(to, packet); }
  void send_to_all(const Packet& packet) override { port_->send_to_all(packet); }
  void give_copies(Node to) override { port_->give_copies(to); }
  [[nodiscard]] bool has_room() const override { return port_->has_room(); }
  void serve(End& end, const std::function<bool()>& done) override;
  [[nodiscard]] std::uint64_t rejected() const override { return port_->stats().rejected.total(); }
  [[nodiscard]] Counts further() const override { return port_->stats().further; }

 private:
  /// One of the port's sockets.
  struct Socket final : net::Watcher {
    Socket(WireLine& owner, GroupPort::Ready what) : line(owner), which(what) {}
    void ready(std::uint32_t events) override;
    WireLine& line;
    GroupPort::Ready which;
  };

  /// Sends what is queued, and watches for room while it does not fit.
  void flush();

  Surroundings here_;
  std::unique_ptr<GroupPort> port_;
  Socket unicast_{*this, {.unicast = true, .multicast = false}};
  Socket multicast_{*this, {.unicast = false, .multicast = true}};
  End* end_ = nullptr;
  bool is_stuck_ = false;  ///< the unicast socket is watched for room
};

}  // namespace nasvm::multicast

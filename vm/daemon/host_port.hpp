#pragma once
/// \file
/// A port to another host: packets as a byte stream over acknowledged datagrams (vm/link). Also the socket that all
/// of a daemon's host ports share.

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "vm/auth.hpp"
#include "vm/daemon/fair_queue.hpp"
#include "vm/daemon/forwarder.hpp"
#include "vm/daemon/port.hpp"
#include "vm/link/links.hpp"
#include "vm/multicast/wire/group_address.hpp"
#include "vm/net/packet_parser.hpp"
#include "vm/net/poller.hpp"

namespace nasvm::daemon {

/// A host that owes an answer for longer is lost.
inline constexpr std::chrono::seconds silence_limit{6};

class HostPort final : public Port, public Waiter, private Landlord, private net::PacketHandler {
 public:
  HostPort(int self_host, int peer_host, std::string name, link::Channel& channel, link::Sharing& sharing,
           WaiterQueue& ready, Router& router, ControlHandler& handler);
  ~HostPort() override;

  void send(std::unique_ptr<Frame> frame) override;
  Room& room_for(Tid destination) override;
  void forget(Waiter& waiter) override;
  void room() override;

  /// The other daemon owes an answer for too long, or has sent what is no packet.
  [[nodiscard]] bool is_lost(link::TimePoint now) const { return garbled_ || channel_.dead(now); }
  /// "host far does not answer host near any more", where this is host near, or that it has never done so.
  [[nodiscard]] std::string describe_loss(const std::string& own_name) const;
  [[nodiscard]] int host() const { return peer_host_; }
  [[nodiscard]] const std::string& name() const { return name_; }

  /// Moves queued frames into the channel, and what has arrived out of it.
  void pump();
  /// Gives back what is still owed for destinations that are gone.
  void settle();
  /// Drops what is queued; nothing is to be sent any more.
  void discard();
  /// Drops what is queued, lets go who waits for room, and waits for none itself: the channel may be destroyed. What
  /// is stored elsewhere of what has come by this port still refers to it.
  void retire();

 private:
  // net::PacketHandler
  net::Landing begin_packet(const Envelope& envelope) override;
  void end_packet(const Envelope& envelope, const net::Landing& landing) override {
    forwarder_.end(envelope, landing);
  }
  void packet_sent(net::Packet&) override {}
  // Landlord
  void freed(Tid destination, std::size_t bytes) override;

  void give_back(Tid destination, std::size_t bytes);
  void take_back(const Envelope& credit);
  void fill();
  void drain();
  /// False: what has come is not a packet, or longer than any of the protocol.
  bool take(std::span<const std::byte>& bytes);

  Tid self_;
  int peer_host_;
  std::string name_;
  WaiterQueue& ready_;
  Router& router_;
  link::Channel& channel_;
  link::Sharing& sharing_;

  FairQueue queue_;
  std::size_t sent_of_front_ = 0;
  std::unordered_map<std::uint32_t, Room> rooms_;  ///< by destination there: queued here, under way, stored there
  std::unordered_map<std::uint32_t, std::size_t> owed_;  ///< room to give back, by destination here
  bool ending_ = false;

  Forwarder forwarder_;

  net::PacketParser parser_{*this};
  bool garbled_ = false;  ///< nothing more can be understood
};

/// The host ports of a daemon, and the links that they share.
class HostPorts final : public net::Watcher {
 public:
  HostPorts(int self_host, const std::string& address, const Secret& secret, net::Poller& poller);
  ~HostPorts() override;

  [[nodiscard]] link::Address address() const { return links_.address(); }
  HostPort& add(int host, std::string name, link::Address peer, WaiterQueue& ready, Router& router,
                ControlHandler& handler);
  [[nodiscard]] bool has(int host) const { return ports_.contains(host); }
  /// Of one that it has.
  [[nodiscard]] const std::string& name_of(int host) const { return ports_.at(host)->name(); }
  /// Ends the port of a host that is no part of the machine any more, which nobody may send by from now on. Between
  /// events.
  void remove(int host);

  /// From now on what several hosts are to get may leave once, by this multicast group. Returns why not, where the
  /// system refuses; empty: done. Once.
  std::string join(const multicast::GroupAddress& group);
  [[nodiscard]] link::Sharing& sharing() { return links_.sharing(); }
  [[nodiscard]] bool is_heard_by(int host) {
    const link::Channel* channel = links_.channel(static_cast<std::uint16_t>(host));
    return channel != nullptr && channel->is_heard();
  }

  /// Tasks of this host have gone: other hosts get back the room that these had.
  void settle() {
    for (auto& [host, port] : ports_) port->settle();
  }
  /// Sends what is due. Call between events.
  void pump();
  /// Acknowledges what other hosts send, which give up one that does not answer, and hands nothing of it on: for the
  /// midst of long work. Not within a call of a port's.
  void stay_in_touch();
  /// Until when `pump` need not be called though nothing happens.
  [[nodiscard]] link::TimePoint deadline() const { return links_.deadline(); }
  /// This daemon has been paused: the silence of other hosts counts from now.
  void excuse_silence(link::TimePoint now) { links_.excuse_silence(now); }
  /// What came from others than the machine's daemons.
  [[nodiscard]] link::Links::Stats stats() const { return links_.stats(); }
  /// What left for several hosts at once.
  [[nodiscard]] const link::Sharing::Stats& sharing_stats() const { return links_.sharing_stats(); }
  /// The hosts that cannot be reached, or not any more.
  [[nodiscard]] std::vector<const HostPort*> lost() const;

  void ready(std::uint32_t events) override;

 private:
  int self_host_;
  std::string address_;
  net::Poller& poller_;
  link::Links links_;
  std::unordered_map<int, std::unique_ptr<HostPort>> ports_;
  std::vector<std::unique_ptr<HostPort>> retired_;
  bool watching_output_ = false;
};

}  // namespace nasvm::daemon

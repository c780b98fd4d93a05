#include "vm/daemon/host_port.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "vm/link/datagram_socket.hpp"
#include "vm/multicast/wire/membership.hpp"
#include "vm/net/address.hpp"
#include "vm/status.hpp"

namespace nasvm::daemon {
namespace {

/// Buffer of one link in each direction: more than a path between neighbours holds, and small enough for dozens of
/// hosts.
constexpr std::size_t link_buffer_bytes = std::size_t{1} << 20;

/// Written to a link and not sent: enough for a round of datagrams.
constexpr std::size_t most_unsent_bytes = link::DatagramSocket::queue_bytes;

/// Room that a daemon gives back at once. The others wait for half of a room, and have that in spite of it.
constexpr std::size_t owed_at_most_bytes = Room::least_bytes / 4;

/// The rooms of a link share this. A task waits with all that it sends for a room that is full, so few destinations
/// have large ones: whole messages of those that all send to (decisions/daemon-rooms.md).
constexpr std::size_t rooms_bytes = std::size_t{16} << 20;
constexpr std::size_t largest_room_bytes = std::size_t{4} << 20;

link::Channel::Options channel_options() {
  link::Channel::Options options;
  options.send_buffer_bytes = link_buffer_bytes;
  options.receive_buffer_bytes = link_buffer_bytes;
  options.keepalive_after = std::chrono::seconds(2);
  options.dead_after = silence_limit;
  return options;
}

}  // namespace

// --- HostPort -----------------------------------------------------------------------------------------------

HostPort::HostPort(int self_host, int peer_host, std::string name, link::Channel& channel, link::Sharing& sharing,
                   WaiterQueue& ready, Router& router, ControlHandler& handler)
    : self_(Tid::daemon(self_host)),
      peer_host_(peer_host),
      name_(std::move(name)),
      ready_(ready),
      router_(router),
      channel_(channel),
      sharing_(sharing),
      forwarder_(router, handler, self_, *this) {}

HostPort::~HostPort() {
  discard();
  router_.forget(*this);
  ready_.forget(*this);
}

void HostPort::discard() {
  ending_ = true;
  while (!queue_.empty()) delete static_cast<Frame*>(&queue_.pop());
}

void HostPort::retire() {
  discard();
  for (auto& [destination, room] : rooms_) room.release_waiters();
  router_.forget(*this);
  ready_.forget(*this);
}

// --- out

Room& HostPort::room_for(Tid destination) {
  const std::size_t share = rooms_bytes / (rooms_.size() + 1);
  return rooms_.try_emplace(destination.value, ready_, std::clamp(share, Room::least_bytes, largest_room_bytes))
      .first->second;
}

void HostPort::forget(Waiter& waiter) {
  for (auto& [destination, room] : rooms_) room.forget(waiter);
}

void HostPort::send(std::unique_ptr<Frame> frame) {
  const Tid destination{frame->envelope.destination};
  // What is for the daemon itself is rare, and used up as soon as it is there.
  if (!destination.is_daemon()) room_for(destination).take(frame->weight());
  const Tid lane = frame->lane;
  queue_.push(*frame.release(), lane);
  fill();
}

/// The stream takes what has been written in that order: little is written ahead, so that others get their turn.
void HostPort::fill() {
  while (!queue_.empty() && channel_.writable() > 0 && channel_.unsent() < most_unsent_bytes) {
    Frame& packet = static_cast<Frame&>(*queue_.front());
    if (packet.block != 0) sharing_.place(std::exchange(packet.block, 0), static_cast<std::uint16_t>(peer_host_));
    const std::span<const std::byte> envelope = std::as_bytes(std::span(&packet.envelope, 1));
    const std::size_t payload_bytes = packet.envelope.payload_bytes;
    if (sent_of_front_ < envelope.size()) sent_of_front_ += channel_.write(envelope.subspan(sent_of_front_));
    if (sent_of_front_ >= envelope.size()) {
      const std::size_t done = sent_of_front_ - envelope.size();
      sent_of_front_ += channel_.write({packet.payload + done, payload_bytes - done});
    }
    if (sent_of_front_ < envelope.size() + payload_bytes) break;
    sent_of_front_ = 0;
    delete static_cast<Frame*>(&queue_.pop());
  }
}

// --- in

/// Tells the other daemon, now and then, what has left this one; of a destination that is gone at once, as it may
/// have been the last.
void HostPort::freed(Tid destination, std::size_t bytes) {
  if (ending_ || destination.is_daemon()) return;
  std::size_t& owed = owed_[destination.value];
  owed += bytes;
  if (owed < owed_at_most_bytes && router_.knows(destination)) return;
  const std::size_t all = owed;
  owed_.erase(destination.value);
  give_back(destination, all);
}

void HostPort::settle() {
  if (ending_) return;
  for (auto owed = owed_.begin(); owed != owed_.end();) {
    const Tid destination{owed->first};
    const bool is_gone = !router_.knows(destination);
    if (is_gone) give_back(destination, owed->second);
    owed = is_gone ? owed_.erase(owed) : std::next(owed);
  }
}

void HostPort::give_back(Tid destination, std::size_t bytes) {
  auto frame = std::make_unique<Frame>();
  frame->envelope.kind = PacketKind::credit;
  frame->envelope.source = destination.value;
  frame->envelope.destination = Tid::daemon(peer_host_).value;
  frame->envelope.credit = static_cast<std::uint32_t>(bytes);
  queue_.push(*frame.release(), destination);  // leaves with the next pump: this one may be at work
}

void HostPort::take_back(const Envelope& credit) {
  const auto room = rooms_.find(credit.source);
  if (room == rooms_.end()) return;
  room->second.give_back(credit.credit);
  if (room->second.is_unused()) rooms_.erase(room);
}

/// A host speaks for its own tasks and its daemon; what it says in the name of others is dropped.
net::Landing HostPort::begin_packet(const Envelope& envelope) {
  const Tid destination{envelope.destination};
  if (envelope.kind == PacketKind::credit && destination == self_) {
    take_back(envelope);
    return {};
  }
  if (Tid{envelope.source}.host() == peer_host_) return forwarder_.begin(envelope, *this);
  freed(destination, net::weight(envelope));
  return {};
}

bool HostPort::take(std::span<const std::byte>& bytes) {
  try {
    return parser_.take(bytes);
  } catch (const RunError&) {
    return false;  // longer than any packet of the protocol
  }
}

void HostPort::drain() {
  // `take` is called also without bytes: a payload that was on hold may be empty.
  while (!garbled_) {
    const std::span<const std::byte> readable = channel_.readable();
    std::span<const std::byte> rest = readable;
    garbled_ = !take(rest);
    if (rest.size() == readable.size()) return;
    channel_.consume(readable.size() - rest.size());
  }
}

std::string HostPort::describe_loss(const std::string& own_name) const {
  if (garbled_) return "host " + name_ + " sends host " + own_name + " what is not a packet";
  const std::string silence = "host " + name_ + " does not answer host " + own_name + " any more";
  if (channel_.stats().datagrams_received > 0) return silence;
  return "host " + name_ + " has never answered host " + own_name +
         " by UDP: is UDP open between them (docs/clusters.md, Which network)?";
}

void HostPort::room() {
  parser_.resume();
  pump();
}

void HostPort::pump() {
  fill();
  drain();
}

// --- HostPorts ----------------------------------------------------------------------------------------------

HostPorts::HostPorts(int self_host, const std::string& address, const Secret& secret, net::Poller& poller)
    : self_host_(self_host),
      address_(address),
      poller_(poller),
      links_(address, secret, static_cast<std::uint16_t>(self_host), channel_options()) {
  poller_.add(links_.descriptor(), EPOLLIN, *this);
}

HostPorts::~HostPorts() {
  poller_.remove(links_.descriptor(), *this);
  if (links_.joined()) poller_.remove(links_.group_descriptor(), *this);
  for (auto& [host, port] : ports_) port->discard();  // each may store what has come by another
}

HostPort& HostPorts::add(int host, std::string name, link::Address peer, WaiterQueue& ready, Router& router,
                         ControlHandler& handler) {
  link::Channel& channel = links_.add_peer(static_cast<std::uint16_t>(host), peer);
  return *(ports_[host] = std::make_unique<HostPort>(self_host_, host, std::move(name), channel, links_.sharing(),
                                                     ready, router, handler));
}

std::string HostPorts::join(const multicast::GroupAddress& group) {
  if (links_.address().family() != AF_INET)
    return "the daemons talk to each other by " + address_ + ", which is not IPv4";
  const multicast::GroupInterface interface = multicast::interface_of(net::make_address(address_, 0));
  if (interface.index == 0) return "no interface has the address " + address_;
  auto ear = std::make_unique<link::DatagramSocket>(group.address, link::DatagramSocket::Options{.shared = true});
  std::string reason = multicast::join(ear->descriptor(), group.address, interface);
  if (reason.empty()) reason = multicast::send_to_groups_by(links_.descriptor(), interface, group.ttl);
  if (!reason.empty()) return reason;
  multicast::ignore_own(ear->descriptor(), group.label(), static_cast<std::uint16_t>(self_host_));
  links_.join({.ear = std::move(ear), .address = group.address, .label = group.label(), .mtu = interface.mtu});
  poller_.add(links_.group_descriptor(), EPOLLIN, *this);
  return {};
}

void HostPorts::remove(int host) {
  const auto port = ports_.find(host);
  if (port == ports_.end()) return;
  port->second->retire();
  retired_.push_back(std::move(port->second));
  ports_.erase(port);
  links_.remove_peer(static_cast<std::uint16_t>(host));
}

void HostPorts::ready(std::uint32_t) { (void)links_.receive(std::chrono::steady_clock::now()); }

void HostPorts::pump() {
  for (auto& [host, port] : ports_) port->pump();
  links_.transmit(std::chrono::steady_clock::now());
  // What has been acknowledged makes room for what waits.
  for (auto& [host, port] : ports_) port->pump();
  if (links_.stuck() == watching_output_) return;
  watching_output_ = !watching_output_;
  poller_.change(links_.descriptor(), watching_output_ ? EPOLLIN | EPOLLOUT : EPOLLIN, *this);
}

void HostPorts::stay_in_touch() {
  const auto now = std::chrono::steady_clock::now();
  (void)links_.receive(now);
  links_.transmit(now);
}

std::vector<const HostPort*> HostPorts::lost() const {
  const auto now = std::chrono::steady_clock::now();
  std::vector<const HostPort*> lost;
  for (const auto& [host, port] : ports_) {
    if (port->is_lost(now)) lost.push_back(port.get());
  }
  return lost;
}

}  // namespace nasvm::daemon

#include "vm/daemon/host_port.hpp"

#include <algorithm>
#include <cstring>

#include "vm/status.hpp"

namespace nasvm::daemon {
namespace {

/// Buffer of one link in each direction: more than a path between neighbours holds, and small enough for dozens of
/// hosts.
constexpr std::size_t link_buffer_bytes = std::size_t{1} << 20;

link::Channel::Options channel_options() {
  link::Channel::Options options;
  options.send_buffer_bytes = link_buffer_bytes;
  options.receive_buffer_bytes = link_buffer_bytes;
  options.keepalive_after = std::chrono::seconds(2);
  options.dead_after = std::chrono::seconds(6);
  return options;
}

}  // namespace

// --- HostPort -----------------------------------------------------------------------------------------------

HostPort::HostPort(int self_host, int peer_host, std::string name, link::Channel& channel, WaiterQueue& ready,
                   Router& router, ControlHandler& handler)
    : Port(ready),
      peer_host_(peer_host),
      name_(std::move(name)),
      ready_(ready),
      router_(router),
      forwarder_(router, handler, Tid::daemon(self_host)),
      channel_(channel) {}

HostPort::~HostPort() {
  router_.forget(*this);
  ready_.forget(*this);
  while (!queue_.empty()) delete static_cast<Frame*>(&queue_.pop());
}

void HostPort::send(std::unique_ptr<Frame> frame) {
  add_queued(frame->envelope.payload_bytes + sizeof(Envelope));
  queue_.push(*frame.release());
  fill();
}

void HostPort::fill() {
  while (!queue_.empty() && channel_.writable() > 0) {
    net::Packet& packet = *queue_.front();
    const std::span<const std::byte> envelope = std::as_bytes(std::span(&packet.envelope, 1));
    const std::size_t payload_bytes = packet.envelope.payload_bytes;
    if (sent_of_front_ < envelope.size()) sent_of_front_ += channel_.write(envelope.subspan(sent_of_front_));
    if (sent_of_front_ >= envelope.size()) {
      const std::size_t done = sent_of_front_ - envelope.size();
      sent_of_front_ += channel_.write({packet.payload + done, payload_bytes - done});
    }
    if (sent_of_front_ < envelope.size() + payload_bytes) break;
    sent_of_front_ = 0;
    const std::unique_ptr<Frame> frame(static_cast<Frame*>(&queue_.pop()));
    remove_queued(payload_bytes + envelope.size());
  }
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
  return "host " + name_ + " does not answer host " + own_name + " any more";
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
      poller_(poller),
      links_(address, secret, static_cast<std::uint16_t>(self_host), channel_options()) {
  poller_.add(links_.descriptor(), EPOLLIN, *this);
}

HostPorts::~HostPorts() { poller_.remove(links_.descriptor(), *this); }

HostPort& HostPorts::add(int host, std::string name, link::Address peer, WaiterQueue& ready, Router& router,
                         ControlHandler& handler) {
  link::Channel& channel = links_.add_peer(static_cast<std::uint16_t>(host), peer);
  return *(ports_[host] =
               std::make_unique<HostPort>(self_host_, host, std::move(name), channel, ready, router, handler));
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

const HostPort* HostPorts::lost() const {
  const auto now = std::chrono::steady_clock::now();
  for (const auto& [host, port] : ports_) {
    if (port->is_lost(now)) return port.get();
  }
  return nullptr;
}

}  // namespace nasvm::daemon

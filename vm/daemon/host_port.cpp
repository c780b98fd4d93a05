#include "vm/daemon/host_port.hpp"

#include <algorithm>
#include <cstring>

#include "vm/status.hpp"

namespace nasvm::daemon {
namespace {

/// Of one link, each way. More than a path between neighbours holds, and little enough for dozens of hosts.
constexpr std::size_t link_buffer_bytes = std::size_t{1} << 20;

link::Connection::Options connection_options() {
  link::Connection::Options options;
  options.send_buffer_bytes = link_buffer_bytes;
  options.receive_buffer_bytes = link_buffer_bytes;
  options.keepalive_after = std::chrono::seconds(2);
  options.dead_after = std::chrono::seconds(6);
  return options;
}

}  // namespace

// --- HostPort -----------------------------------------------------------------------------------------------

HostPort::HostPort(int self_host, int peer_host, std::string name, link::Connection& connection, WaiterQueue& ready,
                   Router& router, ControlHandler& handler)
    : Port(ready),
      peer_host_(peer_host),
      name_(std::move(name)),
      ready_(ready),
      router_(router),
      forwarder_(router, handler, Tid::daemon(self_host)),
      connection_(connection) {}

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
  while (!queue_.empty() && connection_.writable() > 0) {
    net::Packet& packet = *queue_.front();
    const std::span<const std::byte> envelope = std::as_bytes(std::span(&packet.envelope, 1));
    const std::size_t payload_bytes = packet.envelope.payload_bytes;
    if (sent_of_front_ < envelope.size()) sent_of_front_ += connection_.write(envelope.subspan(sent_of_front_));
    if (sent_of_front_ >= envelope.size()) {
      const std::size_t done = sent_of_front_ - envelope.size();
      sent_of_front_ += connection_.write({packet.payload + done, payload_bytes - done});
    }
    if (sent_of_front_ < envelope.size() + payload_bytes) break;
    sent_of_front_ = 0;
    const std::unique_ptr<Frame> frame(static_cast<Frame*>(&queue_.pop()));
    remove_queued(payload_bytes + envelope.size());
  }
}

/// Takes one step of parsing from `bytes`; false when more must come, or room must come, first.
bool HostPort::take(std::span<const std::byte>& bytes) {
  if (!in_payload_) {
    if (envelope_done_ < sizeof(Envelope)) {
      const std::size_t piece = std::min(bytes.size(), sizeof(Envelope) - envelope_done_);
      std::memcpy(reinterpret_cast<std::byte*>(&envelope_) + envelope_done_, bytes.data(), piece);
      bytes = bytes.subspan(piece);
      envelope_done_ += piece;
      if (envelope_done_ < sizeof(Envelope)) return false;
      if (!make_native(envelope_)) throw RunError("the daemon of host " + name_ + " sent garbage");
    }
    landing_ = forwarder_.begin(envelope_, *this);
    held_ = landing_.verdict == net::Landing::Verdict::hold;
    if (held_) return false;
    in_payload_ = true;
    payload_done_ = 0;
  }
  const std::size_t piece = std::min(bytes.size(), envelope_.payload_bytes - payload_done_);
  if (piece != 0 && landing_.data != nullptr) std::memcpy(landing_.data + payload_done_, bytes.data(), piece);
  bytes = bytes.subspan(piece);
  payload_done_ += piece;
  if (payload_done_ < envelope_.payload_bytes) return false;
  in_payload_ = false;
  envelope_done_ = 0;
  forwarder_.end(envelope_, landing_);
  return true;
}

void HostPort::drain() {
  while (!held_) {
    const std::span<const std::byte> readable = connection_.readable();
    std::span<const std::byte> rest = readable;
    while (!rest.empty() && take(rest)) {
    }
    // A payload of no bytes ends without any further byte.
    if (rest.empty() && !held_ && envelope_done_ == sizeof(Envelope) && !in_payload_) (void)take(rest);
    if (readable.size() == rest.size()) break;
    connection_.consume(readable.size() - rest.size());
  }
}

void HostPort::room() {
  held_ = false;
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
      links_(address, secret, static_cast<std::uint16_t>(self_host), connection_options()) {
  poller_.add(links_.descriptor(), EPOLLIN, *this);
}

HostPorts::~HostPorts() { poller_.remove(links_.descriptor(), *this); }

HostPort& HostPorts::add(int host, std::string name, link::Address peer, WaiterQueue& ready, Router& router,
                         ControlHandler& handler) {
  link::Connection& connection = links_.add_peer(static_cast<std::uint16_t>(host), peer);
  return *(ports_[host] =
               std::make_unique<HostPort>(self_host_, host, std::move(name), connection, ready, router, handler));
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

const HostPort* HostPorts::dead() const {
  const auto now = std::chrono::steady_clock::now();
  for (const auto& [host, port] : ports_) {
    if (port->dead(now)) return port.get();
  }
  return nullptr;
}

}  // namespace nasvm::daemon

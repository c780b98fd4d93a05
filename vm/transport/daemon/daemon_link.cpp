#include "vm/transport/daemon/daemon_link.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "vm/status.hpp"

namespace nasvm {
namespace {

constexpr std::size_t report_piece_bytes = 64 * 1024;
/// For the daemon to take the last words of a task; it may be waiting for room somewhere else.
constexpr std::chrono::seconds last_words_patience{2};
constexpr int look_interval_ms = 100;

}  // namespace

DaemonLink::DaemonLink(net::Fd socket, net::Poller& poller) : poller_(poller), stream_(std::move(socket), *this) {
  poller_.add(stream_.fd(), EPOLLIN, *this);
}

DaemonLink::~DaemonLink() { poller_.remove(stream_.fd(), *this); }

void DaemonLink::set_send_buffer(std::size_t bytes) {
  const auto wanted = static_cast<int>(bytes);
  ::setsockopt(stream_.fd(), SOL_SOCKET, SO_SNDBUF, &wanted, sizeof wanted);
}

/// After each reading, which may have left answers that the socket did not take.
void DaemonLink::check(net::PacketStream::Result result) {
  if (result == net::PacketStream::Result::closed) throw RunError("the daemon of this host is gone");
  if (result == net::PacketStream::Result::garbage) throw RunError("the daemon of this host sent garbage");
  update_interest();
}

/// A socket that can be written, as it mostly can, makes the poller call at once for packets that wait here.
void DaemonLink::update_interest() {
  if ((stream_.wants_to_send() || stream_.has_staged()) == watching_output_) return;
  watching_output_ = !watching_output_;
  poller_.change(stream_.fd(), watching_output_ ? EPOLLIN | EPOLLOUT : EPOLLIN, *this);
}

template <typename Work>
auto DaemonLink::going_on(const Work& work) {
  try {
    return work();
  } catch (...) {
    update_interest();
    throw;
  }
}

void DaemonLink::ready(std::uint32_t events) {
  if ((events & EPOLLOUT) != 0) check(going_on([this] { return stream_.flush(); }));
  if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0 || stream_.has_staged()) {
    check(going_on([this] { return stream_.receive(); }));
  }
}

bool DaemonLink::poll() {
  const auto result = going_on([this] { return stream_.receive(); });
  check(result);
  return result == net::PacketStream::Result::moved;
}

void DaemonLink::send(net::Packet& packet) {
  going_on([&] { stream_.send(packet); });
  update_interest();
}

protocol::Message DaemonLink::next_control() {
  while (controls_.empty()) (void)poller_.wait(std::chrono::nanoseconds(-1));
  protocol::Message message = std::move(controls_.front());
  controls_.pop_front();
  return message;
}

void DaemonLink::on_control(std::function<void(const protocol::Message&)> listener) {
  control_listener_ = std::move(listener);
  for (const protocol::Message& message : std::exchange(controls_, {})) control_listener_(message);
}

void DaemonLink::send_control(const protocol::Message& message) {
  protocol::send(stream_, self_, Tid::daemon(self_.host()), message);
  update_interest();
}

void DaemonLink::report(std::span<const std::byte> data) {
  Envelope envelope;
  envelope.kind = PacketKind::report;
  envelope.source = self_.value;
  envelope.destination = Tid::console().value;
  envelope.message_bytes = data.size();
  do {
    const std::size_t piece = std::min(data.size() - envelope.offset, report_piece_bytes);
    stream_.send_copy(envelope, data.subspan(envelope.offset, piece));
    envelope.offset += piece;
  } while (envelope.offset < data.size());
  update_interest();
}

void DaemonLink::open() {
  open_ = true;
  check(going_on([this] { return stream_.resume(); }));
}

void DaemonLink::flush() {
  while (stream_.wants_to_send()) (void)poller_.wait(std::chrono::nanoseconds(-1));
}

bool DaemonLink::say_last(const protocol::Message& message) {
  stream_.forget_payloads();
  send_control(message);
  if (stream_.wants_to_send()) make_room();
  const auto deadline = std::chrono::steady_clock::now() + last_words_patience;
  while (stream_.wants_to_send() && std::chrono::steady_clock::now() < deadline) {
    pollfd writable{stream_.fd(), POLLOUT, 0};
    (void)::poll(&writable, 1, look_interval_ms);
    if (stream_.flush() == net::PacketStream::Result::closed) return true;
  }
  return !stream_.wants_to_send();
}

/// The daemon reads nothing as long as there is no room for what is in the socket: last words have to fit in behind
/// it.
void DaemonLink::make_room() {
  int doubled = 0;  // as the system tells it
  socklen_t length = sizeof doubled;
  if (::getsockopt(stream_.fd(), SOL_SOCKET, SO_SNDBUF, &doubled, &length) == 0) {
    set_send_buffer(static_cast<std::size_t>(doubled));
  }
}

net::Landing DaemonLink::begin_packet(const Envelope& envelope) {
  if (envelope.kind != PacketKind::control) {
    // The first messages of other tasks may come in one read with the news of who they are.
    if (!open_) return {net::Landing::Verdict::hold, nullptr, nullptr};
    return handler_->begin_packet(envelope);
  }
  if (envelope.payload_bytes > protocol::max_control_bytes) throw RunError("the daemon of this host sent garbage");
  control_text_.resize(envelope.payload_bytes);
  return {net::Landing::Verdict::take, control_text_.data(), nullptr};
}

void DaemonLink::end_packet(const Envelope& envelope, const net::Landing& landing) {
  if (envelope.kind != PacketKind::control) return handler_->end_packet(envelope, landing);
  protocol::Message message = protocol::parse(control_text_);
  if (control_listener_) return control_listener_(message);
  controls_.push_back(std::move(message));
}

void DaemonLink::packet_sent(net::Packet& packet) { handler_->packet_sent(packet); }

}  // namespace nasvm

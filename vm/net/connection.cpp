#include "vm/net/connection.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "vm/net/address.hpp"

namespace nasvm::net {
namespace {

/// As long as a socket is in the poller, each arriving packet costs its sender the poller's bookkeeping. Parking
/// costs two calls, so it has to be worth it.
constexpr int polls_before_parking = 256;

}  // namespace

Connection::Connection(Fd socket, Origin origin, const Options& options, Poller& poller, PacketHandler& handler,
                       ConnectionOwner& owner)
    : poller_(poller),
      handler_(handler),
      owner_(owner),
      handshake_(options.secret,
                 origin == Origin::connecting ? Handshake::Role::initiator : Handshake::Role::acceptor,
                 options.self.value, options.purpose, options.acceptor.value),
      initiator_(origin == Origin::connecting),
      connecting_(initiator_),
      admitted_(initiator_),
      watched_(initiator_ ? EPOLLOUT : EPOLLIN),
      socket_(std::move(socket)),
      fd_(socket_.get()) {
  poller_.add(fd_, watched_, *this);
  if (connecting_) greet_at_once();
}

Connection::~Connection() {
  if (!failed_) poller_.remove(fd_, *this);
}

void Connection::watch(std::uint32_t events) {
  if (events == watched_ || failed_) return;
  watched_ = events;
  poller_.change(fd_, events, *this);
}

/// A socket that can be written, as it mostly can, makes the poller call at once.
template <typename Work>
auto Connection::going_on(const Work& work) {
  try {
    return work();
  } catch (...) {
    if (stream_->wants_to_send() || stream_->has_staged()) watch(EPOLLIN | EPOLLOUT);
    throw;
  }
}

void Connection::close() {
  if (failed_) return;  // its descriptor's number may belong to another one by now
  failed_ = true;
  poller_.remove(fd_, *this);
  if (stream_ != nullptr) ::shutdown(fd_, SHUT_RDWR);  // it keeps the descriptor
  socket_.reset();
}

void Connection::fail(const std::string& reason) {
  if (failed_) return;
  close();
  owner_.lost(*this, reason);
}

void Connection::send(Packet& packet) {
  if (stream_ == nullptr) return waiting_.push(packet);
  going_on([&] { stream_->send(packet); });
  if (stream_->wants_to_send()) watch(EPOLLIN | EPOLLOUT);
}

void Connection::send_copy(const Envelope& envelope, std::span<const std::byte> payload) {
  stream_->send_copy(envelope, payload);
  if (stream_->wants_to_send()) watch(EPOLLIN | EPOLLOUT);
}

bool Connection::poll() {
  if (stream_ == nullptr || failed_) return false;
  const auto result = going_on([this] { return stream_->receive(); });
  check(result);
  if (++polls_ >= polls_before_parking && watched_ == EPOLLIN && !failed_) {
    polls_ = 0;
    poller_.park(fd_, watched_, *this);
  }
  return result == PacketStream::Result::moved;
}

void Connection::check(PacketStream::Result result) {
  if (result == PacketStream::Result::closed) fail(stream_->end());
  if (result == PacketStream::Result::garbage) fail("what came was not a packet");
  if (stream_->wants_to_send()) watch(EPOLLIN | EPOLLOUT);
}

/// Within one host a connection is there as soon as it has been asked for. Saying hello then, before this task does
/// anything else, sets it apart from those that say nothing. Errors are found by the poller.
void Connection::greet_at_once() {
  pollfd look{fd_, POLLOUT, 0};
  if (::poll(&look, 1, 0) == 1 && look.revents == POLLOUT) greet();
}

void Connection::greet() {
  connecting_ = false;
  watch(EPOLLIN);
  // The buffer of a new socket has room for it: what does not take it is broken, and so reported when it is read.
  (void)send_handshake();
}

void Connection::ready(std::uint32_t events) {
  if (failed_) return;
  if (connecting_) {
    if (const int error = net::connect_error(fd_); error != 0) return fail(std::strerror(error));
    return greet();
  }
  if (stream_ == nullptr) return shake_hands();
  const bool can_send = (events & EPOLLOUT) != 0;
  if (can_send) check(going_on([this] { return stream_->flush(); }));
  if (!failed_ && ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0 || stream_->has_staged())) {
    check(going_on([this] { return stream_->receive(); }));
  }
  if (can_send && !failed_) watch(stream_->wants_to_send() ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

bool Connection::send_handshake() {
  const std::vector<std::byte> output = handshake_.take_output();
  // The buffer of a new socket has room for a few dozen bytes; less is an error.
  return output.empty() || ::send(fd_, output.data(), output.size(), MSG_NOSIGNAL | MSG_DONTWAIT) ==
                               static_cast<ssize_t>(output.size());
}

void Connection::shake_hands() {
  std::array<std::byte, 4096> input;
  const ssize_t got = ::recv(fd_, input.data(), input.size(), MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) return fail("the connection was closed in the handshake");
  const std::span<const std::byte> arrived(input.data(), static_cast<std::size_t>(got));
  const std::size_t used = handshake_.feed(arrived);
  if (handshake_.state() == Handshake::State::failed) return fail("the peer does not know the machine's secret");
  if (!admitted_ && handshake_.peer_known()) {
    if (!owner_.admits(*this, peer())) return fail("not wanted");
    admitted_ = true;
  }
  if (!send_handshake()) return fail("the handshake could not be sent");
  if (handshake_.state() == Handshake::State::done) begin_stream(arrived.subspan(used));
}

void Connection::begin_stream(std::span<const std::byte> rest) {
  set_linger(fd_, Linger::in_background);
  stream_ = std::make_unique<PacketStream>(std::move(socket_), handler_);
  owner_.established(*this);
  while (!waiting_.empty()) send(waiting_.pop());
  check(going_on([&] { return stream_->preload(rest); }));
}

}  // namespace nasvm::net

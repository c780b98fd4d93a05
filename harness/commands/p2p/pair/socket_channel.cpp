#include "harness/commands/p2p/pair/socket_channel.hpp"

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "vm/status.hpp"

namespace nasvm {
namespace {

[[noreturn]] void fail(const std::string& what) { throw RunError("yardstick: " + what); }

/// A burst as the one stream of bytes that it is for a socket; knows how far it has come.
class Progress {
 public:
  explicit Progress(const Burst& burst) : burst_(burst) {
    if (burst.bytes == 0) index_ = burst.count;
  }
  [[nodiscard]] bool done() const { return index_ == burst_.count; }
  /// What is left of the present message.
  [[nodiscard]] std::span<std::byte> rest() const { return burst_.message(index_).subspan(moved_); }
  void advance(std::size_t bytes) {
    moved_ += bytes;
    if (moved_ < burst_.bytes) return;
    moved_ = 0;
    ++index_;
  }

 private:
  const Burst& burst_;
  int index_ = 0;
  std::size_t moved_ = 0;
};

}  // namespace

Socket::~Socket() {
  if (fd_ >= 0) ::close(fd_);
}

Socket::Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

/// Bytes taken by the system; 0 when it takes none now.
std::size_t SocketChannel::send_some(std::span<const std::byte> data, int flags) {
  const ssize_t sent = ::send(socket_.fd(), data.data(), data.size(), flags | MSG_NOSIGNAL);
  if (sent >= 0) return static_cast<std::size_t>(sent);
  if (errno == EAGAIN || errno == EINTR) return 0;
  fail(std::string("cannot send: ") + std::strerror(errno));
}

/// Bytes that have come; 0 when there are none now.
std::size_t SocketChannel::recv_some(std::span<std::byte> data, int flags) {
  const ssize_t received = ::recv(socket_.fd(), data.data(), data.size(), flags);
  if (received > 0) return static_cast<std::size_t>(received);
  if (received == 0) fail("the other task has closed its socket");
  if (errno == EAGAIN || errno == EINTR) return 0;
  fail(std::string("cannot receive: ") + std::strerror(errno));
}

void SocketChannel::send(std::span<const std::byte> data) {
  const int flags = waiting_ == Waiting::spin ? MSG_DONTWAIT : 0;
  while (!data.empty()) data = data.subspan(send_some(data, flags));
}

void SocketChannel::recv(std::span<std::byte> data) {
  const int flags = waiting_ == Waiting::spin ? MSG_DONTWAIT : 0;
  while (!data.empty()) data = data.subspan(recv_some(data, flags));
}

void SocketChannel::send_burst(const Burst& out) {
  for (int k = 0; k < out.count; ++k) send(out.message(k));
}

void SocketChannel::recv_burst(const Burst& in) {
  for (int k = 0; k < in.count; ++k) recv(in.message(k));
}

void SocketChannel::wait_for_either(bool to_send, bool to_receive) {
  if (waiting_ == Waiting::spin) return;
  pollfd wanted{socket_.fd(), static_cast<short>((to_send ? POLLOUT : 0) | (to_receive ? POLLIN : 0)), 0};
  if (::poll(&wanted, 1, -1) < 0 && errno != EINTR) fail(std::string("cannot wait: ") + std::strerror(errno));
}

void SocketChannel::exchange_bursts(const Burst& out, const Burst& in) {
  Progress outgoing(out);
  Progress incoming(in);
  while (!outgoing.done() || !incoming.done()) {
    std::size_t moved = 0;
    if (!outgoing.done()) {
      const std::size_t sent = send_some(outgoing.rest(), MSG_DONTWAIT);
      outgoing.advance(sent);
      moved += sent;
    }
    if (!incoming.done()) {
      const std::size_t received = recv_some(incoming.rest(), MSG_DONTWAIT);
      incoming.advance(received);
      moved += received;
    }
    if (moved == 0) wait_for_either(!outgoing.done(), !incoming.done());
  }
}

}  // namespace nasvm

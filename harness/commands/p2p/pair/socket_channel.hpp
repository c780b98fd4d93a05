#pragma once
/// \file
/// The channel over one stream socket, as plainly as it can be done: one send(2) for each message and one recv(2) or
/// more, no header. A stream has no empty messages: 0 bytes do nothing.

#include "harness/commands/p2p/pair/channel.hpp"

namespace nasvm {

/// A descriptor that is closed when its owner goes.
class Socket {
 public:
  explicit Socket(int fd = -1) : fd_(fd) {}
  ~Socket();
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&& other) noexcept;
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  [[nodiscard]] int fd() const { return fd_; }

 private:
  int fd_;
};

/// How a call waits for the socket.
enum class Waiting {
  block,  ///< asleep in the system call
  spin,   ///< asks again and again, never sleeps
};

class SocketChannel final : public Channel {
 public:
  SocketChannel(Socket socket, Waiting waiting) : socket_(std::move(socket)), waiting_(waiting) {}

  void send(std::span<const std::byte> data) override;
  void recv(std::span<std::byte> data) override;
  void send_burst(const Burst& out) override;
  void recv_burst(const Burst& in) override;
  /// Never blocks in one direction: neither side could go on when both socket buffers are full.
  void exchange_bursts(const Burst& out, const Burst& in) override;

 private:
  std::size_t send_some(std::span<const std::byte> data, int flags);
  std::size_t recv_some(std::span<std::byte> data, int flags);
  void wait_for_either(bool to_send, bool to_receive);

  Socket socket_;
  Waiting waiting_;
};

}  // namespace nasvm

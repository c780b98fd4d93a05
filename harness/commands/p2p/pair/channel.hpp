#pragma once
/// \file
/// Channel: what is measured between two tasks. A transport behind Comm (comm_channel.hpp) or bare sockets
/// (yardstick.hpp); the measuring (measure.hpp) does not know which.

#include <cstddef>
#include <span>

namespace nasvm {

/// `count` messages of `bytes` each; their buffers lie `stride` apart and take turns, message 0 has number `turn`.
/// One buffer: all messages use it.
struct Burst {
  std::byte* first = nullptr;
  std::size_t bytes = 0;
  std::size_t stride = 0;
  int count = 1;
  int buffers = 1;
  int turn = 0;

  [[nodiscard]] std::span<std::byte> message(int k) const { return buffer(buffers == 1 ? 0 : (turn + k) % buffers); }
  [[nodiscard]] std::span<std::byte> buffer(int number) const {
    return {first + static_cast<std::size_t>(number) * stride, bytes};
  }
  /// The next messages use the buffers after those of `messages`.
  void advance(int messages) { turn = buffers == 1 ? 0 : (turn + messages) % buffers; }
  /// What the message before message 0 used.
  [[nodiscard]] std::span<std::byte> last() const { return buffer((turn + buffers - 1) % buffers); }
};

/// One end of a connection between two tasks. Messages arrive in order, and each receive asks for the length that was
/// sent. All calls block until their buffers may be used again (sends) or are filled (receives), and allocate nothing
/// once warm. A broken connection is a RunError. One thread uses it.
class Channel {
 public:
  virtual ~Channel() = default;

  virtual void send(std::span<const std::byte> data) = 0;
  virtual void recv(std::span<std::byte> data) = 0;
  /// Sends all messages of a burst, as many at once as the channel can.
  virtual void send_burst(const Burst& out) = 0;
  virtual void recv_burst(const Burst& in) = 0;
  /// Both at the same time; the other side calls it too. No deadlock however long the messages are.
  virtual void exchange_bursts(const Burst& out, const Burst& in) = 0;
};

}  // namespace nasvm

#pragma once
/// \file
/// A non-blocking UDP socket that moves many datagrams per system call and never fragments.
///
/// Sending goes through a queue of fixed slots: fill `slot()`, `push()` it, `flush()` when the queue is full or
/// the round is over. Receiving yields views into the socket's own buffers. Nothing blocks; wait for `descriptor()`
/// to become readable, or writable while `flush()` is stuck. Failures of the system are RunErrors; failures of
/// one peer (unreachable, gone) lose the datagram and are counted, as a network would.
///
/// Where the system can, datagrams of one length to one peer pass through it as one (UDP segmentation offload,
/// UDP_GRO): most of what a short datagram costs is its way through the system. On the wire they are what they are.

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vm/link/wire.hpp"
#include "vm/net/address.hpp"

namespace nasvm::link {

/// An address and UDP port.
using Address = net::SocketAddress;

class DatagramSocket {
 public:
  static constexpr std::size_t batch = 64;  ///< datagrams per system call; Linux cuts one message into no more
  /// The queue is full with about this much, so that what was written and sealed is still in the cache when the
  /// kernel copies it.
  static constexpr std::size_t queue_bytes = std::size_t{256} << 10;
  static constexpr std::size_t default_buffer_bytes = std::size_t{8} << 20;

  struct Options {
    std::size_t receive_buffer_bytes = default_buffer_bytes;  ///< of the kernel; less where that is not allowed
    std::size_t send_buffer_bytes = default_buffer_bytes;
    /// Several sockets of this computer may have the address: members of one multicast group.
    bool shared = false;
    /// IP cuts datagrams that are longer than the path takes. They are as easily lost as all their fragments
    /// together.
    bool fragments = false;
    bool segments = true;  ///< segmentation offload, where the system can
  };
  struct Received {
    std::span<const std::byte> bytes;
    Address from;
  };
  struct TooLong {
    Address to;
    std::size_t bytes = 0;
  };
  struct Flushed {
    std::size_t sent = 0;
    bool stuck = false;                 ///< the system takes no more now; wait until the socket is writable
    std::optional<TooLong> too_long{};  ///< the last datagram that was longer than its path takes, and is lost
  };
  struct Stats {
    std::uint64_t send_calls = 0;
    std::uint64_t receive_calls = 0;
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::uint64_t unsendable = 0;  ///< lost on this side: too long, or the peer cannot be reached
  };

  /// Binds to `ip` and a port that the system chooses. Asks for kernel buffers of `buffer_bytes` each way and takes
  /// what is allowed.
  explicit DatagramSocket(const std::string& ip, std::size_t buffer_bytes = default_buffer_bytes);
  /// Binds to `address`; port 0: one that the system chooses.
  DatagramSocket(const Address& address, const Options& options);
  ~DatagramSocket();
  DatagramSocket(const DatagramSocket&) = delete;
  DatagramSocket& operator=(const DatagramSocket&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] Address address() const { return address_; }
  /// What the kernel granted for arriving datagrams, its own overhead included.
  [[nodiscard]] std::size_t receive_buffer_bytes() const;

  /// Room for the next datagram, max_datagram_bytes long; empty while the queue is full.
  [[nodiscard]] std::span<std::byte> slot();
  /// Queues the first `bytes` of `slot()`.
  void push(std::size_t bytes, const Address& to);
  /// What is queued by now leaves without segmentation: each a datagram of its own from the beginning. Bridges
  /// between this computer's own interfaces pass what is to be cut later, however long its parts are.
  void keep_apart() { alone_until_ = queued_; }
  [[nodiscard]] std::size_t queued() const { return queued_ - flushed_; }
  /// Their bytes, as long as the queue has not been emptied.
  [[nodiscard]] std::size_t queued_bytes() const { return queued_bytes_; }
  /// Hands queued datagrams to the system. When a datagram was too long, ask `path_bytes` again and go on.
  Flushed flush();

  /// What has arrived, at most so many messages of the system (of one or more datagrams each, where it joins them);
  /// valid until the next call. Empty: nothing is there.
  std::span<const Received> receive(std::size_t messages = batch);
  /// Did the last `receive` find fewer messages than it could take?
  [[nodiscard]] bool drained() const { return drained_; }

  /// Longest datagram (UDP payload) to send to `peer`: what the path takes, as far as the system knows by now, and
  /// what a receive buffer like our own holds many of; a burst of longer ones would drown in it.
  [[nodiscard]] std::size_t path_bytes(const Address& peer) const;
  /// The same from what is known: the MTU of a path of IPv4 (nothing where the system does not tell; then every path
  /// between hosts of today takes 1280 bytes, the least that IPv6 allows), and the receive buffer.
  [[nodiscard]] static std::size_t datagram_bytes(std::optional<std::size_t> mtu, std::size_t receive_buffer_bytes);

  [[nodiscard]] const Stats& stats() const { return stats_; }

 private:
  struct Slots;

  [[nodiscard]] std::byte* send_slot(std::size_t index) const;
  [[nodiscard]] std::optional<std::size_t> path_mtu(const Address& peer) const;
  /// Number of queued datagrams from `first` on that leave as one.
  [[nodiscard]] std::size_t segments_from(std::size_t first) const;
  /// Prepares messages for all that is queued. Returns their number.
  unsigned gather();
  bool drop_after_error(int error, Flushed& flushed);
  /// The first message met `error`, which may come from its being several datagrams: they go one by one. False: not
  /// so.
  bool take_apart(int error);
  void take(std::size_t message);

  int descriptor_ = -1;
  Address address_;
  std::unique_ptr<Slots> outgoing_;
  std::unique_ptr<Slots> incoming_;
  std::size_t queued_ = 0;        ///< slots filled
  std::size_t queued_bytes_ = 0;  ///< in them
  std::size_t flushed_ = 0;       ///< slots handed over
  std::size_t alone_until_ = 0;   ///< slots up to here leave one by one
  bool segments_ = true;          ///< the system cuts what leaves into datagrams, as far as we know
  std::vector<Received> received_;
  bool drained_ = true;  ///< by the last `receive`
  Stats stats_;
};

}  // namespace nasvm::link

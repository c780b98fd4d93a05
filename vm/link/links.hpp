#pragma once
/// \file
/// All channels of one daemon over its one socket: seals and opens datagrams, finds the channel of each, and
/// keeps every datagram within its path. With a multicast group, what several hosts are to get leaves once.
///
/// A round of the owner's loop: `receive()`, take what has become readable and write what is to go, `transmit()`,
/// then sleep until `descriptor()` or `group_descriptor()` is readable (the former writable too while `stuck()`) or
/// `deadline()`, a second at most: what is read after longer silence of the owner's measures no round trip. Nothing
/// blocks. RunError when the system fails; a dead peer shows in its channel's `dead()`. One thread uses it.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "vm/link/channel.hpp"
#include "vm/link/datagram_socket.hpp"
#include "vm/link/seal.hpp"
#include "vm/link/sharing.hpp"
#include "vm/metrics/pause_watch.hpp"

namespace nasvm::link {

class Links {
 public:
  /// What a machine in good order does not have.
  struct Stats {
    /// A peer whose path swallowed long datagrams, and how long they may be now.
    struct Shortened {
      std::uint16_t host = 0;
      std::size_t datagram_bytes = 0;
    };
    // What did not come from a peer is dropped and counted.
    std::uint64_t unauthenticated = 0;
    std::uint64_t strangers = 0;  ///< authentic, but of no known host or for another
    std::vector<Shortened> shortened{};

    /// "3 datagrams dropped: 2 not of this machine, 1 of a host that it does not have; datagrams to host far cut to
    /// 1452 bytes: longer ones do not arrive; do the MTUs of the hosts' interfaces differ?"; nothing when there were
    /// none. `name_of`: of a peer's host.
    [[nodiscard]] std::string text(const std::function<std::string(int host)>& name_of) const;
  };
  /// The machine's multicast group, as this host takes part in it.
  struct Group {
    std::unique_ptr<DatagramSocket> ear;  ///< hears what is sent to the group
    Address address;                      ///< where the links' own socket sends to all
    std::uint32_t label = 0;              ///< stands in each shared datagram
    std::size_t mtu = 0;                  ///< longest IP packet on the group's interface
  };

  /// Binds a socket to `ip`. `options` holds for every channel but for its hosts and datagram length.
  Links(const std::string& ip, std::span<const std::byte, Seal::secret_bytes> secret, std::uint16_t local_host,
        const Channel::Options& options, std::size_t kernel_buffer_bytes = DatagramSocket::default_buffer_bytes);

  [[nodiscard]] Address address() const { return socket_.address(); }
  [[nodiscard]] int descriptor() const { return socket_.descriptor(); }

  /// Adds the daemon of `host`, which listens at `address`; the returned channel lives until it is removed.
  Channel& add_peer(std::uint16_t host, const Address& address);
  /// Ends that host's channel. What it still sends counts as a stranger's.
  void remove_peer(std::uint16_t host);
  /// Nothing when the host is not known.
  [[nodiscard]] Channel* channel(std::uint16_t host);

  /// From now on this host hears and sends shared datagrams. Once.
  void join(Group group);
  [[nodiscard]] bool joined() const { return group_.ear != nullptr; }
  /// -1 before `join`.
  [[nodiscard]] int group_descriptor() const { return joined() ? group_.ear->descriptor() : -1; }
  [[nodiscard]] Sharing& sharing() { return sharing_; }
  [[nodiscard]] const Sharing::Stats& sharing_stats() const { return sharing_.stats(); }

  /// Takes what has arrived, at most `max_batches` system calls of it; returns whether more may be waiting.
  bool receive(TimePoint now, int max_batches = 4);
  /// Sends what may be sent, in turns of a few datagrams for each peer.
  void transmit(TimePoint now);
  /// The kernel takes no more for now; wait until the descriptor is writable, then `transmit()`.
  [[nodiscard]] bool stuck() const { return stuck_; }
  /// When to call `transmit()` though nothing happens; TimePoint::min(): at once, TimePoint::max(): never.
  [[nodiscard]] TimePoint deadline() const;

  /// This daemon has been paused: the silence of its peers counts from now.
  void excuse_silence(TimePoint now);

  [[nodiscard]] Stats stats() const;
  [[nodiscard]] const DatagramSocket::Stats& socket_stats() const { return socket_.stats(); }

 private:
  /// When neither has been called for so long, what has arrived may have waited.
  static constexpr std::chrono::milliseconds longest_without_look{1500};

  struct Peer {
    std::uint16_t host;
    Address address;
    std::unique_ptr<Channel> channel;
  };

  void look_for_gap(TimePoint now);
  /// From one of the two sockets. True: there is more.
  bool drain(DatagramSocket& socket, TimePoint now, int max_batches);
  void take(const DatagramSocket::Received& received, TimePoint now);
  void take_shared(const DatagramSocket::Received& received, TimePoint now);
  std::size_t shared_datagram(const Peer& peer, std::span<std::byte> slot, TimePoint now);
  void push(std::span<std::byte> slot, std::size_t body_bytes, const Address& to);
  void probe(TimePoint now);
  void index_peers();
  bool transmit_some(Peer& peer, TimePoint now);
  bool make_room();
  void shorten(const Address& address, std::size_t bytes);

  DatagramSocket socket_;
  Group group_;
  Seal seal_;
  Channel::Options options_;
  Sharing sharing_;
  std::vector<Peer> peers_;                  ///< in order of their addition
  std::vector<std::int32_t> index_of_host_;  ///< into peers_; -1: unknown
  std::size_t turn_ = 0;                     ///< peer whose turn to send it is
  bool stuck_ = false;
  PauseWatch looks_{longest_without_look};
  std::uint64_t strangers_ = 0;
};

}  // namespace nasvm::link

#pragma once
/// \file
/// A node's way to its group by real sockets: the Network that datagram protocols run over (multicast.hpp).
///
/// Two sockets of UDP. One, on the interface's address, sends everything and receives what is for this
/// node; the other, on the group's address, receives what is for all. Datagrams leave many at a time, as one where
/// the system can cut it (segmentation offload), and arrive so. Each has an envelope and, in an authenticated group,
/// a tag. What does not prove, or at least say, that it is of this group and of the node whose address it comes from,
/// is dropped and counted.
///
/// Nothing blocks but the constructor, for as long as system calls take. Whoever drives the port (driver.hpp, or a
/// loop of its own) calls `receive` when `descriptors` can be read, and `flush` after whatever may have sent: what is
/// queued stays here until then. Several ports of one group, one for each node, may be on one computer, of one
/// process or many, on any interface, 127.0.0.1 too.
///
/// Where this computer has no multicast the port says why not, and works by unicast as far as the others do the same:
/// they have to be told (`set_unreached`; reach.hpp finds out).

#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vm/auth.hpp"
#include "vm/link/datagram_socket.hpp"
#include "vm/multicast/multicast.hpp"
#include "vm/multicast/wire/envelope.hpp"
#include "vm/multicast/wire/group_address.hpp"
#include "vm/multicast/wire/group_seal.hpp"
#include "vm/multicast/wire/membership.hpp"
#include "vm/multicast/wire/replay_window.hpp"

namespace nasvm::multicast {

inline constexpr std::size_t more_header_bytes_of_ipv6 = 20;

class GroupPort final : public Network {
 public:
  struct Options {
    std::string ip{};  ///< this node's; its interface is the group's. By IPv6 it takes no part in multicast
    GroupAddress group{};
    Node self = sender_node;
    std::size_t receive_buffer_bytes = std::size_t{4} << 20;
    /// What waits in the system is ahead of every repair: no more than keeps the wire busy.
    std::size_t send_buffer_bytes = std::size_t{60} << 10;
    /// IP cuts what is longer than the path takes (a loss of one piece loses the whole). Otherwise it does so from
    /// the first datagram on that is too long for a path which has come to take less.
    bool fragments = false;
    bool segments = true;  ///< segmentation offload, where the system can
  };
  /// What was dropped, and why.
  struct Rejected {
    std::uint64_t foreign = 0;    ///< of another group, or of none: on the address by chance or by mistake
    std::uint64_t strangers = 0;  ///< says that it is of a node, and comes from another address than that node's
    std::uint64_t forged = 0;     ///< without the right tag
    std::uint64_t replayed = 0;   ///< genuine, and has been there before
    std::uint64_t malformed = 0;  ///< genuine, and yet no packet
    [[nodiscard]] std::uint64_t total() const { return foreign + strangers + forged + replayed + malformed; }
  };
  struct Stats {
    Rejected rejected;
    std::uint64_t copies = 0;  ///< datagrams for all, once more for each node that multicast does not reach
    std::uint64_t held = 0;    ///< datagrams that had to wait here, since the system took no more
    Counts further{};          ///< the protocol's packets for all, as often as each left beyond once
  };

  /// Opens the sockets and joins. `machine`: the secret from which the group's key comes. Throws RunError when there
  /// are no sockets to be had at all.
  GroupPort(const Options& options, const Secret& machine);

  [[nodiscard]] const GroupAddress& group() const { return group_; }
  /// Where others reach this node; they have to be told.
  [[nodiscard]] net::SocketAddress address() const { return unicast_.address(); }
  /// Why this computer cannot take part in multicast; empty: it can, as far as it knows.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }
  /// IPv6's header is longer than IPv4's by more_header_bytes_of_ipv6.
  [[nodiscard]] bool is_by_ipv6() const { return unicast_.address().family() == AF_INET6; }
  /// The name of the interface; empty: no interface has the address.
  [[nodiscard]] const std::string& interface() const { return interface_.name; }
  /// Everybody's address, by node; without a family (a default one): that node is lost, and nothing is sent there.
  /// Before that nothing can be sent, and nobody is heard.
  void set_members(std::vector<net::SocketAddress> addresses);
  /// Nodes that get their own copy of what is sent to all.
  void set_unreached(const std::vector<Node>& nodes);
  /// Longest payload of a packet that leaves this host whole, towards the group.
  [[nodiscard]] std::size_t longest_payload() const;
  /// Longest payload that a datagram can have at all, in fragments.
  [[nodiscard]] std::size_t most_payload() const { return payload_in(link::max_datagram_bytes); }
  /// What the system holds here of datagrams that have not been read, their overhead there not counted.
  [[nodiscard]] std::size_t room_bytes() const;
  /// The payload of a packet that makes a datagram (UDP payload) of that length.
  [[nodiscard]] std::size_t payload_in(std::size_t datagram_bytes) const;
  /// Has another group been heard on this one's address? What is none of a group, or was sent to this node alone,
  /// would come to any address.
  [[nodiscard]] bool is_disturbed() const { return disturbed_; }
  [[nodiscard]] const net::SocketAddress& member(Node node) const { return members_[static_cast<std::size_t>(node)]; }
  [[nodiscard]] Node self() const { return self_; }
  [[nodiscard]] int receivers() const { return static_cast<int>(members_.size()) - 1; }

  void send(Node to, const Packet& packet) override { send(to, packet, Purpose::protocol); }
  void send_to_all(const Packet& packet) override { send_to_all(packet, Purpose::protocol); }
  void give_copies(Node to) override;
  [[nodiscard]] bool has_room() const override { return !stuck_; }
  /// The same, for the ends that find out about the group before its protocol begins.
  [[nodiscard]] Network& set_up_network() { return set_up_network_; }
  /// Where the packets of those go; before that nowhere. It lives as long as the port, since answers may be lost.
  void set_up_end(std::unique_ptr<End> end) { set_up_end_ = std::move(end); }

  /// Sockets that may have something.
  struct Ready {
    bool unicast = true;
    bool multicast = true;
  };
  /// Hands what has arrived to `end`, a bounded number of system calls of it. Returns how many datagrams there were.
  std::size_t receive(End& end, TimePoint now, Ready ready = {true, true});
  /// Gives the system what is queued. False: it does not take all of it now; wait until `descriptors()[0]` is
  /// writable. Throws RunError when datagrams have become too long for their path, and IP does not cut them either.
  bool flush();
  /// The same; where there was no room and now is, the end is told, and what it sends then leaves, too.
  bool push(End& end, TimePoint now);

  /// To wait for: the first can be read and written, the second (where there is one) read.
  [[nodiscard]] std::array<int, 2> descriptors() const;
  [[nodiscard]] const Stats& stats() const { return stats_; }
  [[nodiscard]] const link::DatagramSocket::Stats& sent() const { return unicast_.stats(); }

 private:
  enum class Purpose : std::uint8_t { protocol, set_up };
  struct SetUpNetwork final : Network {
    explicit SetUpNetwork(GroupPort& owner) : port(owner) {}
    void send(Node to, const Packet& packet) override { port.send(to, packet, Purpose::set_up); }
    void send_to_all(const Packet& packet) override { port.send_to_all(packet, Purpose::set_up); }
    GroupPort& port;
  };
  /// A datagram that the system has not taken.
  struct Waiting {
    net::SocketAddress to;
    std::vector<std::byte> bytes;
    bool apart;
  };

  void open_multicast(const Options& options);
  [[nodiscard]] std::size_t overhead_bytes() const;
  void send(Node to, const Packet& packet, Purpose purpose);
  void send_to_all(const Packet& packet, Purpose purpose);
  [[nodiscard]] bool is_addressable(Node node) const;
  GroupEnvelope next_envelope(Purpose purpose);
  void write(const Packet& packet, const GroupEnvelope& envelope, Node to, std::span<std::byte> out);
  [[nodiscard]] std::span<std::byte> place_for(std::size_t bytes, const net::SocketAddress& to, Purpose purpose);
  void push(std::size_t bytes, const net::SocketAddress& to, bool apart);
  [[nodiscard]] bool make_room(std::size_t bytes);
  void empty_queue();
  void have_ip_cut(std::size_t bytes);
  void count_copies(const Packet& packet);
  void send_copies();
  bool push_waiting();
  std::size_t receive(link::DatagramSocket& socket, std::size_t& messages, End& end, TimePoint now);
  void take(const link::DatagramSocket::Received& received, bool to_group, End& end, TimePoint now);
  [[nodiscard]] std::uint64_t Rejected::*check(const link::DatagramSocket::Received& received,
                                               const GroupEnvelope& envelope);

  Node self_;
  GroupAddress group_;
  GroupInterface interface_;
  link::DatagramSocket unicast_;
  std::optional<link::DatagramSocket> multicast_;
  std::string why_not_;
  std::optional<GroupSeal> seal_;  ///< of an authenticated group
  std::uint64_t counter_ = 0;
  std::vector<net::SocketAddress> members_;
  std::vector<ReplayWindow> seen_;  ///< of each member, in an authenticated group
  std::vector<Node> unreached_;
  bool reaches_any_ = true;
  bool disturbed_ = false;
  std::vector<std::vector<std::byte>> for_unreached_;  ///< datagrams for all that have left and go to these, too
  std::size_t bytes_for_unreached_ = 0;
  std::size_t unicast_messages_ = link::DatagramSocket::batch;  ///< taken by one system call
  std::size_t multicast_messages_ = 8;
  bool stuck_ = false;      ///< the system takes no more for now
  bool is_set_up_ = false;  ///< who is reached is known, and how long datagrams may be
  bool is_cut_ = false;     ///< IP cuts what is too long, since something was
  std::deque<Waiting> waiting_;
  SetUpNetwork set_up_network_{*this};
  std::unique_ptr<End> set_up_end_;
  Stats stats_;
};

}  // namespace nasvm::multicast

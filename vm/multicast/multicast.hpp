#pragma once
/// \file
/// The contract of multicast protocols: one folder each below, one row each in the table (table.hpp).
///
/// A protocol brings the messages of one node, the sender, to all receivers of a group: to each whole, exactly once,
/// and in order. It is two kinds of end, one Sender and a Receiver for each other node, which decide what to send to
/// whom and when. They know neither sockets nor clocks: they are told of packets that arrive, of the time, and of
/// nodes that are lost, and what they send goes to an interface. So a protocol runs over real networks and over a
/// simulated one (tests/support/simulated_network.hpp) alike.
///
/// One thread calls an end. No call blocks. What comes from a network may be anything: an end ignores packets that
/// make no sense, and throws only when memory is out. Memory is bounded by the protocol's window, whatever comes.
/// docs/multicast.md tells the whole.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

#include "vm/multicast/packet.hpp"
#include "vm/parameters.hpp"

namespace nasvm::multicast {

using TimePoint = std::chrono::steady_clock::time_point;
using Duration = std::chrono::steady_clock::duration;

/// A member of a group: 0 is its sender, 1 to N are its receivers, as the group lists them.
using Node = int;
inline constexpr Node sender_node = 0;

/// What an end knows of its group, the same for all ends but for `self`. Groups are closed: who is in them is known
/// when they are made (Dunigan and Hall, PVM and IP Multicast, section 3.1.4); a node can only be lost.
struct Group {
  int receivers = 0;
  Node self = sender_node;
  std::size_t packet_bytes = 1024;   ///< longest payload that one packet can carry on the group's path
  Parameters parameters;             ///< of the protocol, as far as the user set them
  std::size_t room_bytes = 4 << 20;  ///< what path and receivers hold before they lose: the least of their buffers
  Duration round_trip{0};            ///< the shortest on the path, as a probe has found it; 0: not known
};

/// Where an end's packets go. A packet is the network's only during the call: what cannot leave at once it copies. It
/// takes whatever it is given; how much that is at a time is the protocol's to limit, which asks `has_room` before it
/// sends data.
class Network {
 public:
  virtual ~Network() = default;
  /// To one node.
  virtual void send(Node to, const Packet& packet) = 0;
  /// To all other nodes of the group, as one packet wherever multicast reaches them; to the others one by one.
  virtual void send_to_all(const Packet& packet) = 0;
  /// That node has stopped to hear what is sent to all, and not what is sent to it: it gets copies from now on, where
  /// the network can.
  virtual void give_copies(Node /*to*/) {}
  /// False: what was sent waits in this host. Once it has left, the network calls End::resume, or `tick`.
  [[nodiscard]] virtual bool has_room() const { return true; }
};

/// Where a receiving end's messages go.
class Inbox {
 public:
  virtual ~Inbox() = default;
  /// A piece of a message, each byte of it once, in any order of pieces; it is copied before this returns. False:
  /// there is no room now, nothing has been taken, and the packet has to come again; End::resume tells the receiver
  /// that there is, otherwise it tries from time to time. Over links (Carrier) the answer is always true: they hold
  /// back what there is no room for.
  virtual bool take(const Packet& data) = 0;
  /// All of that message has been taken. Messages are complete in the order of their numbers.
  virtual void complete(std::uint32_t message) = 0;
};

/// One node's end.
class End {
 public:
  virtual ~End() = default;
  /// A packet of the group has come from another node.
  virtual void arrived(Node from, const Packet& packet, TimePoint now) = 0;
  /// When `tick` is to be called next; TimePoint::max(): this end waits for no time. May change in every call.
  [[nodiscard]] virtual TimePoint deadline() const { return TimePoint::max(); }
  /// It is `deadline()` or later.
  virtual void tick(TimePoint /*now*/) {}
  /// There is room again: in the network, which had none (Network::has_room), or in the inbox, which did not take a
  /// packet (Inbox::take).
  virtual void resume(TimePoint /*now*/) {}
  /// A node is gone for good: nothing is sent to it, awaited from it or left to it any more.
  virtual void lost(Node node, TimePoint now) = 0;
};

/// What the sending end has sent so far (docs/measuring.md: these are not communication volume).
struct Counts {
  std::uint64_t data_packets = 0;   ///< each piece of each message once for each time that it left as data
  std::uint64_t retransmitted = 0;  ///< of those, pieces that had left before, and repairs, asked for or not
  std::uint64_t control_packets = 0;
};

class Sender : public End {
 public:
  /// Begins a message; only when `done()`. It stays in place until then.
  virtual void send(std::span<const std::byte> message, TimePoint now) = 0;
  /// Is every message where it has to be? Known, not hoped: each receiver that is not lost has said so, or, over
  /// links, those have it, which bring whatever they have taken.
  [[nodiscard]] virtual bool done() const = 0;
  [[nodiscard]] virtual const Counts& counts() const = 0;
  /// Packets on their way at once, at most; 0: the protocol sets no limit.
  [[nodiscard]] virtual std::uint32_t window() const { return 0; }
  /// How long it waits for a word of receivers before it asks for one, as things are; 0: it does not ask.
  [[nodiscard]] virtual Duration patience() const { return {}; }
};

class Receiver : public End {
 public:
  /// Has everything that came here been passed on, and its acknowledgement sent? Whoever serves an end over links
  /// only while its node awaits a message goes on until then. Over datagrams ends are served all the time.
  [[nodiscard]] virtual bool done() const { return true; }
};

}  // namespace nasvm::multicast

#pragma once
/// \file
/// Whom IP multicast reaches, with how long datagrams, how much of them receivers hold, and how long the way is:
/// found out once, when a group is set up.
///
/// Node 0 multicasts probes, one of each length in question, and each receiver answers by unicast with those that it
/// has heard so far. Nodes that lack some are asked by unicast, and the probes are repeated, at growing intervals: a
/// probe may be lost, and switches may take a second to learn of new members. Who answers and still hears no probe is
/// unreached; unicasts serve it from then on. Long probes may be lost for being long: the longest length that all
/// have heard is the group's. At last node 0 tells every node the result, until it has acknowledged it.
///
/// Two ends without sockets, as a protocol has them (multicast.hpp). Nobody need be listening when node 0 begins.

#include <functional>
#include <optional>
#include <vector>

#include "vm/multicast/multicast.hpp"

namespace nasvm::multicast {

/// What all nodes of the group know in the end.
struct Reach {
  std::size_t payload_bytes = 0;  ///< longest payload of a packet that all have heard, of those tried
  std::vector<Node> unreached;    ///< by multicast, in order
  bool disturbed = false;         ///< somebody has heard another group on this address: it has to move
  Duration round_trip{0};         ///< the shortest between node 0 and a receiver, as far as one was timed
  std::size_t room_bytes = 0;     ///< the least that a receiver holds of what it has not read yet; 0: nobody said
};

class ReachProbe final : public End {
 public:
  struct Options {
    int receivers = 0;
    /// Payloads to try, at most 32, the longest first. The last one is taken to pass in any case.
    std::vector<std::size_t> payload_bytes{1400};
    Duration first_round = std::chrono::milliseconds(10);
    Duration longest_round = std::chrono::milliseconds(160);
    int rounds_for_length = 4;  ///< that a node answers and does not hear a length which shorter probes beat
    int rounds_for_reach = 8;   ///< that a node answers and hears nothing
    /// Others on the address are listened for at least so long.
    Duration listening = std::chrono::milliseconds(20);
    /// Says whether this node has heard another group.
    std::function<bool()> is_disturbed = [] { return false; };
  };

  ReachProbe(const Options& options, Network& network, TimePoint now);

  void arrived(Node from, const Packet& packet, TimePoint now) override;
  [[nodiscard]] TimePoint deadline() const override { return deadline_; }
  void tick(TimePoint now) override;
  void lost(Node node, TimePoint now) override;

  /// Every node that is not lost knows the result.
  [[nodiscard]] bool done() const { return deadline_ == TimePoint::max(); }
  /// Valid when `done()`.
  [[nodiscard]] const Reach& reach() const { return reach_; }
  /// Nodes that have not answered at all so far; once the result is known, those that have not said that they know
  /// it.
  [[nodiscard]] std::vector<Node> silent() const;

 private:
  struct Receiver {
    bool lost = false;
    bool answered = false;
    bool agreed = false;      ///< knows the result
    int rounds = 0;           ///< since it has answered first
    std::uint32_t heard = 0;  ///< a bit for each length
    std::size_t room_bytes = 0;
    [[nodiscard]] bool hears_nothing() const { return answered && heard == 0; }
  };

  [[nodiscard]] bool is_judged(const Receiver& receiver) const;
  [[nodiscard]] bool all_judged() const;
  void begin_round(TimePoint now);
  void conclude(TimePoint now);
  void tell_result(TimePoint now);
  void judge(TimePoint now);
  void set_round(TimePoint now);
  void time(const Packet& answer, TimePoint now);

  Options options_;
  Network& network_;
  std::vector<Receiver> receivers_;  ///< node 1 first
  std::vector<std::byte> zeros_;
  std::vector<TimePoint> rounds_;  ///< when they began
  TimePoint begun_;
  Duration round_length_;
  TimePoint deadline_;
  bool concluded_ = false;
  bool disturbed_ = false;
  std::vector<std::byte> result_;  ///< as it is told
  Reach reach_;
};

/// The other nodes' end: answers as long as it lives, since answers may be lost.
class ReachAnswer final : public End {
 public:
  /// `room_bytes`: what this node holds of what it has not read yet.
  ReachAnswer(Network& network, std::function<bool()> is_disturbed, std::size_t room_bytes)
      : network_(network), is_disturbed_(std::move(is_disturbed)), room_bytes_(room_bytes) {}

  void arrived(Node from, const Packet& packet, TimePoint now) override;
  void lost(Node /*node*/, TimePoint /*now*/) override {}

  [[nodiscard]] const std::optional<Reach>& reach() const { return reach_; }

 private:
  Network& network_;
  std::function<bool()> is_disturbed_;
  std::size_t room_bytes_;
  std::uint32_t heard_ = 0;
  std::optional<Reach> reach_;
};

}  // namespace nasvm::multicast

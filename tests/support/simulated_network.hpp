#pragma once
/// \file
/// A multicast group in virtual time: all ends of one protocol over a simulated network with seeded loss,
/// duplication, reordering and delay on each path, and inboxes that check what they are given. The same options give
/// the same run.

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "support/lossy_link.hpp"
#include "vm/multicast/table.hpp"

namespace nasvm::test {

class SimulatedNetwork {
 public:
  using TimePoint = multicast::TimePoint;
  using Duration = multicast::Duration;
  using Node = multicast::Node;

  struct Options {
    LossyLink::Options path{};      ///< each path from node to node, with a seed of its own made of this one's
    double shared_loss = 0;         ///< probability that a multicast reaches nobody
    double refusals = 0;            ///< probability that an inbox has no room
    std::vector<Node> unreached{};  ///< by multicast: they get unicasts in its place
    std::size_t packet_bytes = 1000;
    std::size_t room_bytes = std::size_t{4} << 20;     ///< what the ends are told of receivers' buffers,
    Duration round_trip{0};                            ///< and of the paths
    Duration notice = std::chrono::milliseconds(500);  ///< until others hear of a lost node
    /// Each node's way out: bytes in a second, frames' overhead counted; 0: without limit. What waits for it says
    /// that there is no room beyond `link_queue_bytes`.
    double link_bytes_per_second = 0;
    std::size_t link_queue_bytes = 60'000;
    /// When each host's way out is free, where several groups are on the same hosts; null: this group's own.
    std::vector<TimePoint>* ways_out = nullptr;
    std::size_t first_host = 0;  ///< in it, of node 0; the other nodes follow, around its end
    /// The group is set up first (setting_up.hpp), which takes until the sender is done for the first time. Its roll
    /// call travels without trouble. Protocols over links have no set-up.
    bool sets_up = false;
  };
  /// Packets that have left their nodes: a multicast is one.
  struct Stats {
    std::size_t unicasts = 0;
    std::size_t multicasts = 0;
    std::size_t to_sender = 0;           ///< of the unicasts
    std::array<std::size_t, 8> kinds{};  ///< by Packet::Kind
    [[nodiscard]] std::size_t of(multicast::Packet::Kind kind) const { return kinds[static_cast<std::size_t>(kind)]; }
  };
  struct Message {
    std::vector<std::byte> bytes;
    std::size_t missing = 0;
    bool complete = false;
  };

  SimulatedNetwork(const multicast::Choice& protocol, int receivers, const Options& options);
  ~SimulatedNetwork();

  [[nodiscard]] multicast::Sender& sender() { return *sender_; }
  [[nodiscard]] int receivers() const { return static_cast<int>(nodes_.size()) - 1; }
  /// Messages of a receiver so far, in the order of their numbers.
  [[nodiscard]] const std::vector<Message>& received(Node node) const;
  /// What an inbox was given against the contract: a byte twice, a piece outside, a message out of order.
  [[nodiscard]] const std::vector<std::string>& complaints() const { return complaints_; }
  [[nodiscard]] const Stats& stats() const { return stats_; }
  [[nodiscard]] TimePoint now() const { return now_; }

  /// Sends a message and lets time pass until the sender is done and nothing is under way, or `limit` is over.
  /// False: it was over.
  bool broadcast(std::span<const std::byte> message, Duration limit = std::chrono::hours(1));
  /// The same, until the sender is done: what is under way stays so.
  bool broadcast_only(std::span<const std::byte> message, Duration limit = std::chrono::hours(1));
  /// Lets time pass until `done()`; false when that has not come within `limit`.
  bool run(const std::function<bool()>& done, Duration limit);
  /// When something happens next, and letting it happen: for several networks that share their time.
  [[nodiscard]] TimePoint next_event();
  void advance(TimePoint to);
  /// Is nothing under way?
  [[nodiscard]] bool is_quiet() const { return arrivals_.empty(); }
  /// A node stops: it hears and says nothing any more, and the others hear of it after Options::notice.
  void stop(Node node);
  /// From now on a node hears nothing that is multicast, and what is for it alone as before.
  void deafen(Node node) { deaf_.push_back(node); }
  /// Nodes that get copies in its place, those of Options included.
  [[nodiscard]] const std::vector<Node>& unreached() const { return options_.unreached; }
  /// From now on inboxes have no room with that probability; when there is room again, their ends may be told.
  void refuse(double probability) { options_.refusals = probability; }
  void resume(Node node);
  /// Loses on that path what `passes` does not let through.
  void lose(Node from, Node to, std::function<bool(std::span<const std::byte>)> passes);
  /// A stranger's packet, as if it came from that node.
  void inject(Node from, Node to, const std::vector<std::byte>& datagram);

 private:
  struct Site;

  void send(Node from, Node to, const multicast::Packet& packet);
  void send_to_all(Node from, const multicast::Packet& packet);
  TimePoint leave(Node from, std::size_t bytes);
  void carry(Node from, Node to, const std::vector<std::byte>& datagram, TimePoint at, std::size_t first_path = 0);
  void make_end(Site& site, const multicast::Choice& protocol, int receivers);
  /// Paths from node to node, of which those of links come behind the others.
  [[nodiscard]] std::size_t first_link() const { return nodes_.size() * nodes_.size(); }
  void deliver(std::size_t path);
  void serve();
  [[nodiscard]] bool happens(double probability);

  Options options_;
  std::vector<Node> deaf_;
  TimePoint now_{};
  std::mt19937_64 random_;
  std::vector<std::unique_ptr<Site>> nodes_;
  std::vector<LossyLink> paths_;                          ///< by sender's node, then receiver's
  std::set<std::pair<TimePoint, std::size_t>> arrivals_;  ///< the next one of each path with something on its way
  multicast::Sender* sender_ = nullptr;
  std::vector<std::pair<TimePoint, Node>> losses_;  ///< to be told of
  std::vector<std::string> complaints_;
  Stats stats_;
};

/// Several groups at once, in one time: each sender sends its messages one after the other. Until all are everywhere,
/// or `limit` is over: then false.
bool broadcast_at_once(std::span<const std::unique_ptr<SimulatedNetwork>> groups,
                       std::span<const std::vector<std::vector<std::byte>>> messages,
                       SimulatedNetwork::Duration limit = std::chrono::hours(1));

}  // namespace nasvm::test

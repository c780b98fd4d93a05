#pragma once
/// \file
/// The tasks that one task's engine talks to: who they are, by which transport packets go to each, and how much may
/// be sent to each without asking. Its siblings have the first ranks; strangers, tasks of other worlds, get the next
/// ones when they are first heard of.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "vm/endpoint.hpp"
#include "vm/engine/invitations.hpp"
#include "vm/message.hpp"
#include "vm/transport/memory_path.hpp"
#include "vm/transport/transport.hpp"

namespace nasvm {

namespace engine {

/// How some messages get to a peer.
struct Route {
  Transport* transport = nullptr;
  MemoryPath* memory = nullptr;               ///< the transport's, if it has one
  std::size_t pull_from = MemoryPath::never;  ///< messages of this length on are fetched by the peer
};

/// What a message uses of a window of credit.
inline std::size_t eager_cost(const Operation& operation) { return sizeof(Envelope) + operation.bytes; }

enum class Presence : std::uint8_t {
  here,
  left,  ///< in good order: what it sent still arrives
  dead,  ///< what it was sending is given up
};

struct Peer {
  Tid tid;
  Presence presence = Presence::here;
  std::array<Route, 3> routes;        ///< packed messages, unpacked ones, and those of Comms
  std::vector<Route> request_routes;  ///< by context, from first_request_context on
  std::size_t credit = 0;             ///< eager bytes that may still be sent
  std::size_t credit_owed = 0;        ///< taken in and not yet returned
  std::size_t eager_bytes = 0;        ///< longest message that goes without asking
  std::uint64_t grants_given = 0;     ///< to it, for packed messages
  std::uint64_t grants_heard = 0;     ///< from it, for packed messages
  std::size_t packed_announced = 0;   ///< packed messages to it that it has not asked for yet
  bool is_invited = false;            ///< receives for its long messages are told to it (invitations.hpp)
  GivenInvitations given;             ///< to it
  HeldInvitations held;               ///< from it
  Envelope envelope;                  ///< of messages to it, as far as they are all the same

  [[nodiscard]] const Route& route(Context context) const {
    if (context >= first_request_context && context - first_request_context < request_routes.size()) {
      return request_routes[context - first_request_context];
    }
    return routes[std::min<std::size_t>(context, routes.size() - 1)];
  }
  [[nodiscard]] const Route& comm() const { return routes.back(); }
  [[nodiscard]] bool is_gone() const { return presence != Presence::here; }
  /// Invitations are for messages of Comms, which all go one way.
  [[nodiscard]] static bool may_invite(Context context) {
    return context > unpacked_context && context < first_request_context;
  }

  /// A short message for which the receiver has no room left is announced like a long one: so nothing ever waits
  /// behind messages that nobody receives, and what is announced takes no memory but a record at either end.
  [[nodiscard]] bool takes_at_once(const Operation& operation) const {
    return operation.bytes <= eager_bytes && eager_cost(operation) <= credit && !operation.synchronous &&
           operation.bytes < route(operation.context).pull_from;
  }
};

class Peers {
 public:
  /// The siblings, by rank, and where this task is among them; what may go to each peer without asking.
  void meet(const std::vector<Member>& members, Rank self, std::size_t eager_bytes, std::size_t credit_bytes);
  /// Strangers are reached that way; without it there are none.
  void set_stranger_route(const Route& route) { stranger_route_ = route; }
  /// So many methods of requests there are; each is a stranger's one route.
  void set_request_methods(std::size_t count);
  /// May that be a stranger?
  [[nodiscard]] bool may_add(Tid tid) const { return stranger_route_.transport != nullptr && tid.is_task(); }
  /// A stranger that is not known yet. References to peers are not valid any more.
  Rank add(Tid tid);
  /// A task has ended: nothing leaves for it any more.
  void end(Rank rank, Presence presence);

  [[nodiscard]] Rank self() const { return self_; }
  /// Siblings, this task included.
  [[nodiscard]] int size() const { return size_; }
  /// Strangers included.
  [[nodiscard]] int count() const { return static_cast<int>(peers_.size()); }
  [[nodiscard]] bool is_sibling(Rank rank) const {
    return static_cast<unsigned>(rank) < static_cast<unsigned>(size_);
  }
  /// How many have ended.
  [[nodiscard]] int ended() const { return ended_; }
  [[nodiscard]] bool is_dead(Rank rank) const {
    return dead_ != 0 && rank != any_source && (*this)[rank].presence == Presence::dead;
  }
  Peer& operator[](Rank rank) { return peers_[static_cast<std::size_t>(rank)]; }
  const Peer& operator[](Rank rank) const { return peers_[static_cast<std::size_t>(rank)]; }

  /// any_source: it is not known.
  [[nodiscard]] Rank rank_of(Tid tid) const {
    const auto host = static_cast<std::size_t>(tid.host());
    const auto local = static_cast<std::size_t>(tid.local());
    return host < rank_of_tid_.size() && local < rank_of_tid_[host].size() ? rank_of_tid_[host][local] : any_source;
  }

 private:
  void append(Tid tid);

  Rank self_ = 0;
  int size_ = 0;
  int dead_ = 0;
  int ended_ = 0;
  Tid own_tid_;
  std::size_t eager_bytes_ = 0;
  std::size_t credit_bytes_ = 0;
  Route stranger_route_;
  std::size_t request_methods_ = 0;
  std::vector<Peer> peers_;
  std::vector<std::vector<Rank>> rank_of_tid_;  ///< by host and local part
};

}  // namespace engine
}  // namespace nasvm

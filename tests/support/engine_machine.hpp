#pragma once
/// \file
/// Some engines of one process, joined by two networks in memory: one for Comms, one for what goes through the
/// daemons.

#include <algorithm>
#include <memory>
#include <vector>

#include "support/memory_transport.hpp"
#include "vm/engine/engine.hpp"

namespace nasvm::test {

/// Context of the messages that travel over EngineMachine::comm.
inline constexpr Context comm_context = 4;

struct EngineMachine {
  struct Transfer : Operation {
    std::vector<std::byte> buffer;
  };
  using Handle = std::unique_ptr<Transfer>;

  static Tid tid_of(Rank rank) { return Tid::task(1 + rank % 2, 1 + rank / 2); }

  explicit EngineMachine(int ranks, const Engine::Options& options = {}, const MemoryNetwork::Options& network = {})
      : pollers(static_cast<std::size_t>(ranks)), comm(network), routed(network) {
    std::vector<Member> members;
    for (Rank rank = 0; rank < ranks; ++rank) members.push_back({tid_of(rank), "host", {}});
    for (Rank rank = 0; rank < ranks; ++rank) {
      engines.push_back(std::make_unique<Engine>(pollers[static_cast<std::size_t>(rank)], options));
      engines.back()->meet(members, rank);
      Transport& direct_way = comm.join(tid_of(rank), *engines.back());
      Transport& routed_way = routed.join(tid_of(rank), *engines.back());
      for (Rank peer = 0; peer < ranks; ++peer) engines.back()->set_routes(peer, direct_way, routed_way, direct_way);
    }
  }

  Engine& operator[](Rank rank) { return *engines[static_cast<std::size_t>(rank)]; }

  static Handle operation(Operation::Kind kind, Rank peer, Tag tag, std::vector<std::byte> buffer, Context context) {
    auto made = std::make_unique<Transfer>();
    made->buffer = std::move(buffer);
    made->kind = kind;
    made->peer = peer;
    made->tag = tag;
    made->context = context;
    made->data = made->buffer.data();
    made->bytes = made->buffer.size();
    return made;
  }
  Handle send(Rank from, Rank to, Tag tag, std::vector<std::byte> bytes, Context context = comm_context) {
    Handle made = operation(Operation::Kind::send, to, tag, std::move(bytes), context);
    (*this)[from].start(*made);
    return made;
  }
  Handle receive(Rank at, Rank from, Tag tag, std::size_t capacity, Context context = comm_context) {
    Handle made = operation(Operation::Kind::receive, from, tag, std::vector<std::byte>(capacity), context);
    (*this)[at].start(*made);
    return made;
  }

  void deliver_all() {
    while (!comm.idle() || !routed.idle()) {
      comm.deliver_all();
      routed.deliver_all();
    }
  }
  /// Whoever blocks makes everything move.
  void pump() {
    for (net::Poller& poller : pollers) {
      comm.pump_through(poller);
      routed.pump_through(poller);
    }
  }

  std::vector<net::Poller> pollers;  ///< outlive the networks, which may be watched by them
  MemoryNetwork comm, routed;
  std::vector<std::unique_ptr<Engine>> engines;
};

/// Small limits, so that short messages reach them.
inline constexpr Engine::Options small_limits{.eager_bytes = 1000, .credit_bytes = 4000};

/// Whether this receive is complete and found that message.
inline bool got(const EngineMachine::Handle& receive, Rank source, Tag tag, const std::vector<std::byte>& bytes) {
  return receive->complete && receive->status.source == source && receive->status.tag == tag &&
         receive->status.bytes == bytes.size() && std::equal(bytes.begin(), bytes.end(), receive->buffer.begin());
}

}  // namespace nasvm::test

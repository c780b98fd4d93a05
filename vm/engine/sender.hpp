#pragma once
/// \file
/// The sending half of the engine: cuts messages into packets and decides when they may go.
///
/// Short messages leave at once as long as the receiver has granted room for them (a window of credit per pair,
/// returned as the receiver takes messages in). All others are announced, and sent when a receive is posted
/// (rendezvous), or fetched by their receiver where it can read this task's memory. A receiver that does not receive
/// therefore stops its senders, over every transport alike. Reasons: docs/decisions/flow-control.md.
///
/// Nothing here blocks.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "vm/engine/outbox.hpp"
#include "vm/engine/peers.hpp"

namespace nasvm::engine {

class Sender {
 public:
  /// A send in progress. `packet` is its one packet under way; a long message sends its pieces one after the other.
  struct Send {
    net::Packet packet;
    Operation* operation = nullptr;
    Transport* transport = nullptr;
    Tid destination;  ///< the peer's, or a group's
    std::uint32_t id = 0;
    std::size_t sent = 0;                  ///< bytes of the message that have been handed to the transport
    int awaited_grants = 0;                ///< of receivers that have been asked and have not answered
    std::vector<Rank> asked;               ///< which those are, of a group
    PacketKind first = PacketKind::eager;  ///< what the first piece is; data: an announcement went before it
    std::uint32_t invitation = 0;          ///< by which it goes
    std::uint64_t order = 0;               ///< of announcements
  };

  Sender(Peers& peers, Outbox& outbox) : peers_(peers), outbox_(outbox) {}

  /// Starts a send to another task.
  void start(Operation& operation) {
    Peer& peer = peers_[operation.peer];
    const Route& route = peer.route(operation.context);
    const bool at_once = peer.takes_at_once(operation);
    if (at_once && route.memory != nullptr && send_now(peer, *route.memory, operation)) return;
    start_record(peer, *route.transport, operation, at_once);
  }

  /// Starts one send to several tasks through `group`, an address that stands for all of them. It may `go` when
  /// nobody is asked any more (Send::awaited_grants): at once, if there is credit for each and `may_go_at_once`.
  Send& start_group(Operation& operation, std::span<const Rank> receivers, Tid group, bool may_go_at_once);
  /// Is told of a group's send when it may go, and when it is complete (then it has no operation any more).
  void on_group(std::function<void(const Send&)> callback) { on_group_ = std::move(callback); }
  /// Sends the message of a group.
  void go(Send& send);

  /// A receiver is ready for an announced message.
  void granted(Rank receiver, std::uint32_t sender_id);
  /// A receiver has invited a message.
  void invited(Rank receiver, const Envelope& invitation);
  /// A receiver has fetched an announced message.
  void fetched(Rank receiver, std::uint32_t sender_id);
  /// That peer has ended: what waits for it is complete.
  void forget(Rank receiver);
  /// A packet of a send has left.
  void piece_sent(Send& send);

  /// The owner of a send goes, and its message: what is not complete goes on from a copy.
  void adopt(const Operation& operation);
  /// The message of a send has moved to `data`, unchanged.
  static void relocate(Operation& operation, const std::byte* data);
  /// Does that send wait for its receiver's answer?
  [[nodiscard]] static bool is_announced(const Operation& operation) {
    return static_cast<const Send*>(operation.state)->awaited_grants != 0;
  }

  /// Sends that are not complete, each with one whom it waits for.
  [[nodiscard]] std::vector<std::pair<const Operation*, Rank>> waiting() const;
  /// Are there announced messages that their receivers have not asked for?
  [[nodiscard]] bool has_announced() const { return announced_ != 0; }
  /// How many sends have been completed that did not go at once through memory.
  [[nodiscard]] std::uint64_t completed() const { return completed_; }

 private:
  /// The way of short messages through memory: one copy, no record, and the operation is complete.
  bool send_now(Peer& peer, MemoryPath& memory, Operation& operation) {
    Envelope& envelope = peer.envelope;
    envelope.element_bytes = operation.element_bytes;
    envelope.context = operation.context;
    envelope.tag = operation.tag;
    envelope.credit = static_cast<std::uint32_t>(peer.credit_owed);
    envelope.payload_bytes = static_cast<std::uint32_t>(operation.bytes);
    envelope.message_bytes = operation.bytes;
    // Booked before: a message whose receiver cannot be woken has left all the same.
    peer.credit -= eager_cost(operation);
    peer.credit_owed = 0;
    if (!memory.send_now(operation.peer, envelope, operation.data)) {
      peer.credit += eager_cost(operation);
      peer.credit_owed = envelope.credit;
      return false;
    }
    operation.complete = true;
    return true;
  }

  void start_record(Peer& peer, Transport& transport, Operation& operation, bool at_once);
  /// Is its place told in its announcement?
  [[nodiscard]] bool may_be_pulled(Rank receiver, const Operation& operation) const;
  void announce(Rank receiver, Send& send);
  void send_piece(Send& send, PacketKind kind, std::size_t offset);
  [[nodiscard]] Send* find_waiting(Rank receiver, std::uint32_t sender_id);
  [[nodiscard]] Send* find_waiting(Rank receiver, const Invitation& invitation);
  Send& take_record(Operation& operation, Transport& transport, Tid destination);
  void complete(Send& send);

  /// A send that its owner has left.
  struct Orphan {
    Operation operation{};
    std::vector<std::byte> message{};
    MemoryPath* moved_from = nullptr;  ///< by which its receiver could fetch it where it was
  };
  /// Lets those go that are complete.
  void bury_orphans();

  Peers& peers_;
  Outbox& outbox_;
  std::vector<std::unique_ptr<Send>> sends_;  ///< by id - 1
  std::vector<std::uint32_t> free_sends_;
  std::vector<std::unique_ptr<Orphan>> orphans_;  ///< those that are not complete
  std::size_t announced_ = 0;                     ///< sends to one task that wait for it
  std::uint64_t next_order_ = 0;
  std::uint64_t completed_ = 0;
  std::function<void(const Send&)> on_group_ = [](const Send&) {};
};

}  // namespace nasvm::engine

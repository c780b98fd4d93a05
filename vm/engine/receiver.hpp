#pragma once
/// \file
/// The receiving half of the engine: matches what arrives with the receives, says where payloads land, and keeps the
/// memory for messages without a receive bounded, by returning credit only for what has been taken in.
///
/// Nothing here blocks. A message that does not fit its receive is a RunError, after which the message is lost, its
/// sender and its credit are as if it had been received, and the receive is `abandoned`.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "vm/engine/matcher.hpp"
#include "vm/engine/outbox.hpp"
#include "vm/engine/peers.hpp"
#include "vm/engine/sender.hpp"

namespace nasvm::engine {

class Receiver {
 public:
  /// `sender` is asked whether this task has announced messages itself. `credit_bytes`: of the window of each pair.
  Receiver(Peers& peers, Outbox& outbox, const Sender& sender, std::size_t credit_bytes)
      : peers_(peers), outbox_(outbox), sender_(sender), credit_bytes_(credit_bytes) {
    nobody_.may_truncate = true;
  }

  /// There are more peers than before.
  void grow() {
    matcher_.grow(peers_.count());
    inbound_.resize(static_cast<std::size_t>(peers_.count()));
  }

  /// Starts a receive.
  void start(Operation& receive) {
    if (auto message = matcher_.take_unexpected(receive.peer, receive.tag, receive.context)) {
      matcher_.stamp(receive);
      take_over(std::move(message), receive);
    } else if (peers_.is_dead(receive.peer)) {
      Matcher::abandon(receive);
    } else {
      matcher_.post(receive);
      if (receive.peer != any_source) invite(receive);
    }
  }
  /// Takes a message of this task to itself; the send is complete, a synchronous one when a receive has matched.
  void take_own(Operation& send);
  /// Is there a receive that names that source?
  [[nodiscard]] bool awaits(Rank source) const { return matcher_.has_posted(source); }
  bool cancel(Operation& receive) { return receive.abandoned || matcher_.cancel(receive); }
  /// The owner of a receive goes: nothing is written there any more. A message that has matched it is lost.
  void withdraw(Operation& receive);
  /// The owner of a send to this task itself goes; its message stays.
  void withdraw_own(const Operation& send) { matcher_.forget_own_send(peers_.self(), send); }
  [[nodiscard]] const Unexpected* find(Rank source, Tag tag, Context context) const {
    return matcher_.find_unexpected(source, tag, context);
  }

  [[nodiscard]] const Matcher& matcher() const { return matcher_; }

  // Arrivals, by net::PacketHandler's rules.

  /// A whole short message that is in memory: straight to the posted receive.
  void take_message(Rank source, const Envelope& envelope, const std::byte* payload) {
    const std::size_t bytes = envelope.payload_bytes;
    Operation* receive = matcher_.take_posted(source, envelope.tag, envelope.context);
    if (receive == nullptr) return keep_whole(source, envelope, payload);
    if (bytes > receive->bytes) return take_overlong(source, envelope, payload, *receive);
    copy_native(envelope, payload, receive->data, bytes);
    complete(*receive, source, envelope.tag, bytes);
    owe_credit(source, envelope.context, sizeof(Envelope) + bytes);
  }
  /// The first piece of a message, or all of it.
  net::Landing begin_message(Rank source, const Envelope& envelope);
  /// A further piece.
  net::Landing begin_piece(Rank source, const Envelope& envelope);
  /// Its payload is there.
  void end_piece(const Envelope& envelope, const net::Landing& landing);
  /// A message waits at its sender.
  void announced(Rank source, const Envelope& envelope);

  /// That peer has ended: what it has only announced will not come. Without `clean`, neither will what it was
  /// sending: receives that have matched that, from anybody, are posted again; those that name it are `abandoned`.
  void forget(Rank source, bool clean);

  /// Is that receive over because its message did not fit?
  [[nodiscard]] static bool was_too_short(const Operation& receive) {
    return receive.abandoned && receive.status.bytes > receive.bytes;
  }

  /// Bytes of messages without a receive that are kept now.
  [[nodiscard]] std::size_t unexpected_bytes() const { return unexpected_bytes_; }

 private:
  /// A message that is arriving in pieces, or whose first (and often only) piece is arriving.
  struct Inbound {
    Rank source = any_source;
    Tag tag = any_tag;
    Context context = 0;
    std::uint32_t sender_id = 0;
    std::size_t bytes = 0;
    std::size_t missing = 0;
    std::size_t owed = 0;  ///< credit to return when the message is taken in
    std::byte* data = nullptr;
    Operation* receive = nullptr;             ///< a posted receive, or
    Unexpected* unexpected = nullptr;         ///< a message without one
    std::size_t kept = 0;                     ///< so many of its first bytes have a place, in `data`
    std::unique_ptr<std::byte[]> overlong{};  ///< where a piece lands that ends behind them
    bool withdrawn = false;                   ///< its receive was (net::Landing::unwanted)
  };
  using InboundList = std::vector<std::unique_ptr<Inbound>>;

  static bool fits(const Operation& receive, std::size_t bytes) {
    return bytes <= receive.bytes || receive.may_truncate;
  }
  [[gnu::cold]] static void mark_too_short(Operation& receive, Rank source, Tag tag, std::size_t bytes);
  [[gnu::cold, gnu::noinline]] void take_overlong(Rank source, const Envelope& envelope, const std::byte* payload,
                                                  Operation& receive);
  [[noreturn, gnu::cold, gnu::noinline]] void refuse_pieces(Rank source, const Envelope& envelope, std::size_t owed,
                                                            Operation& receive);
  [[gnu::cold]] void lose(std::unique_ptr<Unexpected> message, Operation& receive);
  static void copy_native(const Envelope& envelope, const std::byte* payload, std::byte* into, std::size_t bytes) {
    copy_payload(into, payload, bytes);
    if (envelope.payload_order != Envelope::native_order) swap_elements({into, bytes}, envelope.element_bytes);
  }
  static void complete(Operation& receive, Rank source, Tag tag, std::size_t bytes) {
    receive.status = {source, tag, bytes};
    receive.complete = true;
  }
  /// Mostly credit rides on packets that go there anyway; in one-way traffic it needs one of its own now and then.
  void owe_credit(Rank source, Context context, std::size_t bytes) {
    Peer& peer = peers_[source];
    peer.credit_owed += bytes;
    if (peer.credit_owed >= credit_bytes_ / 2) return_credit(source, context);
  }
  void return_credit(Rank source, Context context);

  /// Tells a task of another host that there is a receive for a long message of its.
  void invite(const Operation& receive) {
    Peer& peer = peers_[receive.peer];
    if (!peer.is_invited || receive.bytes <= peer.eager_bytes || !Peer::may_invite(receive.context)) return;
    if (peer.given.has_room()) send_invitation(receive);
  }
  void send_invitation(const Operation& receive);
  void take_over(std::unique_ptr<Unexpected> message, Operation& receive);
  Inbound& open_message(Rank source, const Envelope& envelope, bool invited);
  void fetch(Rank source, std::uint32_t sender_id, std::uint64_t address, Operation& receive, Context context);
  Unexpected& keep(Rank source, const Envelope& envelope, std::size_t owed);
  void release(const Unexpected& message);
  [[gnu::noinline]] void keep_whole(Rank source, const Envelope& envelope, const std::byte* payload);
  InboundList& inbound_of(Rank source) { return inbound_[static_cast<std::size_t>(source)]; }
  Inbound& add_inbound(Inbound record);
  static void set_landing(Inbound& inbound, const Operation& receive);
  static net::Landing landing_of(Inbound& inbound, const Envelope& envelope);
  void finish(Inbound& inbound);
  std::vector<Operation*> drop_inbound(Rank source);
  void start_again(Operation& receive);

  Peers& peers_;
  Outbox& outbox_;
  const Sender& sender_;
  std::size_t credit_bytes_;
  Matcher matcher_;
  std::vector<InboundList> inbound_;  ///< by source
  InboundList inbound_pool_;
  Operation nobody_;  ///< has the messages of receives that were withdrawn or too short, and no room for any byte
  std::size_t unexpected_bytes_ = 0;
};

}  // namespace nasvm::engine

#pragma once
/// \file
/// Comm over PVM's messages (pvm_psend, pvm_recv). PVM moves and keeps messages; it knows neither posted receives nor
/// any source in one context only, so matching is ours: every message is taken as it comes.
///
/// A send is complete when PVM has taken it, and it takes any: what a receiver does not fetch grows in PVM's daemon
/// or in the receiver. While a send waits, PVM takes in what comes, so tasks that send to each other do not wait
/// forever. A message has up to 2^31 - 1 bytes; a longer one is a RunError, as is one that is longer than its
/// receive.

#include <unordered_map>
#include <vector>

#include "vm/endpoint.hpp"
#include "vm/engine/matcher.hpp"
#include "vm/native_collectives.hpp"

namespace nasvm {

/// Throws RunError with PVM's own words when `code` says that `what` has failed; returns it otherwise.
int check_pvm(int code, const char* what);

/// The process has enrolled in PVM, and leaves it after.
class PvmEndpoint final : public Endpoint, private NativeCollectives {
 public:
  enum class Broadcast : std::uint8_t { ours, mcast };  ///< as pvm_broadcasts

  /// `tids`: the tasks as PVM knows them, by rank.
  PvmEndpoint(Rank rank, std::vector<int> tids, Broadcast broadcast);

  /// Blocks until PVM has decided for every pair whether it has a connection. Collective; to be called first where
  /// the direct route was chosen: while a connection is being made, a message that takes it can overtake one that has
  /// gone through the daemons before.
  void settle_routes();

  Rank rank() const override { return rank_; }
  int size() const override { return static_cast<int>(tids_.size()); }
  /// A send blocks until PVM has taken it.
  void start(Operation& operation) override;
  void progress() override;
  void wait_any(std::span<Operation* const> operations) override;
  bool probe(Rank source, Tag tag, Context context, Status& found, bool block) override;
  bool cancel(Operation& receive) override { return receive.abandoned || matcher_.cancel(receive); }
  std::string_view method(Rank) const override { return "pvm"; }
  void open_contexts(Context first, std::span<const Rank> members) override;
  void close_contexts(Context first) noexcept override { groups_.erase(first); }
  NativeCollectives* native_collectives() override { return broadcast_ == Broadcast::mcast ? this : nullptr; }

 private:
  // NativeCollectives
  bool broadcast(Context context, Bytes data, Rank root) override;

  void mcast(Context context, Bytes data);
  void take_context(Context context);
  void send(Operation& operation);
  void send_to_self(Operation& operation);
  void receive(Operation& operation);
  /// Takes the next message that has come; with `block` it waits for one. False: there was none.
  bool take_message(bool block);
  /// Moves the message in PVM's `buffer` to its receive and frees the buffer.
  void deliver(const Unexpected& message, int buffer, Operation& receive);

  Rank rank_;
  std::vector<int> tids_;
  std::unordered_map<int, Rank> rank_of_;
  Broadcast broadcast_;
  std::unordered_map<Context, std::vector<Rank>> groups_;  ///< members by their first context, for pvm_mcast
  Context send_context_ = ~Context{0};                     ///< that PVM gives to what is sent
  Matcher matcher_;
};

}  // namespace nasvm

#pragma once
/// \file
/// Which message goes to which receive: the posted receives that wait for messages, and the unexpected messages
/// that wait for receives. Pure bookkeeping: no sockets, no waiting.
///
/// Rules (those of MPI): a message and a receive match when their contexts are equal and source and tag are equal
/// or wild on the receive's side; a message goes to the oldest posted receive it matches; a receive takes the
/// oldest message it matches, where messages of one source are in the order of their sends.

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "vm/endpoint.hpp"

namespace nasvm {

/// A message that has come, in whole or in part, before its receive.
struct Unexpected {
  Rank source = any_source;
  Tag tag = any_tag;
  Context context = 0;
  std::size_t bytes = 0;
  std::uint32_t sender_id = 0;
  bool rendezvous = false;    ///< only announced: its payload is still at the sender
  std::uint64_t address = 0;  ///< where there, if it may be fetched
  bool complete = false;      ///< the whole payload is in `data`
  std::unique_ptr<std::byte[]> data;
  Operation* receive = nullptr;   ///< the receive that has matched it meanwhile
  Operation* own_send = nullptr;  ///< the synchronous send of this task itself that awaits a receive
  Ticks arrived = 0;
  std::size_t owed = 0;      ///< credit to return when it is taken in
  bool invited = false;      ///< it came by an invitation (engine/invitations.hpp)
  std::uint64_t serial = 0;  ///< order of arrival
};

class Matcher {
 public:
  explicit Matcher(int peers = 0) { grow(peers); }
  /// Sources are below `peers` from now on.
  void grow(int peers);

  /// Adds a receive that no unexpected message matches.
  void post(Operation& receive) {
    Posted& list = list_of(receive.peer);
    stamp(receive);
    receive.next = nullptr;
    (list.first == nullptr ? list.first : list.last->next) = &receive;
    list.last = &receive;
  }
  /// Is there a posted receive that names that source?
  [[nodiscard]] bool has_posted(Rank source) const {
    return posted_[static_cast<std::size_t>(source - any_source)].first != nullptr;
  }
  /// Takes the oldest posted receive that matches; nullptr when there is none.
  Operation* take_posted(Rank source, Tag tag, Context context) {
    // Mostly it is the first of those that name the source, and none is for any.
    Posted& list = list_of(source);
    Operation* const first = list.first;
    if (first == nullptr || list_of(any_source).first != nullptr || !would_take(*first, tag, context)) {
      return find_posted(source, tag, context);
    }
    unlink(list, nullptr, *first);
    return first;
  }
  /// Takes a receive back; false when it is not posted (any more).
  bool cancel(Operation& receive);
  /// The receive has matched a message that is not there yet: `repost` may follow, as if it had been posted now.
  void stamp(Operation& receive) { receive.serial = next_serial_++; }
  /// Posts a receive again, before all younger ones: its message will not come.
  void repost(Operation& receive);
  /// Takes all receives back that name that source; they are `abandoned`.
  void abandon(Rank source);
  /// The same for a receive that is not posted (any more).
  static void abandon(Operation& receive) {
    receive.status = {};
    receive.abandoned = true;
  }

  /// Oldest first.
  [[nodiscard]] std::vector<const Operation*> posted() const;
  [[nodiscard]] std::vector<const Unexpected*> unexpected() const;

  void add_unexpected(std::unique_ptr<Unexpected> message);
  /// Nobody waits any more until a receive matches the message of that send, which this task has sent to itself.
  void forget_own_send(Rank self, const Operation& send);
  /// Takes the oldest unexpected message that matches; empty when there is none.
  std::unique_ptr<Unexpected> take_unexpected(Rank source, Tag tag, Context context) {
    return unexpected_count_ == 0 ? nullptr : find_and_take(source, tag, context);
  }
  using Messages = std::vector<std::unique_ptr<Unexpected>>;
  /// Takes those of a source that `wanted` says yes to.
  Messages take_unexpected_if(Rank source, const std::function<bool(const Unexpected&)>& wanted);
  /// Finds it without taking it.
  [[nodiscard]] const Unexpected* find_unexpected(Rank source, Tag tag, Context context) const;

 private:
  /// A list of posted receives, linked by Operation::next, oldest first.
  struct Posted {
    Operation* first = nullptr;
    Operation* last = nullptr;
  };

  Posted& list_of(Rank source) { return posted_[static_cast<std::size_t>(source - any_source)]; }
  static bool tags_match(Tag wanted, Tag tag) { return wanted == any_tag || wanted == tag; }
  static bool would_take(const Operation& receive, Tag tag, Context context) {
    return receive.context == context && tags_match(receive.tag, tag);
  }
  Operation* find_posted(Rank source, Tag tag, Context context);
  std::unique_ptr<Unexpected> find_and_take(Rank source, Tag tag, Context context);
  static void unlink(Posted& list, Operation* previous, Operation& receive) {
    (previous == nullptr ? list.first : previous->next) = receive.next;
    if (list.last == &receive) list.last = previous;
  }
  /// Where the match is: source and index; source == any_source when there is none.
  [[nodiscard]] std::pair<Rank, std::size_t> locate(Rank source, Tag tag, Context context) const;

  std::vector<Posted> posted_;  ///< the first one holds receives from any source, the others are by source
  std::vector<Messages> unexpected_;
  std::uint64_t next_serial_ = 0;
  std::size_t unexpected_count_ = 0;
};

}  // namespace nasvm

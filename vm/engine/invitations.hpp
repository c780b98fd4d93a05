#pragma once
/// \file
/// Receivers that answer before they are asked. A task that posts a receive for a long message from a task of another
/// host invites that message: when the invitation is there first, or meets the announcement on its way, the message
/// leaves without the answer, which would stand behind whatever the receiver is sending itself.
///
/// Both ends keep books on the same rules, and need no packet to agree on what has become of an invitation:
/// - An invitation is for one message of its context and tag, not longer than its receive, not synchronous.
/// - A sender that gets one gives it to the oldest message that it takes among those that wait for an answer, or
///   keeps it for the first that comes.
/// - A sender that announces a message gives up the invitations that it keeps: they were for others. Announcements
///   say which invitations had come when they left; only later ones can have met them.
///
/// What leaves by invitation uses no credit. It may find its receive taken by another message, and then waits for
/// the next; so invitations that have not been used and messages that wait are at most `max_invitations` for each
/// pair. Pure bookkeeping, no packets.
/// Idea: receiver-driven transports, as in Montazeri et al., Homa (SIGCOMM 2018), section 3.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "vm/endpoint.hpp"

namespace nasvm::engine {

/// For one pair of tasks.
inline constexpr std::size_t max_invitations = 4;

struct Invitation {
  std::uint32_t number = 0;  ///< from 1 on, by pair; after the last one comes 0
  Context context = 0;
  Tag tag = any_tag;
  std::size_t bytes = 0;

  [[nodiscard]] bool takes(Context of, Tag with, std::size_t length) const {
    return context == of && (tag == any_tag || tag == with) && length <= bytes;
  }
};

/// Those that this task has given to a peer.
class GivenInvitations {
 public:
  /// `last`: the number of the one before the first.
  explicit GivenInvitations(std::uint32_t last = 0) : last_(last) {}
  [[nodiscard]] bool has_room() const { return open_.size() + waiting_ < max_invitations; }
  const Invitation& add(Context context, Tag tag, std::size_t bytes) {
    open_.push_back({++last_, context, tag, bytes});
    return open_.back();
  }
  /// A message has come by that one. False: there is none of that number that takes it.
  bool use(std::uint32_t number, Context context, Tag tag, std::size_t bytes) {
    return std::erase_if(open_, [&](const Invitation& each) {
             return each.number == number && each.takes(context, tag, bytes);
           }) != 0;
  }
  /// A message is announced that left when invitations up to `seen` had come. True: it has met a later one since, and
  /// comes without being asked for.
  bool meets(std::uint32_t seen, Context context, Tag tag, std::size_t bytes, bool synchronous) {
    std::erase_if(open_, [&](const Invitation& each) { return !is_later(each.number, seen); });
    if (synchronous) return false;
    const auto found =
        std::ranges::find_if(open_, [&](const Invitation& each) { return each.takes(context, tag, bytes); });
    if (found == open_.end()) return false;
    open_.erase(found);
    return true;
  }
  /// A message that has used one waits for a receive.
  void add_waiting() { ++waiting_; }
  /// It waits no longer.
  void remove_waiting() { --waiting_; }

 private:
  /// Numbers go round, and those that are compared are few.
  static bool is_later(std::uint32_t number, std::uint32_t than) {
    return static_cast<std::int32_t>(number - than) > 0;
  }

  std::vector<Invitation> open_;  ///< as far as is known here
  std::size_t waiting_ = 0;
  std::uint32_t last_;
};

/// Those that a peer has given to this task.
class HeldInvitations {
 public:
  /// One has come, and nothing that waits is for it.
  void keep(const Invitation& invitation) {
    if (kept_.size() < max_invitations) kept_.push_back(invitation);
  }
  /// One has come.
  void saw(std::uint32_t number) { seen_ = number; }
  /// The number of one that takes that message; it is used.
  std::optional<std::uint32_t> take(Context context, Tag tag, std::size_t bytes) {
    const auto found =
        std::ranges::find_if(kept_, [&](const Invitation& each) { return each.takes(context, tag, bytes); });
    if (found == kept_.end()) return std::nullopt;
    const std::uint32_t number = found->number;
    kept_.erase(found);
    return number;
  }
  /// A message is announced. Returns which invitations have come.
  std::uint32_t give_up() {
    kept_.clear();
    return seen_;
  }

 private:
  std::vector<Invitation> kept_;
  std::uint32_t seen_ = 0;
};

}  // namespace nasvm::engine

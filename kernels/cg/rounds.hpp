#pragma once
/// \file
/// Rounds of messages by which each of a few members that have a part each gets the parts of all others.
///
/// Members send to each other directly, which is one round of members - 1 messages; or what a member has got goes on
/// with its own, so that the parts of a message double from round to round: ceil(log2 members) rounds of one message,
/// and one round of two for three members. Every part comes to every member once, so the bytes are the same either
/// way. A power of two is halved into neighbours, whose parts lie side by side; other numbers go round a ring.
/// Source: J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby, "Efficient algorithms for all-to-all
/// communications in multiport message-passing systems" (IEEE Transactions on Parallel and Distributed Systems 8,
/// 1997), section 3.
///
/// Backwards, with in and out exchanged, the same rounds add up: what a member got of a part comes to it as a
/// contribution to its own sum for that part's owner.

#include <vector>

namespace nasvm::cg {

/// What costs less: inside a host a round is dearer than some messages, between hosts a message is.
enum class Prefer { few_rounds, few_messages };

/// Parts first, first + 1, ... that follow each other; the first comes after the last.
struct Group {
  int first = 0;
  int count = 0;
};

struct Round {
  struct Message {
    int peer = 0;
    Group parts;
  };
  std::vector<Message> out;
  std::vector<Message> in;
};

/// The rounds of member `self`. None for one member.
[[nodiscard]] std::vector<Round> gather_rounds(int members, int self, Prefer prefer);

}  // namespace nasvm::cg

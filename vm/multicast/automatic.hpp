#pragma once
/// \file
/// Which way a broadcast takes when the choice is left to the program (`auto`): a table of rules, of which the first
/// that applies decides. Everything that they ask is the same at all members. Where the rules' numbers come from:
/// docs/decisions/multicast-automatic.md.

#include <cstddef>
#include <span>
#include <string_view>

namespace nasvm::multicast {

/// Not by a protocol of the table: by Comm's own algorithm, in messages of two tasks.
inline constexpr std::string_view by_messages = "messages";

/// A broadcast, as the members of a Comm know it.
struct Situation {
  std::size_t bytes = 0;
  int hosts = 1;    ///< that the Comm has tasks on, the root's included
  int reached = 0;  ///< of the others, by IP multicast; all, as long as no group has found out
};

struct Rule {
  std::string_view when;  ///< for people: "one other host"
  bool (*applies)(const Situation&);
  std::string_view protocol;  ///< name in the table of protocols, or `by_messages`
  std::string_view why;
};

/// In their order; the last one always applies.
std::span<const Rule> automatic_rules();
const Rule& automatic_choice(const Situation& situation);

}  // namespace nasvm::multicast

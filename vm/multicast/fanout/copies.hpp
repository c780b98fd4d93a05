#pragma once
/// \file
/// Which copies of a group's packets leave a daemon, and which other daemons have to know of the group: one copy to
/// each member on this host, and, from the daemon whose task sends, one to each other host with members, whose daemon
/// then does the same for its own (Dunigan and Hall, PVM and IP Multicast, sections 3.1.4 and 3.1.5). Pure logic.

#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "vm/message.hpp"

namespace nasvm::multicast {

/// A copy: whom it goes to, a task of this host or another host's daemon, and the address that it has from there on.
struct Copy {
  Tid to;
  Tid destination;
  bool operator==(const Copy&) const = default;
};

struct Copies {
  std::vector<Copy> copies;                ///< of every packet to the group, in the order of the members
  std::map<int, std::vector<Tid>> remote;  ///< members on other hosts, whose daemons have to be told
};

/// Has a task of this host opened the group, or has another daemon told of it?
enum class Opened { here, elsewhere };

/// Do the copies for several hosts leave once, by IP multicast (vm/link/sharing.hpp), in a program that has asked for
/// that protocol? Not where it has asked for none, or for one copy to each.
constexpr bool are_shared(std::string_view protocol) { return !protocol.empty() && protocol != "fanout"; }

Copies copies_of(Tid group, std::span<const Tid> members, int host, Opened opened);

}  // namespace nasvm::multicast

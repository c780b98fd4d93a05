#include "vm/multicast/automatic.hpp"

#include <algorithm>
#include <array>

#include "vm/multicast/table.hpp"

namespace nasvm::multicast {
namespace {

/// Up to which a message to two hosts is there sooner by two messages, whatever the network: at 100 Mbit/s two of 1
/// kB take twice the time of one multicast.
constexpr std::size_t short_bytes = 512;

constexpr std::array rules{
    Rule{"nothing to say", [](const Situation& s) { return s.bytes == 0; }, by_messages, "there is nothing to bring"},
    Rule{"one host", [](const Situation& s) { return s.hosts <= 1; }, by_messages,
         "memory reaches all tasks of a host"},
    Rule{"one other host", [](const Situation& s) { return s.hosts == 2; }, by_messages,
         "one copy leaves this host either way"},
    Rule{"multicast reaches fewer than two", [](const Situation& s) { return s.reached < 2; }, by_messages,
         "copies for each host go sooner along a tree than from one sender"},
    Rule{"short, two other hosts", [](const Situation& s) { return s.bytes <= short_bytes && s.hosts == 3; },
         by_messages, "two short messages take less than a packet and two acknowledgements"},
    Rule{"anything else", [](const Situation&) { return true; }, automatic_protocol,
         "one copy leaves for all, with the fewest acknowledgements"},
};

}  // namespace

std::span<const Rule> automatic_rules() { return rules; }

const Rule& automatic_choice(const Situation& situation) {
  return *std::ranges::find_if(rules, [&](const Rule& rule) { return rule.applies(situation); });
}

}  // namespace nasvm::multicast

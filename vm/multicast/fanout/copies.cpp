#include "vm/multicast/fanout/copies.hpp"

namespace nasvm::multicast {

Copies copies_of(Tid group, std::span<const Tid> members, int host, Opened opened) {
  Copies plan;
  for (const Tid member : members) {
    if (member.host() == host) {
      plan.copies.push_back({member, member});
    } else if (opened == Opened::here) {
      std::vector<Tid>& there = plan.remote[member.host()];
      if (there.empty()) plan.copies.push_back({Tid::daemon(member.host()), group});
      there.push_back(member);
    }
  }
  return plan;
}

}  // namespace nasvm::multicast

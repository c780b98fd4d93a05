#include "vm/broadcast/multicast_broadcasts.hpp"

#include <fmt/format.h>

#include <exception>
#include <set>

#include "vm/status.hpp"

namespace nasvm::multicast {
namespace {

/// While it lives, what it guards is said to be busy.
class Busy {
 public:
  explicit Busy(bool& flag) : flag_(flag) { flag_ = true; }
  ~Busy() { flag_ = false; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  bool& flag_;
};

}  // namespace

Broadcasts::Broadcasts(Surroundings here, const std::string& protocol, GroupOptions options)
    : here_(std::move(here)),
      protocol_(parse_protocol_of_broadcasts(protocol)),
      options_(std::move(options)),
      is_automatic_(protocol == automatic) {}

Broadcasts::~Broadcasts() = default;

int Broadcasts::host_of(const Comm& comm, Rank rank) const {
  return here_.hosts[static_cast<std::size_t>(comm.world_rank(rank))];
}

std::size_t Broadcasts::hosts_of(const Comm& comm) const {
  const auto [known, is_new] = hosts_.try_emplace(comm.context());
  if (!is_new) return known->second;
  std::set<int> hosts;
  for (Rank rank = 0; rank < comm.size(); ++rank) hosts.insert(host_of(comm, rank));
  return known->second = hosts.size();
}

const StaticGroup* Broadcasts::group(const Comm& comm, Rank root) const {
  const auto found = reaches_.find({comm.context(), root});
  return found == reaches_.end() ? nullptr : found->second.group.get();
}

std::vector<Rank> Broadcasts::unreached(const Comm& comm, Rank root) const {
  const auto found = reaches_.find({comm.context(), root});
  if (found == reaches_.end() || found->second.group == nullptr) return {};
  std::set<int> hosts;
  for (const Rank member : found->second.group->facts().unreached) {
    hosts.insert(host_of(*found->second.between, member));
  }
  std::vector<Rank> ranks;
  for (Rank rank = 0; rank < comm.size(); ++rank) {
    if (hosts.contains(host_of(comm, rank))) ranks.push_back(rank);
  }
  return ranks;
}

const Rule& Broadcasts::choice(const Comm& comm, Rank root, std::size_t bytes) const {
  const int hosts = static_cast<int>(hosts_of(comm));
  const StaticGroup* known = group(comm, root);
  const std::size_t unreached = known == nullptr ? 0 : known->facts().unreached.size();
  return automatic_choice({bytes, hosts, hosts - 1 - static_cast<int>(unreached)});
}

/// Not all members know of a group whom multicast reaches: this is asked as if it reached all.
bool Broadcasts::suits(const Comm& comm, std::size_t bytes) const {
  if (busy_ || bytes == 0) return false;
  const int hosts = static_cast<int>(hosts_of(comm));
  return is_automatic_ ? automatic_choice({bytes, hosts, hosts - 1}).protocol != by_messages : hosts > 1;
}

std::string Broadcasts::way(const Comm& comm, Rank root, std::size_t bytes) const {
  if (busy_ || bytes == 0 || hosts_of(comm) == 1) return {};
  const std::string name(is_automatic_ ? choice(comm, root, bytes).protocol : protocol_.row->name);
  const StaticGroup* known = group(comm, root);
  const std::size_t unreached = known == nullptr ? 0 : known->facts().unreached.size();
  if (unreached == 0) return name;
  return fmt::format("{} (no multicast to {} of {} hosts)", name, unreached, hosts_of(comm) - 1);
}

Broadcasts::Reach& Broadcasts::reach_of(Comm& comm, Rank root) {
  const std::pair key{comm.context(), root};
  if (const auto found = reaches_.find(key); found != reaches_.end()) return found->second;
  Reach reach;  // what fails half-way is not kept
  const int order = comm.rank() == root ? -1 : comm.rank();
  reach.host = comm.split(host_of(comm, comm.rank()), order);
  const bool is_first = reach.host->rank() == 0;
  reach.between = comm.split(is_first ? 0 : -1, order);
  if (is_first) reach.group = std::make_unique<StaticGroup>(here_, *reach.between, 0, protocol_, options_);
  return reaches_.emplace(key, std::move(reach)).first->second;
}

Ticks Broadcasts::broadcast(Comm& comm, std::span<std::byte> data, Rank root) {
  const Busy busy(busy_);
  drop_retired();
  Reach& reach = reach_of(comm, root);
  Ticks waited = 0;
  if (reach.group != nullptr) {
    waited = between_hosts(reach, data, is_automatic_ ? &choice(comm, root, data.size()) : nullptr);
  }
  const Ticks idle = comm.counters().idle;
  reach.host->broadcast(data);
  return waited + (comm.counters().idle - idle);
}

Ticks Broadcasts::between_hosts(const Reach& reach, std::span<std::byte> data, const Rule* rule) {
  if (rule != nullptr && rule->protocol == by_messages) {
    const Ticks idle = reach.between->counters().idle;
    reach.between->broadcast(data);
    return reach.between->counters().idle - idle;
  }
  if (reach.between->rank() != 0) return reach.group->receive(data);
  reach.group->send(data);
  return 0;
}

void Broadcasts::drop_retired() {
  std::erase_if(retired_, [](const Reach& reach) { return reach.group->heard_last(); });
}

/// A receiver that has everything may still be asked for an acknowledgement that was lost.
void Broadcasts::retire(Reach reach, bool is_root) {
  if (reach.group == nullptr || std::uncaught_exceptions() > 0) return;
  if (!is_root) return retired_.push_back(std::move(reach));
  try {
    reach.group->say_last();
  } catch (const Error&) {
    // The machine fails, as the next call will say.
  }
}

void Broadcasts::forget(const Comm& comm) noexcept {
  hosts_.erase(comm.context());
  const auto first = reaches_.lower_bound({comm.context(), 0});
  const auto last = reaches_.upper_bound({comm.context(), comm.size()});
  for (auto entry = first; entry != last; ++entry)
    retire(std::move(entry->second), entry->first.second == comm.rank());
  reaches_.erase(first, last);
}

}  // namespace nasvm::multicast

#pragma once
/// \file
/// Broadcasts of Comms by multicast: between hosts one copy for each host, by a group of one task of each, and
/// inside a host by a Comm of its tasks. Groups are made with the first broadcast of a Comm from a root, and stay.

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "vm/broadcast/static_group.hpp"
#include "vm/broadcast_method.hpp"
#include "vm/multicast/automatic.hpp"

namespace nasvm::multicast {

class Broadcasts final : public BroadcastMethod {
 public:
  /// `protocol`: as parse_protocol reads it, or "auto". Throws UsageError.
  Broadcasts(Surroundings here, const std::string& protocol, GroupOptions options = {});
  ~Broadcasts() override;

  [[nodiscard]] bool suits(const Comm& comm, std::size_t bytes) const override;
  [[nodiscard]] std::string way(const Comm& comm, Rank root, std::size_t bytes) const override;
  Ticks broadcast(Comm& comm, std::span<std::byte> data, Rank root) override;
  void forget(const Comm& comm) noexcept override;

  /// Why, and by which protocol, so many bytes go as they do with `auto`: as far as this member knows, who learns
  /// with the first broadcast whom multicast reaches.
  [[nodiscard]] const Rule& choice(const Comm& comm, Rank root, std::size_t bytes) const;
  /// How many hosts its tasks are on.
  [[nodiscard]] std::size_t hosts_of(const Comm& comm) const;
  /// This member's group of that Comm and root; null: there is none, yet or at all.
  [[nodiscard]] const StaticGroup* group(const Comm& comm, Rank root) const;
  /// Ranks of `comm` on the hosts that multicast does not reach from that root, as far as this member knows.
  [[nodiscard]] std::vector<Rank> unreached(const Comm& comm, Rank root) const;

 private:
  /// The tasks of a Comm, as one root's broadcasts reach them.
  struct Reach {
    std::unique_ptr<Comm> host;     ///< the tasks of this host, the one in the group first
    std::unique_ptr<Comm> between;  ///< those of the group, the root first; elsewhere none
    std::unique_ptr<StaticGroup> group;
  };

  [[nodiscard]] int host_of(const Comm& comm, Rank rank) const;
  Reach& reach_of(Comm& comm, Rank root);
  /// Among the members of a group; returns as `broadcast` does.
  Ticks between_hosts(const Reach& reach, std::span<std::byte> data, const Rule* rule);
  void retire(Reach reach, bool is_root);
  /// Lets go of groups whose root has all it needs.
  void drop_retired();

  Surroundings here_;
  Choice protocol_;
  GroupOptions options_;
  bool is_automatic_;
  bool busy_ = false;  ///< the Comms of a reach broadcast by themselves
  std::map<std::pair<Context, Rank>, Reach> reaches_;
  std::vector<Reach> retired_;                    ///< of Comms that are gone, while the root may still ask
  mutable std::map<Context, std::size_t> hosts_;  ///< of Comms that have been asked about
};

}  // namespace nasvm::multicast

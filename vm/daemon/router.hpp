#pragma once
/// \file
/// Which ports a packet goes out by: local tasks, other hosts, the console, and groups for multicast, which are
/// fanned out as multicast/fanout/copies.hpp says. Pure bookkeeping.

#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "vm/daemon/port.hpp"
#include "vm/link/sharing.hpp"
#include "vm/message.hpp"

namespace nasvm::daemon {

class Router {
 public:
  /// One way out for a packet, and the address it has from there on.
  struct Exit {
    Port* port;
    Tid destination;
  };

  explicit Router(int host) : host_(host) {}

  void set_console(Port& port) { console_ = &port; }
  void add_host(int host, Port& port) { hosts_[host] = &port; }
  void add_task(Tid tid, Port& port) { tasks_[tid.value] = &port; }
  /// Packets for it are dropped from now on. The group that it has opened stays, for what it has sent there.
  void end_output(Tid tid);
  /// Nothing of it is on its way any more either: its group is gone.
  void remove_task(Tid tid);
  /// Packets for that host are dropped from now on; the groups that its tasks have opened are gone.
  void remove_host(int host);
  /// No task is left, so nobody sends to groups any more.
  void clear_groups() { groups_.clear(); }
  /// Forgets all ports, which are about to be destroyed.
  void clear();
  /// Forgets a waiter that is about to be destroyed.
  void forget(Waiter& waiter);

  /// Sets the members of a group, in place of those it had; who is not there is left out. Returns, for each other
  /// host with members, those members: its daemon has to be told. `from_host`: the daemon that told us, 0 for a
  /// local task.
  std::map<int, std::vector<Tid>> open_group(Tid group, std::span<const Tid> members, int from_host);
  /// Copies for several hosts may leave as one, those of packets to groups for which that is wanted.
  void set_sharing(link::Sharing& sharing) { sharing_ = &sharing; }
  void want_sharing(Tid group);
  /// The block (link::Sharing) of a packet of `bytes` for that destination; 0: its copies leave alone.
  std::uint64_t share(Tid destination, std::size_t bytes);

  /// Is anybody there?
  [[nodiscard]] bool knows(Tid destination) const {
    return destination.is_group() ? groups_.contains(destination.value) : port_of(destination) != nullptr;
  }
  /// The ways out for a destination; none when nobody is there (any more). Valid until the next call.
  std::span<const Exit> exits(Tid destination);

 private:
  struct Group {
    std::vector<Exit> exits;
    std::vector<std::uint16_t> sharing_hosts{};  ///< empty: not wanted

    void drop(const Port& port) {
      std::erase_if(exits, [&port](const Exit& exit) { return exit.port == &port; });
    }
  };

  [[nodiscard]] Port* port_of(Tid destination) const;

  int host_;
  Port* console_ = nullptr;
  std::unordered_map<int, Port*> hosts_;
  std::unordered_map<std::uint32_t, Port*> tasks_;
  std::unordered_map<std::uint32_t, Group> groups_;
  link::Sharing* sharing_ = nullptr;
  std::vector<Exit> exits_;
};

}  // namespace nasvm::daemon

#include "vm/daemon/router.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "vm/multicast/fanout/copies.hpp"

namespace nasvm::daemon {

void Router::remove_task(Tid tid) {
  groups_.erase(Tid::group(tid.host(), tid.local()).value);
  end_output(tid);
}

void Router::end_output(Tid tid) {
  const auto task = tasks_.find(tid.value);
  if (task == tasks_.end()) return;
  Port* port = task->second;
  tasks_.erase(task);
  for (auto& [tid_of_group, group] : groups_) group.drop(*port);
  port->room_for(tid).release_waiters();
}

void Router::remove_host(int host) {
  const auto found = hosts_.find(host);
  if (found == hosts_.end()) return;
  Port* port = found->second;
  hosts_.erase(found);
  std::erase_if(groups_, [host](const auto& group) { return Tid{group.first}.host() == host; });
  for (auto& [tid, group] : groups_) {
    group.drop(*port);
    std::erase(group.sharing_hosts, host);
  }
}

void Router::clear() {
  console_ = nullptr;
  hosts_.clear();
  tasks_.clear();
  groups_.clear();
}

void Router::forget(Waiter& waiter) {
  if (console_ != nullptr) console_->forget(waiter);
  for (const auto& [host, port] : hosts_) port->forget(waiter);
  for (const auto& [tid, port] : tasks_) port->forget(waiter);
}

Port* Router::port_of(Tid destination) const {
  if (destination.host() == 0) return console_;
  if (destination.host() == host_) {
    const auto task = tasks_.find(destination.value);
    return task == tasks_.end() ? nullptr : task->second;
  }
  const auto host = hosts_.find(destination.host());
  return host == hosts_.end() ? nullptr : host->second;
}

std::map<int, std::vector<Tid>> Router::open_group(Tid group, std::span<const Tid> members, int from_host) {
  std::vector<Tid> present;
  std::ranges::copy_if(members, std::back_inserter(present),
                       [&](Tid member) { return member.host() != 0 && port_of(member) != nullptr; });
  multicast::Copies plan = multicast::copies_of(
      group, present, host_, from_host == 0 ? multicast::Opened::here : multicast::Opened::elsewhere);
  Group& opened = groups_[group.value] = {};
  for (const multicast::Copy& copy : plan.copies) opened.exits.push_back({port_of(copy.to), copy.destination});
  return std::move(plan.remote);
}

void Router::want_sharing(Tid group) {
  std::vector<std::uint16_t> hosts;
  for (const auto& [host, port] : hosts_) {
    const auto leads_there = [port = port](const Exit& exit) { return exit.port == port; };
    if (std::ranges::any_of(groups_[group.value].exits, leads_there))
      hosts.push_back(static_cast<std::uint16_t>(host));
  }
  groups_[group.value].sharing_hosts = std::move(hosts);
}

std::uint64_t Router::share(Tid destination, std::size_t bytes) {
  if (sharing_ == nullptr || !destination.is_group()) return 0;
  const auto group = groups_.find(destination.value);
  return group == groups_.end() ? 0 : sharing_->open(group->second.sharing_hosts, bytes);
}

std::span<const Router::Exit> Router::exits(Tid destination) {
  if (destination.is_group()) {
    const auto group = groups_.find(destination.value);
    return group == groups_.end() ? std::span<const Exit>{} : std::span<const Exit>{group->second.exits};
  }
  exits_.clear();
  if (Port* port = port_of(destination)) exits_.push_back({port, destination});
  return exits_;
}

}  // namespace nasvm::daemon

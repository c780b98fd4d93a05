#include "vm/process/descendants.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "vm/net/fd.hpp"
#include "vm/proc.hpp"
#include "vm/process/child.hpp"

namespace nasvm::process {
namespace {

using Statuses = std::map<pid_t, ProcessStatus>;

Statuses all_statuses() {
  Statuses statuses;
  for (const pid_t process : all_processes()) {
    if (const auto status = process_status(process)) statuses.emplace(process, *status);
  }
  return statuses;
}

bool is_one_of(std::span<const pid_t> roots, pid_t process) {
  return std::ranges::find(roots, process) != roots.end();
}

/// Numbers that have gone to others meanwhile could close a chain to a ring: it has no more links than there are
/// processes.
bool descends(pid_t process, std::span<const pid_t> roots, const Statuses& statuses) {
  auto found = statuses.find(process);
  for (std::size_t links = 0; found != statuses.end() && links < statuses.size(); ++links) {
    const ProcessStatus& status = found->second;
    if (is_one_of(roots, status.parent) || is_one_of(roots, status.session)) return true;
    found = statuses.find(status.parent);
  }
  return false;
}

/// Whether a number still means who was found under it is asked again once the process itself is held. It may have
/// begun a session or lost its parent meanwhile: none where both are others.
net::Fd held(pid_t process, const ProcessStatus& before) {
  net::Fd descriptor = process_descriptor(process);
  const ProcessStatus now = process_status(process).value_or(ProcessStatus{});
  return now.session == before.session || now.parent == before.parent ? std::move(descriptor) : net::Fd();
}

}  // namespace

void signal_with_descendants(std::span<const pid_t> children, int number) {
  if (children.empty()) return;
  const Statuses statuses = all_statuses();
  // The number of one that somebody else has reaped may be a stranger's.
  std::vector<pid_t> roots;
  std::ranges::copy_if(children, std::back_inserter(roots), [&statuses](pid_t child) {
    const auto found = statuses.find(child);
    return found != statuses.end() && found->second.parent == ::getpid();
  });
  std::vector<net::Fd> descendants;
  for (const auto& [process, status] : statuses) {
    if (is_one_of(roots, process) || !descends(process, roots, statuses)) continue;
    if (net::Fd descriptor = held(process, status)) descendants.push_back(std::move(descriptor));
  }
  for (const net::Fd& descendant : descendants) signal_process(descendant, number);
  for (const pid_t root : roots) ::kill(root, number);
}

}  // namespace nasvm::process

#include "harness/commands/mcast/auto_channel.hpp"

#include <array>

#include <fmt/format.h>

#include "harness/commands/mcast/clocks.hpp"
#include "vm/multicast/table.hpp"

namespace nasvm {
namespace {

constexpr Rank root = 0;

}  // namespace

AutoChannel::AutoChannel(Task& task, const multicast::GroupOptions& options)
    : comm_(task.comm()),
      method_(task.surroundings(), std::string(multicast::automatic), options),
      answers_(static_cast<std::size_t>(comm_.size())) {}

void AutoChannel::send(std::span<const std::byte> message) {
  // A broadcast only reads at its root.
  broadcast(std::span(const_cast<std::byte*>(message.data()), message.size()));
  answer(message.size());
}

std::int64_t AutoChannel::receive(std::span<std::byte> message) {
  broadcast(message);
  const std::int64_t complete_ns = steady_ns();
  answer(message.size());
  return complete_ns;
}

void AutoChannel::broadcast(std::span<std::byte> message) {
  if (method_.suits(comm_, message.size())) (void)method_.broadcast(comm_, message, root);
  else comm_.broadcast(message, root);
}

/// A protocol's sender knows of the hosts; where each has one task, these are all.
void AutoChannel::answer(std::size_t bytes) {
  const bool one_on_each = method_.hosts_of(comm_) == static_cast<std::size_t>(comm_.size());
  if (one_on_each && method_.choice(comm_, root, bytes).protocol != multicast::by_messages) return;
  comm_.gather(std::array<std::byte, 1>{}, answers_, root);
}

multicast::Counts AutoChannel::counts() const {
  const multicast::StaticGroup* group = method_.group(comm_, root);
  return group == nullptr || comm_.rank() != root ? multicast::Counts{} : group->counts();
}

MulticastChannel::Facts AutoChannel::facts() const {
  const multicast::StaticGroup* group = method_.group(comm_, root);
  if (group == nullptr) return {};
  return {group->facts().packet_bytes, comm_.rank() == root ? group->window() : 0, method_.unreached(comm_, root),
          group->rejected()};
}

std::string AutoChannel::chosen(std::uint64_t bytes) const {
  const multicast::Rule& rule = method_.choice(comm_, root, bytes);
  return fmt::format("{} ({}: {})", rule.protocol, rule.when, rule.why);
}

}  // namespace nasvm

#include "vm/multicast/wire/set_up.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "vm/status.hpp"

namespace nasvm::multicast {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t datagram_of_ethernet = 1472;
constexpr std::size_t datagram_everywhere = 1252;
/// While the sender repeats a result for six times and more (ReachProbe::Options).
constexpr std::chrono::milliseconds lingering{800};

/// Before the group has its protocol: what comes for one is not for us, and time is the probe's.
class Timekeeper final : public End {
 public:
  explicit Timekeeper(End& timed) : timed_(timed) {}
  void arrived(Node /*from*/, const Packet& /*packet*/, TimePoint /*now*/) override {}
  [[nodiscard]] TimePoint deadline() const override { return timed_.deadline(); }
  void tick(TimePoint now) override { timed_.tick(now); }
  void lost(Node /*node*/, TimePoint /*now*/) override {}

 private:
  End& timed_;
};

std::vector<std::size_t> payloads(const GroupPort& port, const SetUpOptions& options) {
  std::vector<std::size_t> payloads;
  if (options.datagram_bytes.empty()) {
    const std::size_t longest = port.longest_payload();
    payloads = {longest};
    for (std::size_t datagram : {datagram_of_ethernet, datagram_everywhere}) {
      if (port.is_by_ipv6()) datagram -= more_header_bytes_of_ipv6;
      if (port.payload_in(datagram) < payloads.back()) payloads.push_back(port.payload_in(datagram));
    }
  }
  for (const std::size_t datagram : options.datagram_bytes) payloads.push_back(port.payload_in(datagram));
  return payloads;
}

/// Runs until `finished`, no longer than members may be silent.
bool run(GroupPort& port, End& end, const SetUpOptions& options, const std::function<bool()>& finished) {
  Timekeeper timekeeper(end);
  const auto last = Clock::now() + options.silence;
  bool done = false;
  serve_until(port, timekeeper, [&] {
    options.check(end);
    done = finished();
    return done || Clock::now() > last;
  });
  return done;
}

Reach probe_all(GroupPort& port, const SetUpOptions& options) {
  ReachProbe::Options wanted;
  wanted.receivers = port.receivers();
  wanted.payload_bytes = payloads(port, options);
  wanted.is_disturbed = [&port] { return port.is_disturbed(); };
  auto owned = std::make_unique<ReachProbe>(wanted, port.set_up_network(), Clock::now());
  ReachProbe& probe = *owned;
  port.set_up_end(std::move(owned));
  if (run(port, probe, options, [&probe] { return probe.done(); })) return probe.reach();
  std::vector<std::string> silent;
  for (const Node node : probe.silent()) silent.push_back(port.member(node).text());
  throw RunError(fmt::format("no answer from {} to {} within {} s; is UDP let through between the hosts?",
                             fmt::join(silent, ", "), port.address().text(),
                             std::chrono::duration_cast<std::chrono::seconds>(options.silence).count()));
}

Reach answer(GroupPort& port, const SetUpOptions& options) {
  auto owned = std::make_unique<ReachAnswer>(
      port.set_up_network(), [&port] { return port.is_disturbed(); }, port.room_bytes());
  ReachAnswer& end = *owned;
  port.set_up_end(std::move(owned));
  if (run(port, end, options, [&end] { return end.reach().has_value(); })) {
    // Of a port that goes with its address nobody could ask once more, and the answer may have been lost.
    const auto last = Clock::now() + (end.reach()->disturbed ? lingering : Clock::duration::zero());
    (void)run(port, end, options, [last] { return Clock::now() >= last; });
    return *end.reach();
  }
  throw RunError(
      fmt::format("{} has not told {} within {} s whom multicast reaches; is UDP let through between the hosts?",
                  port.member(sender_node).text(), port.address().text(),
                  std::chrono::duration_cast<std::chrono::seconds>(options.silence).count()));
}

/// Whom this node has to send copies to. What does not come in is taken not to get out, either.
std::vector<Node> needing_copies(const GroupPort& port, const std::vector<Node>& unreached) {
  if (std::ranges::find(unreached, port.self()) == unreached.end()) return unreached;
  std::vector<Node> all(static_cast<std::size_t>(port.receivers()) + 1);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

Reach set_up(GroupPort& port, const SetUpOptions& options) {
  Reach reach = port.self() == sender_node ? probe_all(port, options) : answer(port, options);
  port.set_unreached(needing_copies(port, reach.unreached));
  return reach;
}

}  // namespace nasvm::multicast

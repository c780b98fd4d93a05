#include "support/simulated_network.hpp"

#include <algorithm>

#include "support/setting_up.hpp"

namespace nasvm::test {

using namespace multicast;

/// A node: its end, its way out, and what it has received.
struct SimulatedNetwork::Site final : Network, Inbox {
  Site(SimulatedNetwork& simulation, Node node)
      : network(simulation), self(node), link_free(way_out(simulation.options_)) {}

  void send(Node to, const Packet& packet) override { network.send(self, to, packet); }
  void send_to_all(const Packet& packet) override { network.send_to_all(self, packet); }
  void give_copies(Node to) override { network.options_.unreached.push_back(to); }
  bool has_room() const override {
    awaits_room = room_at() > network.now_;
    return !awaits_room;
  }
  /// When what waits for the way out is short enough.
  [[nodiscard]] TimePoint room_at() const {
    if (network.options_.link_bytes_per_second == 0) return TimePoint::min();
    const std::chrono::duration<double> queue(static_cast<double>(network.options_.link_queue_bytes) /
                                              network.options_.link_bytes_per_second);
    return link_free - std::chrono::duration_cast<Duration>(queue);
  }
  [[nodiscard]] TimePoint next_call() const {
    return awaits_room ? std::min(end->deadline(), room_at()) : end->deadline();
  }
  void serve() {
    if (awaits_room && room_at() <= network.now_) {
      awaits_room = false;
      end->resume(network.now_);
    }
    if (end->deadline() <= network.now_) end->tick(network.now_);
  }

  bool take(const Packet& data) override {
    if (network.happens(network.options_.refusals)) return false;
    if (data.message >= messages.size()) messages.resize(data.message + 1);
    Message& message = messages[data.message];
    std::vector<char>& bytes = taken_of(data);
    const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(data.offset);
    const auto after = begin + static_cast<std::ptrdiff_t>(data.payload.size());
    const auto twice = std::find(begin, after, 1);
    if (twice != after) return complain("byte " + std::to_string(twice - bytes.begin()) + " came twice");
    std::fill(begin, after, 1);
    std::ranges::copy(data.payload, message.bytes.begin() + static_cast<std::ptrdiff_t>(data.offset));
    message.missing -= data.payload.size();
    return true;
  }

  void complete(std::uint32_t number) override {
    if (number != completed++) complain("message " + std::to_string(number) + " is complete out of order");
    if (number >= messages.size() || messages[number].missing != 0) {
      complain("message " + std::to_string(number) + " is said to be complete");
    } else {
      messages[number].complete = true;
    }
  }

  std::vector<char>& taken_of(const Packet& data) {
    if (taken.size() < messages.size()) taken.resize(messages.size());
    std::vector<char>& bytes = taken[data.message];
    if (bytes.size() != data.message_bytes) {
      bytes.assign(data.message_bytes, 0);
      messages[data.message].bytes.resize(data.message_bytes);
      messages[data.message].missing = data.message_bytes;
    }
    return bytes;
  }

  TimePoint& way_out(const Options& options) {
    if (options.ways_out == nullptr) return own_link_free;
    return (*options.ways_out)[(options.first_host + static_cast<std::size_t>(self)) % options.ways_out->size()];
  }

  bool complain(const std::string& text) {
    network.complaints_.push_back("node " + std::to_string(self) + ": " + text);
    return true;
  }

  /// For packets that no trouble befalls.
  struct Links final : Network {
    explicit Links(Site& owner) : site(owner) {}
    void send(Node to, const Packet& packet) override {
      site.network.carry(site.self, to, encode(packet), site.network.now_, site.network.first_link());
    }
    void send_to_all(const Packet& /*packet*/) override {}
    Site& site;
  };

  SimulatedNetwork& network;
  Links links{*this};
  Node self;
  bool stopped = false;
  mutable bool awaits_room = false;
  TimePoint own_link_free{};
  TimePoint& link_free;  ///< its way out
  std::unique_ptr<End> end;
  std::vector<Message> messages;
  std::vector<std::vector<char>> taken;
  std::uint32_t completed = 0;
};

SimulatedNetwork::SimulatedNetwork(const Choice& protocol, int receivers, const Options& options)
    : options_(options), random_(options.path.seed) {
  for (Node node = 0; node <= receivers; ++node) nodes_.push_back(std::make_unique<Site>(*this, node));
  LossyLink::Options path = options.path;
  for (std::size_t i = 0; i < first_link(); ++i) {
    path.seed = random_();
    paths_.emplace_back(path);
  }
  if (options.sets_up) paths_.resize(2 * paths_.size(), LossyLink({.delay = options.path.delay}));
  for (const auto& site : nodes_) make_end(*site, protocol, receivers);
}

void SimulatedNetwork::make_end(Site& site, const Choice& protocol, int receivers) {
  const Row& row = *protocol.row;
  const Group group{receivers,           site.self,           options_.packet_bytes,
                    protocol.parameters, options_.room_bytes, options_.round_trip};
  const bool sets_up = options_.sets_up && row.carrier == Carrier::datagrams;
  if (site.self == sender_node) {
    auto sender = sets_up ? make_setting_up_sender(row, group, site, site.links) : row.make_sender(group, site);
    sender_ = sender.get();
    site.end = std::move(sender);
  } else {
    site.end =
        sets_up ? make_setting_up_receiver(row, group, site, site.links, site) : row.make_receiver(group, site, site);
  }
}

SimulatedNetwork::~SimulatedNetwork() = default;

const std::vector<SimulatedNetwork::Message>& SimulatedNetwork::received(Node node) const {
  return nodes_[static_cast<std::size_t>(node)]->messages;
}

bool SimulatedNetwork::happens(double probability) {
  return probability > 0 && std::uniform_real_distribution<>(0, 1)(random_) < probability;
}

/// A packet of that length goes through its node's way out; returns when it has left.
SimulatedNetwork::TimePoint SimulatedNetwork::leave(Node from, std::size_t bytes) {
  Site& site = *nodes_[static_cast<std::size_t>(from)];
  if (options_.link_bytes_per_second == 0 || site.stopped) return now_;
  // Each fragment has an IP header and what Ethernet puts around a frame; the first one UDP's header.
  constexpr std::size_t fragment_bytes = 1480;
  constexpr std::size_t frame_overhead = 20 + 38;
  const std::size_t fragments = (bytes + 8 + fragment_bytes - 1) / fragment_bytes;
  const auto on_wire = static_cast<double>(bytes + 8 + fragments * frame_overhead);
  const std::chrono::duration<double> takes(on_wire / options_.link_bytes_per_second);
  site.link_free = std::max(site.link_free, now_) + std::chrono::duration_cast<Duration>(takes);
  return site.link_free;
}

void SimulatedNetwork::carry(Node from, Node to, const std::vector<std::byte>& datagram, TimePoint at,
                             std::size_t first_path) {
  if (nodes_[static_cast<std::size_t>(from)]->stopped) return;
  const std::size_t index =
      first_path + static_cast<std::size_t>(from) * nodes_.size() + static_cast<std::size_t>(to);
  const TimePoint before = paths_[index].next_arrival();
  paths_[index].send(datagram, at);
  const TimePoint next = paths_[index].next_arrival();
  if (next == before) return;
  arrivals_.erase({before, index});
  arrivals_.emplace(next, index);
}

void SimulatedNetwork::send(Node from, Node to, const Packet& packet) {
  ++stats_.unicasts;
  ++stats_.kinds[static_cast<std::size_t>(packet.kind)];
  if (to == sender_node) ++stats_.to_sender;
  const auto datagram = encode(packet);
  carry(from, to, datagram, leave(from, datagram.size()));
}

void SimulatedNetwork::send_to_all(Node from, const Packet& packet) {
  ++stats_.multicasts;
  ++stats_.kinds[static_cast<std::size_t>(packet.kind)];
  const bool lost = happens(options_.shared_loss);
  const auto datagram = encode(packet);
  const TimePoint left = leave(from, datagram.size());
  for (const auto& site : nodes_) {
    const bool is_deaf = std::ranges::find(deaf_, site->self) != deaf_.end();
    const bool reached = std::ranges::find(options_.unreached, site->self) == options_.unreached.end();
    if (!reached) ++stats_.unicasts;
    if (site->self == from || ((lost || is_deaf) && reached)) continue;
    carry(from, site->self, datagram, reached ? left : leave(from, datagram.size()));
  }
}

void SimulatedNetwork::inject(Node from, Node to, const std::vector<std::byte>& datagram) {
  carry(from, to, datagram, now_);
}

void SimulatedNetwork::lose(Node from, Node to, std::function<bool(std::span<const std::byte>)> passes) {
  const std::size_t path = static_cast<std::size_t>(from) * nodes_.size() + static_cast<std::size_t>(to);
  paths_[path].options.filter = std::move(passes);
}

void SimulatedNetwork::resume(Node node) { nodes_[static_cast<std::size_t>(node)]->end->resume(now_); }

void SimulatedNetwork::stop(Node node) {
  nodes_[static_cast<std::size_t>(node)]->stopped = true;
  losses_.emplace_back(now_ + options_.notice, node);
}

SimulatedNetwork::TimePoint SimulatedNetwork::next_event() {
  TimePoint next = arrivals_.empty() ? TimePoint::max() : arrivals_.begin()->first;
  for (const auto& site : nodes_) {
    if (!site->stopped) next = std::min(next, site->next_call());
  }
  for (const auto& [time, node] : losses_) next = std::min(next, time);
  return next;
}

/// All that has arrived on a path.
void SimulatedNetwork::deliver(std::size_t path) {
  const auto from = static_cast<Node>(path % first_link() / nodes_.size());
  Site& site = *nodes_[path % nodes_.size()];
  while (const auto datagram = paths_[path].receive(now_)) {
    const auto packet = decode(*datagram);
    if (packet && !site.stopped) site.end->arrived(from, *packet, now_);
  }
  if (paths_[path].next_arrival() != TimePoint::max()) arrivals_.emplace(paths_[path].next_arrival(), path);
}

/// Everything whose time has come.
void SimulatedNetwork::serve() {
  for (const auto& [time, node] : losses_) {
    if (time > now_) continue;
    for (const auto& site : nodes_) {
      if (!site->stopped) site->end->lost(node, now_);
    }
  }
  std::erase_if(losses_, [&](const auto& loss) { return loss.first <= now_; });
  while (!arrivals_.empty() && arrivals_.begin()->first <= now_) {
    const std::size_t path = arrivals_.begin()->second;
    arrivals_.erase(arrivals_.begin());
    deliver(path);
  }
  for (const auto& site : nodes_) {
    if (!site->stopped) site->serve();
  }
}

bool SimulatedNetwork::run(const std::function<bool()>& done, Duration limit) {
  const TimePoint end = now_ + limit;
  while (!done()) {
    const TimePoint next = next_event();
    if (next > end) return false;
    advance(next);
  }
  return true;
}

void SimulatedNetwork::advance(TimePoint to) {
  now_ = std::max(now_, to);
  serve();
}

bool SimulatedNetwork::broadcast(std::span<const std::byte> message, Duration limit) {
  sender_->send(message, now_);
  return run([&] { return sender_->done() && arrivals_.empty(); }, limit);
}

bool SimulatedNetwork::broadcast_only(std::span<const std::byte> message, Duration limit) {
  sender_->send(message, now_);
  return run([&] { return sender_->done(); }, limit);
}

bool broadcast_at_once(std::span<const std::unique_ptr<SimulatedNetwork>> groups,
                       std::span<const std::vector<std::vector<std::byte>>> messages,
                       SimulatedNetwork::Duration limit) {
  std::vector<std::size_t> begun(groups.size());
  for (;;) {
    bool all_done = true;
    std::size_t next_group = 0;
    TimePoint next = TimePoint::max();
    for (std::size_t i = 0; i < groups.size(); ++i) {
      SimulatedNetwork& group = *groups[i];
      while (group.sender().done() && begun[i] < messages[i].size()) {
        group.sender().send(messages[i][begun[i]++], group.now());
      }
      all_done = all_done && group.sender().done() && group.is_quiet();
      const TimePoint event = group.next_event();
      if (event < next) next_group = i;
      next = std::min(next, event);
    }
    if (all_done) return true;
    if (next - TimePoint{} > limit) return false;
    groups[next_group]->advance(next);
  }
}

}  // namespace nasvm::test

#include "support/simulated_network.hpp"

#include <algorithm>

namespace nasvm::test {

using namespace multicast;

/// A node: its end, its way out, and what it has received.
struct SimulatedNetwork::Site final : Network, Inbox {
  Site(SimulatedNetwork& simulation, Node node) : network(simulation), self(node) {}

  void send(Node to, const Packet& packet) override { network.send(self, to, packet); }
  void send_to_all(const Packet& packet) override { network.send_to_all(self, packet); }

  bool take(const Packet& data) override {
    if (network.happens(network.options_.refusals)) return false;
    if (data.message >= messages.size()) messages.resize(data.message + 1);
    Message& message = messages[data.message];
    std::vector<bool>& bytes = taken_of(data);
    for (std::size_t i = 0; i < data.payload.size(); ++i) {
      if (bytes[data.offset + i]) return complain("byte " + std::to_string(data.offset + i) + " came twice");
      bytes[data.offset + i] = true;
      message.bytes[data.offset + i] = data.payload[i];
    }
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

  std::vector<bool>& taken_of(const Packet& data) {
    if (taken.size() < messages.size()) taken.resize(messages.size());
    std::vector<bool>& bytes = taken[data.message];
    if (bytes.size() != data.message_bytes) {
      bytes.assign(data.message_bytes, false);
      messages[data.message].bytes.resize(data.message_bytes);
      messages[data.message].missing = data.message_bytes;
    }
    return bytes;
  }

  bool complain(const std::string& text) {
    network.complaints_.push_back("node " + std::to_string(self) + ": " + text);
    return true;
  }

  SimulatedNetwork& network;
  Node self;
  bool stopped = false;
  std::unique_ptr<End> end;
  std::vector<Message> messages;
  std::vector<std::vector<bool>> taken;
  std::uint32_t completed = 0;
};

SimulatedNetwork::SimulatedNetwork(const Choice& protocol, int receivers, const Options& options)
    : options_(options), random_(options.path.seed) {
  for (Node node = 0; node <= receivers; ++node) nodes_.push_back(std::make_unique<Site>(*this, node));
  LossyLink::Options path = options.path;
  for (std::size_t i = 0; i < nodes_.size() * nodes_.size(); ++i) {
    path.seed = random_();
    paths_.emplace_back(path);
  }
  for (const auto& site : nodes_) {
    const Group group{receivers, site->self, options.packet_bytes, protocol.parameters};
    if (site->self == sender_node) {
      auto sender = protocol.row->make_sender(group, *site);
      sender_ = sender.get();
      site->end = std::move(sender);
    } else {
      site->end = protocol.row->make_receiver(group, *site, *site);
    }
  }
}

SimulatedNetwork::~SimulatedNetwork() = default;

const std::vector<SimulatedNetwork::Message>& SimulatedNetwork::received(Node node) const {
  return nodes_[static_cast<std::size_t>(node)]->messages;
}

LossyLink& SimulatedNetwork::path(Node from, Node to) {
  return paths_[static_cast<std::size_t>(from) * nodes_.size() + static_cast<std::size_t>(to)];
}

bool SimulatedNetwork::happens(double probability) {
  return probability > 0 && std::uniform_real_distribution<>(0, 1)(random_) < probability;
}

void SimulatedNetwork::carry(Node from, Node to, const std::vector<std::byte>& datagram) {
  if (!nodes_[static_cast<std::size_t>(from)]->stopped) path(from, to).send(datagram, now_);
}

void SimulatedNetwork::send(Node from, Node to, const Packet& packet) {
  ++stats_.unicasts;
  carry(from, to, encode(packet));
}

void SimulatedNetwork::send_to_all(Node from, const Packet& packet) {
  ++stats_.multicasts;
  const bool lost = happens(options_.shared_loss);
  const auto datagram = encode(packet);
  for (const auto& site : nodes_) {
    const bool reached = std::ranges::find(options_.unreached, site->self) == options_.unreached.end();
    if (!reached) ++stats_.unicasts;
    if (site->self != from && !(lost && reached)) carry(from, site->self, datagram);
  }
}

void SimulatedNetwork::inject(Node from, Node to, const std::vector<std::byte>& datagram) {
  carry(from, to, datagram);
}

void SimulatedNetwork::stop(Node node) {
  nodes_[static_cast<std::size_t>(node)]->stopped = true;
  losses_.emplace_back(now_ + options_.notice, node);
}

SimulatedNetwork::TimePoint SimulatedNetwork::next_event() {
  TimePoint next = TimePoint::max();
  for (const LossyLink& link : paths_) next = std::min(next, link.next_arrival());
  for (const auto& site : nodes_) {
    if (!site->stopped) next = std::min(next, site->end->deadline());
  }
  for (const auto& [time, node] : losses_) next = std::min(next, time);
  return next;
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
  for (const auto& site : nodes_) {
    for (const auto& from : nodes_) {
      while (const auto datagram = path(from->self, site->self).receive(now_)) {
        const auto packet = decode(*datagram);
        if (packet && !site->stopped) site->end->arrived(from->self, *packet, now_);
      }
    }
    if (!site->stopped && site->end->deadline() <= now_) site->end->tick(now_);
  }
}

bool SimulatedNetwork::run(const std::function<bool()>& done, Duration limit) {
  const TimePoint end = now_ + limit;
  while (!done()) {
    const TimePoint next = next_event();
    if (next > end) return false;
    now_ = std::max(now_, next);
    serve();
  }
  return true;
}

bool SimulatedNetwork::broadcast(std::span<const std::byte> message, Duration limit) {
  sender_->send(message, now_);
  const auto nothing_under_way = [&] {
    return std::ranges::all_of(paths_, [](const LossyLink& link) { return link.next_arrival() == TimePoint::max(); });
  };
  return run([&] { return sender_->done() && nothing_under_way(); }, limit);
}

}  // namespace nasvm::test

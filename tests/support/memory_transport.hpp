#pragma once
/// \file
/// Transports of several engines in one process, over a network that is a set of queues: packets wait there, for each
/// pair in order, until the test delivers them.

#include <sys/eventfd.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "vm/net/poller.hpp"
#include "vm/transport/memory_path.hpp"
#include "vm/transport/transport.hpp"

namespace nasvm::test {

class MemoryNetwork final : private net::Watcher {
 public:
  /// When a sender hears that its packet has left.
  enum class Departure { at_once, on_delivery };
  struct Options {
    std::size_t max_payload = 1 << 20;
    std::size_t usual_payload = 1 << 20;
    Departure departure = Departure::at_once;
    std::string name = "memory";
    std::size_t pull_from = MemoryPath::never;  ///< and is it possible when it comes to it?
    bool pull_works = true;
    bool takes_now = false;  ///< packets are taken at once, by copy, and delivered whole
  };
  struct InTransit {
    Envelope envelope;
    std::vector<std::byte> payload;
    net::Packet* packet = nullptr;  ///< to be reported as sent on delivery
  };

  explicit MemoryNetwork(const Options& options) : options_(options), bell_(::eventfd(1, EFD_CLOEXEC)) {}
  MemoryNetwork(const MemoryNetwork&) = delete;
  MemoryNetwork& operator=(const MemoryNetwork&) = delete;
  ~MemoryNetwork() override {
    for (net::Poller* poller : pumped_) poller->remove(bell_.get(), *this);
  }

  /// The transport of the next rank.
  Transport& join(Tid tid, net::PacketHandler& handler) {
    transports_.push_back(std::make_unique<End>(*this, static_cast<Rank>(transports_.size())));
    rank_of_[tid.value] = static_cast<Rank>(handlers_.size());
    handlers_.push_back(&handler);
    return *transports_.back();
  }
  void open_group(Tid group, std::vector<Rank> members) { groups_[group.value] = std::move(members); }

  /// From now on, who waits for this poller makes everything move.
  void pump_through(net::Poller& poller) {
    poller.add(bell_.get(), EPOLLIN, *this);
    pumped_.push_back(&poller);
  }

  [[nodiscard]] std::size_t waiting(Rank from, Rank to) const {
    const auto queue = queues_.find({from, to});
    return queue == queues_.end() ? 0 : queue->second.size();
  }
  [[nodiscard]] bool idle() const {
    for (const auto& [pair, queue] : queues_) {
      if (!queue.empty()) return false;
    }
    return true;
  }

  /// The oldest packet of the pair arrives in two steps, between which the test may do something.
  /// One for which its handler throws does not come again.
  net::Landing begin_delivery(Rank from, Rank to) {
    auto& queue = queues_.at({from, to});
    try {
      return handler(to).begin_packet(queue.front().envelope);
    } catch (...) {
      const InTransit refused = std::move(queue.front());
      queue.pop_front();
      if (refused.packet != nullptr) handler(from).packet_sent(*refused.packet);
      throw;
    }
  }
  void end_delivery(Rank from, Rank to, const net::Landing& landing) {
    auto& queue = queues_.at({from, to});
    const InTransit arrived = std::move(queue.front());
    queue.pop_front();
    if (landing.data != nullptr) std::ranges::copy(arrived.payload, landing.data);
    handler(to).end_packet(arrived.envelope, landing);
    if (arrived.packet != nullptr) handler(from).packet_sent(*arrived.packet);
  }
  /// False when nothing waits.
  bool deliver_one(Rank from, Rank to) {
    if (waiting(from, to) == 0) return false;
    if (options_.takes_now) {
      auto& queue = queues_.at({from, to});
      const InTransit arrived = std::move(queue.front());
      queue.pop_front();
      handler(to).take_packet(arrived.envelope, arrived.payload.data());
      if (arrived.packet != nullptr) handler(from).packet_sent(*arrived.packet);
      return true;
    }
    end_delivery(from, to, begin_delivery(from, to));
    return true;
  }
  void deliver_all() {
    while (!idle()) {
      for (Rank from = 0; from < size(); ++from) {
        for (Rank to = 0; to < size(); ++to) (void)deliver_one(from, to);
      }
    }
  }

  /// Changes every packet on its way.
  std::function<void(InTransit&)> rewrite;
  std::function<void()> on_taken_now;  ///< a packet has been
  std::size_t packets = 0;             ///< sent so far, those to several receivers once
  std::size_t payload_bytes = 0;
  std::size_t pulls = 0;
  std::vector<MemoryPath::Exchange> exchanges;  ///< what receivers said of each try to pull
  std::size_t taken_now = 0;

 private:
  class End final : public Transport, public MemoryPath {
   public:
    End(MemoryNetwork& network, Rank rank) : network_(network), rank_(rank) {}
    std::string_view name() const override { return network_.options_.name; }
    std::string descriptor() const override { return {}; }
    void meet(const std::vector<Member>&) override {}
    std::string why_not(Rank) const override { return {}; }
    std::size_t max_payload(Rank) const override { return network_.options_.max_payload; }
    std::size_t usual_payload(Rank peer, std::uint64_t) const override {
      return std::min(max_payload(peer), network_.options_.usual_payload);
    }
    void send(Rank, net::Packet& packet) override { network_.send(rank_, packet); }
    bool poll(Rank) override { return false; }
    MemoryPath* memory_path() override { return network_.is_memory() ? this : nullptr; }
    std::size_t pull_from(Rank) const override { return network_.options_.pull_from; }
    bool pull(Rank peer, std::uint64_t address, std::span<std::byte> into, Exchange exchange) override {
      network_.exchanges.push_back(exchange);
      if (!network_.options_.pull_works || network_.transports_[static_cast<std::size_t>(peer)]->moving_ != 0) {
        return false;
      }
      const auto* from = reinterpret_cast<const std::byte*>(static_cast<std::uintptr_t>(address));
      std::copy(from, from + into.size(), into.begin());
      ++network_.pulls;
      return true;
    }
    std::span<std::byte> board(std::size_t, int) override { return {}; }
    std::unique_ptr<SharedMemory> create_memory(std::size_t) override { return nullptr; }
    std::unique_ptr<SharedMemory> map_memory(Rank, std::int64_t, std::size_t) override { return nullptr; }
    void wake(Rank) override {}
    bool send_now(Rank, const Envelope& envelope, const std::byte* payload) override {
      return network_.send_now(rank_, envelope, payload);
    }
    bool before_sleep() override { return true; }
    Ring after_sleep() override { return {}; }
    void begin_waiting() override {}
    void end_waiting() override {}
    void begin_moving() override { ++moving_; }
    void end_moving() override { --moving_; }

   private:
    MemoryNetwork& network_;
    Rank rank_;
    int moving_ = 0;
  };

  [[nodiscard]] bool is_memory() const { return options_.takes_now || options_.pull_from != MemoryPath::never; }
  [[nodiscard]] Rank size() const { return static_cast<Rank>(handlers_.size()); }
  net::PacketHandler& handler(Rank rank) { return *handlers_[static_cast<std::size_t>(rank)]; }
  void ready(std::uint32_t) override { deliver_all(); }

  bool send_now(Rank from, const Envelope& envelope, const std::byte* payload) {
    if (!options_.takes_now || envelope.payload_bytes > options_.max_payload) return false;
    ++taken_now;
    InTransit leaving{envelope, {}, nullptr};
    if (envelope.payload_bytes != 0) leaving.payload.assign(payload, payload + envelope.payload_bytes);
    queues_[{from, rank_of_.at(envelope.destination)}].push_back(std::move(leaving));
    if (on_taken_now) on_taken_now();
    return true;
  }

  void send(Rank from, net::Packet& packet) {
    InTransit leaving{packet.envelope, {}, nullptr};
    if (packet.envelope.payload_bytes != 0) {
      leaving.payload.assign(packet.payload, packet.payload + packet.envelope.payload_bytes);
    }
    ++packets;
    payload_bytes += leaving.payload.size();
    if (rewrite) rewrite(leaving);
    const Tid to{packet.envelope.destination};
    const std::vector<Rank> receivers = to.is_group() ? groups_.at(to.value) : std::vector{rank_of_.at(to.value)};
    for (const Rank rank : receivers) queues_[{from, rank}].push_back(leaving);
    if (options_.departure == Departure::on_delivery) {
      queues_[{from, receivers.back()}].back().packet = &packet;
    } else {
      handler(from).packet_sent(packet);
    }
  }

  Options options_;
  net::Fd bell_;  ///< always readable
  std::vector<net::Poller*> pumped_;
  std::vector<net::PacketHandler*> handlers_;
  std::vector<std::unique_ptr<End>> transports_;
  std::map<std::uint32_t, Rank> rank_of_;
  std::map<std::uint32_t, std::vector<Rank>> groups_;
  std::map<std::pair<Rank, Rank>, std::deque<InTransit>> queues_;
};

}  // namespace nasvm::test

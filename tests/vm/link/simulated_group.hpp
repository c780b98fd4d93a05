#pragma once
/// \file
/// One sender and several receivers in virtual time: a path each way between the sender and each, and a shared medium
/// from the sender to all.

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "vm/link/sharing.hpp"
#include "vm/link/simulated_pair.hpp"

namespace nasvm::test {

class SimulatedGroup {
 public:
  struct Options {
    std::size_t receivers = 4;
    Channel::Options channel{.datagram_bytes = 1472,
                             .send_buffer_bytes = std::size_t{1} << 20,
                             .receive_buffer_bytes = std::size_t{1} << 20};
    LossyLink::Options path{};    ///< of each pair, both ways
    LossyLink::Options medium{};  ///< of each receiver, behind the part that all share
    double shared_loss = 0;       ///< on that part
  };
  static constexpr std::uint16_t sender = 1;

  /// What the sender has written to one receiver, and what has arrived there.
  struct Receiver {
    Receiver(const Options& options, std::uint16_t number, std::uint64_t seed)
        : host(number),
          near(with_hosts(options.channel, sender, number)),
          far(with_hosts(options.channel, number, sender)),
          to(with_seed(options.path, seed)),
          from(with_seed(options.path, seed + 1)),
          medium(with_seed(options.medium, seed + 2)),
          ear(number) {
      ear.add(sender, far);
    }

    std::uint16_t host;
    Channel near;  ///< the sender's
    Channel far;
    LossyLink to, from, medium;
    link::Sharing ear;
    std::vector<std::byte> written{};
    std::vector<std::byte> received{};
    bool hears = true;
    bool consuming = true;
    bool dead = false;

   private:
    static Channel::Options with_hosts(Channel::Options options, std::uint16_t local, std::uint16_t peer) {
      options.local_host = local;
      options.peer_host = peer;
      return options;
    }
    static LossyLink::Options with_seed(LossyLink::Options path, std::uint64_t seed) {
      path.seed += seed * 1000003;
      return path;
    }
  };

  explicit SimulatedGroup(const Options& options) : shared_loss_(options.shared_loss) {
    for (std::size_t i = 0; i < options.receivers; ++i) {
      const auto host = static_cast<std::uint16_t>(i + 2);
      receivers.push_back(std::make_unique<Receiver>(options, host, 3 * i + options.path.seed));
      sharing.add(host, receivers.back()->near);
    }
    sharing.start(0x1234, options.channel.datagram_bytes);
  }

  [[nodiscard]] Receiver& operator[](std::size_t index) { return *receivers[index]; }
  [[nodiscard]] std::vector<std::uint16_t> hosts() const {
    std::vector<std::uint16_t> all;
    for (const auto& receiver : receivers) all.push_back(receiver->host);
    return all;
  }

  /// Writes to one receiver alone.
  void send(Receiver& to, std::span<const std::byte> bytes) {
    REQUIRE(to.near.write(bytes) == bytes.size());
    to.written.insert(to.written.end(), bytes.begin(), bytes.end());
  }
  void place(std::uint64_t block, Receiver& to, std::span<const std::byte> bytes) {
    sharing.place(block, to.host);
    send(to, bytes);
  }
  /// Writes the same to all.
  std::uint64_t send_all(std::span<const std::byte> bytes) {
    const std::uint64_t block = sharing.open(hosts(), bytes.size());
    for (const auto& receiver : receivers) place(block, *receiver, bytes);
    return block;
  }
  /// Lets the sender learn who hears. Once.
  void meet() {
    REQUIRE(sharing.open(hosts(), 1) == 0);  // nobody is known to hear
    REQUIRE(run_until(
        [this] {
          return std::ranges::all_of(receivers, [](const auto& one) { return !one->hears || one->near.is_heard(); });
        },
        seconds(60)));
  }

  bool run_until(const std::function<bool()>& done, Duration limit) {
    const TimePoint end = now + limit;
    while (true) {
      for (const auto& receiver : receivers) listen(*receiver);
      transmit();
      if (done()) return true;
      TimePoint next = std::min(end, sharing.deadline());
      for (const auto& one : receivers) {
        next = std::min({next, one->near.deadline(), one->to.next_arrival(), one->from.next_arrival(),
                         one->medium.next_arrival()});
        if (!one->dead) next = std::min(next, one->far.deadline());
      }
      now = std::max(now + microseconds(1), next);
      if (now >= end) return false;
    }
  }
  void run_for(Duration duration) {
    run_until([] { return false; }, duration);
  }
  [[nodiscard]] bool has_all(const Receiver& receiver) const {
    return receiver.received.size() == receiver.written.size() && receiver.near.idle();
  }
  bool deliver_all(Duration limit) {
    return run_until(
        [this] {
          return std::ranges::all_of(receivers, [this](const auto& one) { return one->dead || has_all(*one); });
        },
        limit);
  }
  /// Payload of all datagrams that have left alone.
  [[nodiscard]] std::uint64_t unicast_bytes() const { return unicast_bytes_; }

  TimePoint now{seconds(1000)};
  link::Sharing sharing{sender};
  std::vector<std::unique_ptr<Receiver>> receivers;

 private:
  void listen(Receiver& one) {
    while (const auto body = one.to.receive(now)) {
      if (!one.dead) one.far.on_datagram(*body, now);
    }
    while (const auto body = one.medium.receive(now)) {
      if (!one.dead && one.hears) CHECK(one.ear.on_datagram(*body, now));
    }
    while (const auto body = one.from.receive(now)) one.near.on_datagram(*body, now);
    if (one.dead) return;
    while (one.consuming && !one.far.readable().empty()) {
      const auto readable = one.far.readable();
      one.received.insert(one.received.end(), readable.begin(), readable.end());
      one.far.consume(readable.size());
    }
    while (const auto bytes = one.far.next_datagram(buffer_, now)) one.from.send(first(*bytes), now);
  }

  // As Links does: turns of a few datagrams.
  void transmit() {
    for (const auto& one : receivers) one->near.tick(now);
    if (const auto probe = sharing.next_probe(buffer_, now)) send_shared(*probe);
    bool more = true;
    while (more) {
      more = false;
      for (const auto& one : receivers) {
        for (int i = 0; i < 8 && transmit_one(*one); ++i) more = true;
      }
    }
  }
  bool transmit_one(Receiver& to) {
    if (const auto bytes = sharing.next_datagram(to.host, buffer_, now)) {
      send_shared(*bytes);
      return true;
    }
    const auto bytes = to.near.next_datagram(buffer_, now);
    if (!bytes) return false;
    unicast_bytes_ += link::decode(first(*bytes))->payload.size();
    to.to.send(first(*bytes), now);
    return true;
  }
  void send_shared(std::size_t bytes) {
    if (std::uniform_real_distribution<>(0, 1)(random_) < shared_loss_) return;
    for (const auto& one : receivers) one->medium.send(first(bytes), now);
  }
  [[nodiscard]] std::span<const std::byte> first(std::size_t bytes) const { return std::span(buffer_).first(bytes); }

  double shared_loss_;
  std::mt19937_64 random_{7};
  std::uint64_t unicast_bytes_ = 0;
  std::vector<std::byte> buffer_ = std::vector<std::byte>(link::max_datagram_bytes);
};

}  // namespace nasvm::test

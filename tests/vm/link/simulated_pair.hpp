#pragma once
/// \file
/// Two channels joined by two simulated paths in virtual time, with a byte stream to send each way.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

#include "support/lossy_link.hpp"
#include "vm/link/channel.hpp"

namespace nasvm::test {

using link::Channel;
using link::Duration;
using link::TimePoint;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

inline std::vector<std::byte> random_bytes(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

/// One end: what it has to send, what it received, and whether it takes anything at all.
struct End {
  Channel channel;
  std::vector<std::byte> to_send{};
  std::size_t written = 0;
  std::vector<std::byte> received{};
  bool consuming = true;
  std::size_t write_at_most = SIZE_MAX;    ///< in one round
  std::size_t consume_at_most = SIZE_MAX;  ///< in one piece

  explicit End(const Channel::Options& options) : channel(options) {}

  void write() {
    const std::size_t left = std::min(to_send.size() - written, write_at_most);
    written += channel.write(std::span(to_send).subspan(written, left));
  }
  void consume() {
    while (consuming && !channel.readable().empty()) {
      const auto piece = channel.readable().first(std::min(channel.readable().size(), consume_at_most));
      received.insert(received.end(), piece.begin(), piece.end());
      channel.consume(piece.size());
    }
  }
};

class SimulatedPair {
 public:
  SimulatedPair(Channel::Options options, LossyLink::Options path)
      : a(with_hosts(options, 0, 1)), b(with_hosts(options, 1, 0)), a_to_b(path), b_to_a(with_seed(path)) {}

  /// Lets virtual time pass until `done` or `limit`; says whether `done` came.
  bool run_until(const std::function<bool()>& done, Duration limit) {
    const TimePoint end = now + limit;
    while (true) {
      step(a, a_to_b, b_to_a);
      step(b, b_to_a, a_to_b);
      if (done()) return true;
      const TimePoint next =
          std::min({a.channel.deadline(), b.channel.deadline(), a_to_b.next_arrival(), b_to_a.next_arrival(), end});
      // An end that says "at once" has been asked already, unless the other's turn gave it something to do.
      now = std::max(now + microseconds(1), next);
      if (now >= end) return false;
    }
  }
  void run_for(Duration duration) {
    run_until([] { return false; }, duration);
  }
  [[nodiscard]] bool delivered() const {
    return b.received.size() == a.to_send.size() && a.received.size() == b.to_send.size() && a.channel.idle() &&
           b.channel.idle();
  }
  bool deliver_all(Duration limit) {
    return run_until([this] { return delivered(); }, limit);
  }

  TimePoint now{seconds(1000)};
  End a;
  End b;
  LossyLink a_to_b;
  LossyLink b_to_a;
  std::function<void(End&)> on_too_long{};  ///< what a socket would report as EMSGSIZE

 private:
  static Channel::Options with_hosts(Channel::Options options, std::uint16_t local, std::uint16_t peer) {
    options.local_host = local;
    options.peer_host = peer;
    return options;
  }
  static LossyLink::Options with_seed(LossyLink::Options path) {
    path.seed += 1000003;
    return path;
  }

  void step(End& end, LossyLink& out, LossyLink& in) {
    while (const auto body = in.receive(now)) end.channel.on_datagram(*body, now);
    end.consume();
    end.write();
    while (const auto bytes = end.channel.next_datagram(buffer_, now)) {
      const std::size_t too_long = out.stats.too_long;
      out.send(std::span(buffer_).first(*bytes), now);
      if (on_too_long && out.stats.too_long > too_long) on_too_long(end);
      end.write();
    }
  }

  std::vector<std::byte> buffer_ = std::vector<std::byte>(link::max_datagram_bytes);
};

}  // namespace nasvm::test

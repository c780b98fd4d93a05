// Copies of a group's packets for several hosts, over real sockets of this computer.
#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <memory>
#include <vector>

#include "recording_port.hpp"
#include "support/deadline.hpp"
#include "support/multicast.hpp"
#include "support/skip.hpp"
#include "vm/daemon/host_port.hpp"
#include "vm/net/address.hpp"

using namespace nasvm;
using namespace nasvm::daemon;
using namespace nasvm::test;

namespace {

const Secret secret{};
constexpr int hosts = 4;  // with the sender's, host 1
constexpr Tid group = Tid::group(1, 1);

/// A daemon's ways to other hosts, and a task on its own.
struct Side final : ControlHandler {
  explicit Side(int host)
      : router(host), ports(host, "127.0.0." + std::to_string(host), secret, poller), task_port(ready) {
    router.add_task(Tid::task(host, 1), task_port);
    router.set_sharing(ports.sharing());
  }
  ~Side() override { router.clear(); }
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;
  void control(const Envelope&, std::span<const std::byte>) override {}
  void step() {
    (void)poller.wait(std::chrono::nanoseconds(0));
    ready.serve();
    ports.pump();
  }

  WaiterQueue ready;
  net::Poller poller;
  Router router;
  HostPorts ports;
  RecordingPort task_port;
};

struct Machine {
  Machine() {
    for (int host = 1; host <= hosts; ++host) sides.push_back(std::make_unique<Side>(host));
    for (int near = 1; near <= hosts; ++near) {
      for (int far = 1; far <= hosts; ++far) {
        if (near == far) continue;
        Side& side = at(near);
        side.router.add_host(far, side.ports.add(far, "far", at(far).ports.address(), side.ready, side.router, side));
      }
    }
    std::vector<Tid> members;
    for (int host = 2; host <= hosts; ++host) {
      members.push_back(Tid::task(host, 1));
      (void)at(host).router.open_group(group, std::array{members.back()}, 1);
    }
    (void)at(1).router.open_group(group, members, 0);
  }

  Side& at(int host) { return *sides[static_cast<std::size_t>(host) - 1]; }

  /// Empty: all have joined.
  std::string join(const multicast::GroupAddress& address) {
    for (const auto& side : sides) {
      if (std::string reason = side->ports.join(address); !reason.empty()) return reason;
    }
    return {};
  }

  /// As a forwarder does with what a task sends.
  void send(std::span<const std::byte> payload) {
    auto body = std::make_shared<std::byte[]>(payload.size());
    std::ranges::copy(payload, body.get());
    Envelope envelope{};
    envelope.source = Tid::task(1, 1).value;
    envelope.destination = group.value;
    envelope.payload_bytes = static_cast<std::uint32_t>(payload.size());
    const std::uint64_t block = at(1).router.share(group, net::weight(envelope));
    for (const Router::Exit& exit : at(1).router.exits(group)) {
      auto frame = std::make_unique<Frame>();
      frame->envelope = envelope;
      frame->body = body;
      frame->payload = body.get();
      frame->lane = Tid::task(1, 1);
      frame->block = block;
      exit.port->send(std::move(frame));
    }
  }

  bool run_until(const std::function<bool()>& done) {
    test::Deadline end;
    while (!done()) {
      if (end.passed()) return false;
      for (const auto& side : sides) side->step();
    }
    return true;
  }
  bool all_have(std::size_t frames) {
    return run_until([&] {
      for (int host = 2; host <= hosts; ++host) {
        if (at(host).task_port.frames.size() < frames) return false;
      }
      return true;
    });
  }
  void require_arrival(std::size_t frame, std::span<const std::byte> payload) {
    REQUIRE(all_have(frame + 1));
    for (int host = 2; host <= hosts; ++host) {
      const Frame& arrived = *at(host).task_port.frames[frame];
      CHECK(std::ranges::equal(payload, std::span(arrived.payload, arrived.envelope.payload_bytes)));
    }
  }

  std::vector<std::unique_ptr<Side>> sides;
};

std::vector<std::byte> numbered(std::size_t bytes, int number) {
  std::vector<std::byte> made(bytes);
  for (std::size_t i = 0; i < bytes; ++i) made[i] = static_cast<std::byte>(i * 7 + static_cast<std::size_t>(number));
  return made;
}

multicast::GroupAddress drawn_group() { return multicast::draw_group_address(multicast::Authentication::tag, 1); }

}  // namespace

TEST_CASE("packets to a group leave once for all hosts that hear", "[daemon][sharing]") {
  if (!has_multicast()) return skip("no multicast on the loopback interface");
  Machine machine;
  REQUIRE(machine.join(drawn_group()) == "");
  machine.at(1).router.want_sharing(group);
  machine.send(numbered(1000, 0));  // nobody is known to hear: alone, and the sender asks
  machine.require_arrival(0, numbered(1000, 0));
  const auto all_hear = [&] {
    const std::array<std::uint16_t, 3> others{2, 3, 4};
    return std::ranges::all_of(others, [&](std::uint16_t host) { return machine.at(1).ports.is_heard_by(host); });
  };
  REQUIRE(machine.run_until(all_hear));
  const std::array<std::size_t, 5> sizes{1000, 0, 65536, 1, 200000};
  for (std::size_t i = 0; i < sizes.size(); ++i) machine.send(numbered(sizes[i], static_cast<int>(i)));
  for (std::size_t i = 0; i < sizes.size(); ++i)
    machine.require_arrival(i + 1, numbered(sizes[i], static_cast<int>(i)));
  const link::Sharing::Stats& stats = machine.at(1).ports.sharing().stats();
  CHECK(stats.sent >= 1);
  CHECK(stats.copies >= 2 * stats.sent);
  for (int host = 2; host <= hosts; ++host) CHECK(machine.at(host).ports.sharing().stats().received > 0);
}

TEST_CASE("without a group, and where it is not wanted, each host gets a copy of its own", "[daemon][sharing]") {
  const bool joined = GENERATE(false, true);
  if (joined && !has_multicast()) return skip("no multicast on the loopback interface");
  Machine machine;
  if (joined) {
    REQUIRE(machine.join(drawn_group()) == "");
  } else {
    machine.at(1).router.want_sharing(group);
  }
  for (int i = 0; i < 3; ++i) machine.send(numbered(30000, i));
  for (int i = 0; i < 3; ++i) machine.require_arrival(static_cast<std::size_t>(i), numbered(30000, i));
  CHECK(machine.at(1).ports.sharing().stats().sent == 0);
  CHECK(machine.at(1).ports.sharing().stats().probes == 0);
}

TEST_CASE("two machines on one multicast address do not mix, and count each other's datagrams", "[daemon][sharing]") {
  if (!has_multicast()) return skip("no multicast on the loopback interface");
  const multicast::GroupAddress group_of_both = drawn_group();
  Machine machine;
  REQUIRE(machine.join(group_of_both) == "");
  Secret other_secret{};
  other_secret[0] = std::byte{1};
  net::Poller poller;
  HostPorts stranger(9, "127.0.0.9", other_secret, poller);
  REQUIRE(stranger.join(group_of_both).empty());
  machine.at(1).router.want_sharing(group);
  machine.send(numbered(1000, 0));
  machine.require_arrival(0, numbered(1000, 0));
  const auto counted = [&] {
    (void)poller.wait(std::chrono::nanoseconds(0));
    return stranger.stats().unauthenticated > 0;
  };
  REQUIRE(machine.run_until(counted));
  CHECK(stranger.sharing().stats().received == 0);
}

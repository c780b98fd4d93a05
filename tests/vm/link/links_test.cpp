#include "vm/link/links.hpp"

#include <poll.h>
#include <sys/syscall.h>

#include <array>
#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "support/deadline.hpp"
#include "support/refused_calls.hpp"
#include "support/skip.hpp"
#include "vm/link/simulated_pair.hpp"

using namespace nasvm;
using namespace nasvm::test;
using link::Links;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::array<std::byte, link::Seal::secret_bytes> secret{std::byte{42}};

/// Daemons' links on addresses of their own, in one process and over real sockets.
struct Machine {
  std::deque<Links> daemons;

  explicit Machine(std::size_t hosts, const link::Channel::Options& options = {}) {
    for (std::size_t host = 0; host < hosts; ++host) {
      daemons.emplace_back("127.0.0." + std::to_string(host + 1), secret, static_cast<std::uint16_t>(host), options);
    }
    for (std::size_t near = 0; near < hosts; ++near) {
      for (std::size_t far = 0; far < hosts; ++far) {
        if (near != far) daemons[near].add_peer(static_cast<std::uint16_t>(far), daemons[far].address());
      }
    }
  }

  link::Channel& channel(std::size_t near, std::size_t far) {
    return *daemons[near].channel(static_cast<std::uint16_t>(far));
  }

  /// Runs all daemons' loops until `done`; false when it does not come.
  bool run_until(const std::function<bool()>& done) {
    test::Deadline end;
    while (!done()) {
      if (end.passed()) return false;
      TimePoint deadline = Clock::now() + milliseconds(100);
      std::vector<pollfd> events;
      for (Links& daemon : daemons) {
        daemon.receive(Clock::now());
        daemon.transmit(Clock::now());
        deadline = std::min(deadline, daemon.deadline());
        events.push_back({daemon.descriptor(), static_cast<short>(daemon.stuck() ? POLLIN | POLLOUT : POLLIN), 0});
      }
      if (done()) return true;
      const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now()).count();
      if (deadline > Clock::now()) poll(events.data(), events.size(), static_cast<int>(left));
    }
    return true;
  }
};

struct Flow {
  std::vector<std::byte> sent;
  std::size_t written = 0;
  std::vector<std::byte> received{};

  void move(link::Channel& from, link::Channel& to) {
    written += from.write(std::span(sent).subspan(written));
    while (!to.readable().empty()) {
      received.insert(received.end(), to.readable().begin(), to.readable().end());
      to.consume(to.readable().size());
    }
  }
};

}  // namespace

TEST_CASE("daemons exchange streams over real sockets, every pair both ways at once", "[link]") {
  const std::size_t datagram_bytes = GENERATE(std::size_t{1472}, link::max_datagram_bytes);
  constexpr std::size_t hosts = 3;
  Machine machine(hosts, {.send_buffer_bytes = 1 << 20, .receive_buffer_bytes = 1 << 20});
  std::vector<Flow> flows;
  for (std::size_t pair = 0; pair < hosts * hosts; ++pair) {
    const bool oneself = pair / hosts == pair % hosts;
    flows.push_back({random_bytes(oneself ? 0 : 2'000'000 + pair, pair)});
    if (!oneself) machine.channel(pair / hosts, pair % hosts).set_datagram_bytes(datagram_bytes);
  }
  const auto done = [&] {
    bool all = true;
    for (std::size_t pair = 0; pair < flows.size(); ++pair) {
      const std::size_t near = pair / hosts;
      const std::size_t far = pair % hosts;
      if (near == far) continue;
      flows[pair].move(machine.channel(near, far), machine.channel(far, near));
      all = all && flows[pair].received.size() == flows[pair].sent.size() && machine.channel(near, far).idle();
    }
    return all;
  };
  REQUIRE(machine.run_until(done));
  for (const Flow& flow : flows) CHECK(flow.received == flow.sent);
  for (const Links& daemon : machine.daemons) {
    CHECK(daemon.stats().unauthenticated == 0);
    CHECK(daemon.stats().strangers == 0);
  }
}

TEST_CASE("datagrams that do not authenticate are dropped and counted", "[link]") {
  Machine machine(2);
  Links intruder("127.0.0.3", std::array<std::byte, link::Seal::secret_bytes>{}, 1, {});
  intruder.add_peer(0, machine.daemons[0].address()).write(random_bytes(5000, 1));
  intruder.transmit(Clock::now());
  REQUIRE(machine.run_until([&] { return machine.daemons[0].stats().unauthenticated > 0; }));
  CHECK(machine.channel(0, 1).stats().datagrams_received == 0);
  CHECK(machine.channel(0, 1).readable().empty());
}

TEST_CASE("datagrams of unknown hosts or for other hosts are dropped and counted", "[link]") {
  Machine machine(2);
  Links unknown("127.0.0.3", secret, 9, {});
  unknown.add_peer(0, machine.daemons[0].address()).write(random_bytes(10, 1));
  unknown.transmit(Clock::now());
  REQUIRE(machine.run_until([&] { return machine.daemons[0].stats().strangers == 1; }));

  Links confused("127.0.0.3", secret, 1, {});  // takes host 0's address for host 7's
  confused.add_peer(7, machine.daemons[0].address()).write(random_bytes(10, 1));
  confused.transmit(Clock::now());
  REQUIRE(machine.run_until([&] { return machine.daemons[0].stats().strangers == 2; }));
  CHECK(machine.channel(0, 1).stats().datagrams_received == 0);
}

TEST_CASE("a sender is stopped by a receiver that does not consume, without loss of anything", "[link]") {
  Machine machine(2, {.send_buffer_bytes = 200'000, .receive_buffer_bytes = 300'000});
  Flow flow{random_bytes(1'000'000, 1)};
  const auto write_alone = [&] {
    flow.written += machine.channel(0, 1).write(std::span(flow.sent).subspan(flow.written));
    return flow.written == 500'000 && machine.channel(1, 0).stats().bytes_received == 300'000;
  };
  REQUIRE(machine.run_until(write_alone));
  CHECK(machine.channel(0, 1).write(std::span(flow.sent).first(1)) == 0);
  REQUIRE(machine.run_until([&] {
    flow.move(machine.channel(0, 1), machine.channel(1, 0));
    return flow.received.size() == flow.sent.size();
  }));
  CHECK(flow.received == flow.sent);
}

TEST_CASE("datagrams are shortened to what a small kernel buffer digests", "[link]") {
  Links small("127.0.0.1", secret, 0, {}, 100'000);
  CHECK(small.add_peer(1, small.address()).datagram_bytes() < 10'000);
  Links large("127.0.0.1", secret, 0, {}, 4'000'000);
  CHECK(large.add_peer(1, large.address()).datagram_bytes() > small.channel(1)->datagram_bytes());
}

TEST_CASE("datagrams that are too long for their path are halved where nobody can say what it takes", "[link]") {
  const int status = status_in_child([] {
    Machine machine(2);
    link::Channel& channel = machine.channel(0, 1);
    const std::size_t before = channel.datagram_bytes();
    channel.write(random_bytes(100'000, 1));
    if (!refuse_call(SYS_sendmmsg, EMSGSIZE) || !refuse_call(SYS_socket, EMFILE)) return no_filter_status;
    machine.daemons[0].transmit(Clock::now());
    return channel.datagram_bytes() <= before / 2 ? 0 : 2;
  });
  if (status == no_filter_status) return skip("this system forbids filters of system calls");
  CHECK(status == 0);
}

TEST_CASE("a host that is removed is a stranger, and the others are reached as before", "[link]") {
  Machine machine(3);
  machine.daemons[0].remove_peer(1);
  CHECK(machine.daemons[0].channel(1) == nullptr);
  Flow to_far{random_bytes(50000, 1)}, from_removed{random_bytes(10, 2)};
  REQUIRE(machine.run_until([&] {
    to_far.move(machine.channel(0, 2), machine.channel(2, 0));
    (void)machine.channel(1, 0).write(from_removed.sent);
    return to_far.received.size() == to_far.sent.size() && machine.daemons[0].stats().strangers > 0;
  }));
  CHECK(to_far.received == to_far.sent);
}

TEST_CASE("links tell which hosts' datagrams have been cut, behind what was dropped", "[link]") {
  const auto name_of = [](int host) { return host == 2 ? "far" : "another"; };
  CHECK(Links::Stats{}.text(name_of).empty());
  const Links::Stats stats{.unauthenticated = 2, .strangers = 1, .shortened = {{2, 1452}}};
  CHECK(stats.text(name_of) ==
        "3 datagrams dropped: 2 not of this machine, 1 of a host that it does not have; datagrams to host far cut to "
        "1452 bytes: longer ones do not arrive; do the MTUs of the hosts' interfaces differ?");
}

TEST_CASE("what has waited while its owner did not look is no round trip", "[link]") {
  const auto pause = GENERATE(milliseconds(0), milliseconds(2000), milliseconds(60000));
  CAPTURE(pause.count());
  Machine machine(2);
  TimePoint now{seconds(1000)};
  const auto receive = [&](std::size_t host) {
    pollfd event{machine.daemons[host].descriptor(), POLLIN, 0};
    REQUIRE(poll(&event, 1, 10'000) == 1);
    machine.daemons[host].receive(now);
  };
  const auto send_and_hear = [&](Duration waits) {
    machine.channel(0, 1).write(random_bytes(1000, 1));
    machine.daemons[0].transmit(now);
    now += microseconds(100);
    receive(1);
    now += milliseconds(1);
    machine.daemons[1].transmit(now);
    now += microseconds(100) + waits;
    receive(0);
    REQUIRE(machine.channel(0, 1).idle());
  };
  for (int i = 0; i < 3; ++i) send_and_hear(Duration::zero());
  const Duration before = machine.channel(0, 1).round_trip().timeout(0);
  send_and_hear(pause);
  CHECK(machine.channel(0, 1).round_trip().timeout(0) == before);
  send_and_hear(milliseconds(50));
  CHECK(machine.channel(0, 1).round_trip().timeout(0) > before);  // that was one
}

TEST_CASE("a host is added once", "[link]") {
  Machine machine(2);
  CHECK_THROWS_AS(machine.daemons[0].add_peer(1, machine.daemons[1].address()), std::invalid_argument);
  CHECK(machine.daemons[0].channel(5) == nullptr);
}

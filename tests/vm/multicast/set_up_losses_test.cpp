// Members that die while their group is set up, by every protocol, and how long it takes until those who are left go
// on: in virtual time.
#include <algorithm>
#include <catch2/catch.hpp>

#include "support/packet_recorder.hpp"
#include "support/simulated_network.hpp"
#include "vm/launch/heartbeat.hpp"

using namespace nasvm;
using namespace nasvm::test;
using namespace std::chrono_literals;

namespace {

constexpr int receivers = 5;

SimulatedNetwork::Options options_of(const multicast::Row& row, std::uint64_t seed) {
  SimulatedNetwork::Options options;
  options.sets_up = true;
  options.path.seed = seed;
  if (row.carrier == multicast::Carrier::links) return options;
  options.path.loss = 0.05;
  options.shared_loss = 0.02;
  options.link_bytes_per_second = 12.5e6;
  return options;
}

bool is_one_of(int node, const std::vector<int>& nodes) { return std::ranges::find(nodes, node) != nodes.end(); }

/// Those who have not been lost have all messages; who has been lost has nothing wrong.
void check_survivors(const SimulatedNetwork& network, const std::vector<int>& lost,
                     const std::vector<std::vector<std::byte>>& messages) {
  CHECK(network.complaints().empty());
  for (int node = 1; node <= network.receivers(); ++node) {
    if (is_one_of(node, lost)) continue;
    REQUIRE(network.received(node).size() == messages.size());
    for (std::size_t i = 0; i < messages.size(); ++i) {
      CHECK(network.received(node)[i].complete);
      CHECK(network.received(node)[i].bytes == messages[i]);
    }
  }
}

/// How long after its death a host that answers no more counts as lost, when it dies so long after a request.
SimulatedNetwork::Duration notice_of_lost_host(SimulatedNetwork::Duration after_request) {
  constexpr auto look = 10ms;
  Heartbeat heartbeat(1);
  Heartbeat::TimePoint now{1h};
  Heartbeat::TimePoint death = Heartbeat::TimePoint::max();
  heartbeat.hear(0, now);
  for (int requests = 0; !heartbeat.is_silent(0, now); now += look) {
    const bool is_asked = heartbeat.beat(now);
    if (is_asked && ++requests == 3) death = now + after_request;
    if (is_asked && now < death) heartbeat.hear(0, now);
  }
  return now - death;
}

}  // namespace

TEST_CASE("members that die while a group is set up do not stop the others", "[multicast]") {
  // Roll call 0 to 0.3 ms, probe from then on for 20 ms, its result, the first message.
  const auto when = GENERATE(0us, 50us, 150us, 250us, 350us, 1ms, 20200us, 20400us, 20500us, 21ms, 40ms);
  const std::vector<int> lost =
      GENERATE(std::vector<int>{1}, std::vector<int>{2, 5}, std::vector<int>{1, 2, 3, 4, 5});
  const std::vector<std::vector<std::byte>> messages{pattern(60'000, 1), pattern(0), pattern(3000, 2)};
  for (const multicast::Row& row : multicast::protocols()) {
    CAPTURE(row.name, std::chrono::nanoseconds(when).count(), lost);
    SimulatedNetwork network({&row, {}}, receivers, options_of(row, 5));
    network.run([] { return false; }, when);
    for (const int node : lost) network.stop(node);
    REQUIRE(network.run([&] { return network.sender().done(); }, 2s));
    for (const auto& message : messages) REQUIRE(network.broadcast(message, 60s));
    check_survivors(network, lost, messages);
  }
}

TEST_CASE("members that die one after the other while a group is set up stop nobody", "[multicast]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{25}));
  const std::vector<std::vector<std::byte>> messages{pattern(60'000, 1), pattern(10, 2)};
  for (const multicast::Row& row : multicast::protocols()) {
    CAPTURE(row.name, seed);
    std::mt19937_64 random(seed);
    SimulatedNetwork::Options options = options_of(row, seed);
    options.notice = std::chrono::milliseconds(1 + random() % 1000);
    SimulatedNetwork network({&row, {}}, receivers, options);
    const int first = 1 + static_cast<int>(random() % receivers);
    const std::vector<int> lost{first, 1 + first % receivers};
    for (const int node : lost) {
      network.run([] { return false; }, std::chrono::microseconds(random() % 15'000));
      network.stop(node);
    }
    REQUIRE(network.run([&] { return network.sender().done(); }, 5s));
    for (const auto& message : messages) REQUIRE(network.broadcast(message, 60s));
    check_survivors(network, lost, messages);
  }
}

TEST_CASE("a process that dies holds the others up for less than 2 s, by every protocol", "[multicast]") {
  const bool in_set_up = GENERATE(false, true);
  const auto when = GENERATE(0us, 100us, 900us, 5ms, 20500us);
  const std::vector<std::vector<std::byte>> messages{pattern(100'000, 1)};
  for (const multicast::Row& row : multicast::protocols()) {
    CAPTURE(row.name, in_set_up, std::chrono::nanoseconds(when).count());
    SimulatedNetwork::Options options = options_of(row, 11);
    options.sets_up = in_set_up;
    options.notice =
        500ms;  // the daemon is told by the system, the console by the daemon, the members by the console
    SimulatedNetwork network({&row, {}}, receivers, options);
    if (!in_set_up) network.sender().send(messages[0], network.now());
    network.run([] { return false; }, when);
    network.stop(3);
    const auto death = network.now();
    REQUIRE(network.run([&] { return network.sender().done() && network.is_quiet(); }, 2s));
    if (in_set_up) REQUIRE(network.broadcast(messages[0], death + 2s - network.now()));
    CHECK(network.now() - death < 2s);
    check_survivors(network, {3}, messages);
  }
}

TEST_CASE("a host that vanishes holds the others up for less than 10 s, by every protocol", "[multicast]") {
  const auto after_request = GENERATE(1ms, 500ms, 999ms);
  const auto notice = notice_of_lost_host(after_request);
  REQUIRE(notice > 5s);
  const bool in_set_up = GENERATE(false, true);
  const auto when = GENERATE(0us, 900us, 20500us);
  const std::vector<std::vector<std::byte>> messages{pattern(100'000, 1)};
  for (const multicast::Row& row : multicast::protocols()) {
    CAPTURE(row.name, in_set_up, std::chrono::nanoseconds(when).count(), std::chrono::nanoseconds(notice).count());
    SimulatedNetwork::Options options = options_of(row, 13);
    options.sets_up = in_set_up;
    options.notice = notice;
    SimulatedNetwork network({&row, {}}, receivers, options);
    if (!in_set_up) network.sender().send(messages[0], network.now());
    network.run([] { return false; }, when);
    network.stop(3);
    const auto death = network.now();
    REQUIRE(network.run([&] { return network.sender().done() && network.is_quiet(); }, 10s));
    if (in_set_up) REQUIRE(network.broadcast(messages[0], death + 10s - network.now()));
    CHECK(network.now() - death < 10s);
    check_survivors(network, {3}, messages);
  }
}

#include "vm/multicast/wire/reach.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <random>
#include <set>

using namespace nasvm::multicast;
using namespace std::chrono_literals;

namespace {

/// Node 0 and receivers, in virtual time: each datagram takes `delay`, or is lost.
class Simulation {
 public:
  struct Options {
    int receivers = 3;
    std::vector<std::size_t> payload_bytes{1400};
    double loss = 0;
    std::set<Node> deaf{};          ///< multicast does not reach them
    std::set<Node> absent{};        ///< nor does anything
    std::size_t longest = 1 << 16;  ///< longer payloads are lost
    Duration delay = 100us;
    Duration receivers_begin = 0us;
    std::optional<Node> disturbed{};  ///< has heard another group
    unsigned seed = 1;
  };

  explicit Simulation(const Options& options) : options_(options), random_(options.seed) {
    for (Node node = 0; node <= options.receivers; ++node) paths_.push_back(std::make_unique<Path>(*this, node));
    ReachProbe::Options wanted;
    wanted.receivers = options.receivers;
    wanted.payload_bytes = options.payload_bytes;
    wanted.is_disturbed = [this] { return options_.disturbed == sender_node; };
    probe = std::make_unique<ReachProbe>(wanted, *paths_[0], now_);
    for (Node node = 1; node <= options.receivers; ++node) {
      answers.push_back(std::make_unique<ReachAnswer>(
          *paths_[static_cast<std::size_t>(node)], [this, node] { return options_.disturbed == node; },
          1000U * static_cast<unsigned>(10 - node)));
    }
  }

  /// False: not done within an hour, or never quiet.
  bool run(Duration limit = 1h) {
    const TimePoint end = now_ + limit;
    while (!probe->done()) {
      now_ = std::min(probe->deadline(), on_the_way_.empty() ? TimePoint::max() : on_the_way_.begin()->first);
      if (now_ > end) return false;
      if (!on_the_way_.empty() && on_the_way_.begin()->first <= now_) deliver();
      else probe->tick(now_);
    }
    return true;
  }
  [[nodiscard]] Duration elapsed() const { return now_ - TimePoint{}; }

  std::unique_ptr<ReachProbe> probe;
  std::vector<std::unique_ptr<ReachAnswer>> answers;  ///< node 1 first
  std::size_t packets = 0;                            ///< that left

 private:
  struct Path final : Network {
    Path(Simulation& owner, Node node) : simulation(owner), from(node) {}
    void send(Node to, const Packet& packet) override {
      ++simulation.packets;
      simulation.carry(from, to, packet);
    }
    void send_to_all(const Packet& packet) override {
      ++simulation.packets;
      for (Node node = 0; node <= simulation.options_.receivers; ++node) {
        if (node != from && !simulation.options_.deaf.contains(node)) simulation.carry(from, node, packet);
      }
    }
    Simulation& simulation;
    Node from;
  };
  struct Flight {
    Node from;
    Node to;
    std::vector<std::byte> bytes;
  };

  void carry(Node from, Node to, const Packet& packet) {
    const bool lost = std::uniform_real_distribution<>(0, 1)(random_) < options_.loss;
    const bool absent = options_.absent.contains(from) || options_.absent.contains(to);
    if (lost || absent || packet.payload.size() > options_.longest) return;
    TimePoint arrival = now_ + options_.delay;
    if (to != sender_node) arrival = std::max(arrival, TimePoint{} + options_.receivers_begin);
    on_the_way_.emplace(arrival, Flight{from, to, encode(packet)});
  }
  void deliver() {
    const auto flight = on_the_way_.extract(on_the_way_.begin()).mapped();
    const auto packet = decode(flight.bytes);
    REQUIRE(packet);
    if (flight.to == sender_node) probe->arrived(flight.from, *packet, now_);
    else answers[static_cast<std::size_t>(flight.to - 1)]->arrived(flight.from, *packet, now_);
  }

  Options options_;
  std::mt19937 random_;
  TimePoint now_{};
  std::vector<std::unique_ptr<Path>> paths_;
  std::multimap<TimePoint, Flight> on_the_way_;
};

void check_agreement(const Simulation& simulation, const std::set<Node>& without = {}) {
  const Reach& reach = simulation.probe->reach();
  for (std::size_t i = 0; i < simulation.answers.size(); ++i) {
    if (without.contains(static_cast<Node>(i + 1))) continue;
    const auto& heard = simulation.answers[i]->reach();
    REQUIRE(heard);
    CHECK(heard->payload_bytes == reach.payload_bytes);
    CHECK(heard->unreached == reach.unreached);
    CHECK(heard->disturbed == reach.disturbed);
    CHECK(heard->round_trip == reach.round_trip);
    CHECK(heard->room_bytes == reach.room_bytes);
  }
}

}  // namespace

TEST_CASE("where multicast reaches all, that is known as soon as others could have been heard", "[multicast]") {
  const int receivers = GENERATE(1, 2, 30);
  Simulation simulation({.receivers = receivers, .payload_bytes = {8000, 1400, 1200}});
  REQUIRE(simulation.run());
  CHECK(simulation.probe->reach().payload_bytes == 8000);
  CHECK(simulation.probe->reach().unreached.empty());
  CHECK_FALSE(simulation.probe->reach().disturbed);
  CHECK(simulation.probe->reach().round_trip == 200us);
  CHECK(simulation.elapsed() < 21ms);
  const auto each = static_cast<std::size_t>(receivers);
  CHECK(simulation.packets == 3 + 3 * each + 2 * each);  // probes, answers; results, answers
  check_agreement(simulation);
}

TEST_CASE("nodes that multicast does not reach are found, and learn it, too", "[multicast]") {
  const auto deaf = GENERATE(std::set<Node>{2}, std::set<Node>{1, 9, 20},
                             std::set<Node>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20});
  Simulation simulation({.receivers = 20, .deaf = deaf});
  REQUIRE(simulation.run());
  CHECK(simulation.probe->reach().unreached == std::vector<Node>(deaf.begin(), deaf.end()));
  CHECK(simulation.elapsed() > 500ms);  // patience with switches that are still learning
  CHECK(simulation.elapsed() < 2s);
  check_agreement(simulation);
}

TEST_CASE("the longest length that all hear is the group's", "[multicast]") {
  const auto [longest, expected] =
      GENERATE(std::pair<std::size_t, std::size_t>{1400, 1400}, std::pair<std::size_t, std::size_t>{1399, 1200},
               std::pair<std::size_t, std::size_t>{9000, 8000});
  Simulation simulation({.payload_bytes = {8000, 1400, 1200}, .longest = longest});
  REQUIRE(simulation.run());
  CHECK(simulation.probe->reach().payload_bytes == expected);
  CHECK(simulation.probe->reach().unreached.empty());
  check_agreement(simulation);
}

TEST_CASE("the way's round trip and the least of the receivers' buffers are found, on long ways, too",
          "[multicast]") {
  const auto delay = GENERATE(Duration(50us), Duration(4ms), Duration(80ms), Duration(400ms));
  Simulation simulation({.receivers = 4, .delay = delay});
  REQUIRE(simulation.run());
  CHECK(simulation.probe->reach().round_trip == 2 * delay);
  CHECK(simulation.probe->reach().room_bytes == 6000);
  CHECK(simulation.probe->reach().unreached.empty());
  check_agreement(simulation);
}

TEST_CASE("losses make nobody unreached, and do not keep the result from anybody", "[multicast]") {
  const unsigned seed = GENERATE(range(1U, 30U));
  CAPTURE(seed);
  Simulation simulation({.receivers = 30, .payload_bytes = {1400, 1200}, .loss = 0.3, .deaf = {7}, .seed = seed});
  REQUIRE(simulation.run());
  CHECK(simulation.probe->reach().unreached == std::vector<Node>{7});
  CHECK(simulation.elapsed() < 10s);
  check_agreement(simulation);
}

TEST_CASE("where copies are sent, packets are no longer than every path takes", "[multicast]") {
  const auto deaf = GENERATE(std::set<Node>{2}, std::set<Node>{1, 2, 3});
  Simulation simulation({.payload_bytes = {8000, 1400, 1200}, .deaf = deaf});
  REQUIRE(simulation.run());
  CHECK(simulation.probe->reach().payload_bytes == 1200);
  check_agreement(simulation);
}

TEST_CASE("a result that makes no sense is ignored", "[multicast]") {
  Simulation simulation({.receivers = 1});
  auto& answer = *simulation.answers.front();
  Packet result{.kind = Packet::Kind::poll, .flags = 2};
  for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{65508}}) {
    result.offset = length;
    answer.arrived(sender_node, result, TimePoint{});
    CHECK_FALSE(answer.reach());
  }
  result.offset = 1400;
  answer.arrived(sender_node, result, TimePoint{});
  CHECK(answer.reach());
}

TEST_CASE("receivers that begin late are waited for", "[multicast]") {
  Simulation simulation({.deaf = {2}, .receivers_begin = 20s});
  REQUIRE(simulation.run());
  CHECK(simulation.probe->reach().unreached == std::vector<Node>{2});
  CHECK(simulation.elapsed() > 20s);
  check_agreement(simulation);
}

TEST_CASE("a node that does not answer at all is named, and the others go on when it is lost", "[multicast]") {
  Simulation simulation({.absent = {3}});
  CHECK_FALSE(simulation.run(30s));
  CHECK(simulation.probe->silent() == std::vector<Node>{3});
  simulation.probe->lost(3, TimePoint{} + 30s);
  REQUIRE(simulation.run());
  CHECK(simulation.probe->reach().unreached.empty());
  check_agreement(simulation, {3});
}

TEST_CASE("whoever hears another group on the address, all learn of it", "[multicast]") {
  const Node disturbed = GENERATE(0, 1, 3);
  Simulation simulation({.disturbed = disturbed});
  REQUIRE(simulation.run());
  CHECK(simulation.probe->reach().disturbed);
  check_agreement(simulation);
}

TEST_CASE("packets that make no sense change nothing of a group's set-up", "[multicast]") {
  Simulation simulation({.deaf = {2}});
  std::mt19937 random(3);
  for (int i = 0; i < 2000; ++i) {
    std::vector<std::byte> bytes(header_bytes + random() % 40);
    for (auto& byte : bytes) byte = static_cast<std::byte>(random());
    bytes[0] = static_cast<std::byte>(random() % 6);
    if (bytes[0] == std::byte{2}) continue;  // an answer is an answer
    if (const auto packet = decode(bytes)) {
      simulation.probe->arrived(static_cast<Node>(random() % 6) - 1, *packet, TimePoint{});
      simulation.answers[0]->arrived(static_cast<Node>(1 + random() % 3), *packet, TimePoint{});
    }
  }
  for (const Node node : {-1, 0, 4, 100000})
    simulation.probe->arrived(node, {.kind = Packet::Kind::ack}, TimePoint{});
  CHECK_FALSE(simulation.answers[0]->reach());
  REQUIRE(simulation.run());
  CHECK(simulation.probe->reach().unreached == std::vector<Node>{2});
  check_agreement(simulation);
}

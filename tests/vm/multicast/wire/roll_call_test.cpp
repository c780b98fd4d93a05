#include "vm/multicast/wire/roll_call.hpp"

#include <catch2/catch.hpp>
#include <deque>
#include <memory>
#include <utility>

using namespace nasvm::multicast;

namespace {

/// Node 0 and receivers; packets arrive in the order in which they left, when `run` is called.
struct Calling final {
  struct Way final : Network {
    Way(Calling& owner, Node node) : group(owner), from(node) {}
    void send(Node to, const Packet& packet) override { group.under_way.push_back({from, to, encode(packet)}); }
    void send_to_all(const Packet& /*packet*/) override {}
    Calling& group;
    Node from;
  };
  struct Flight {
    Node from;
    Node to;
    std::vector<std::byte> bytes;
  };

  explicit Calling(int receivers) {
    for (Node node = 0; node <= receivers; ++node) ways.push_back(std::make_unique<Way>(*this, node));
    call = std::make_unique<RollCall>(receivers, *ways[0]);
    for (Node node = 1; node <= receivers; ++node) {
      answers.push_back(std::make_unique<RollAnswer>(*ways[static_cast<std::size_t>(node)]));
    }
  }
  RollAnswer& node(Node which) { return *answers[static_cast<std::size_t>(which - 1)]; }
  /// All that is under way, and what that causes; who is invited answers.
  void run() {
    for (; !under_way.empty(); under_way.pop_front()) {
      const Flight flight = under_way.front();
      const auto packet = decode(flight.bytes);
      REQUIRE(packet);
      if (flight.to == sender_node) {
        call->arrived(flight.from, *packet, {});
        continue;
      }
      RollAnswer& end = node(flight.to);
      end.arrived(flight.from, *packet, {});
      if (end.invitation() && flight.to != silent) end.answer(end.invitation()->group + std::to_string(flight.to));
    }
  }

  std::vector<std::unique_ptr<Way>> ways;
  std::unique_ptr<RollCall> call;
  std::vector<std::unique_ptr<RollAnswer>> answers;
  std::deque<Flight> under_way;
  Node silent = -1;
};

using Roll = std::vector<std::string>;

}  // namespace

TEST_CASE("all members learn everybody's answer", "[multicast]") {
  Calling group(3);
  group.call->invite("a");
  CHECK_FALSE(group.call->done());
  group.run();
  REQUIRE(group.call->done());
  CHECK(group.call->read_out("a0") == Roll{"a0", "a1", "a2", "a3"});
  group.run();
  for (const Node node : {1, 2, 3}) CHECK(group.node(node).roll() == Roll{"a0", "a1", "a2", "a3"});
}

TEST_CASE("who is lost before the roll is read has no answer in it, and nobody waits for it", "[multicast]") {
  Calling group(3);
  const Node doomed = GENERATE(1, 2, 3);
  const bool has_answered = GENERATE(false, true);
  if (!has_answered) group.silent = doomed;
  group.call->invite("a");
  group.run();
  CHECK(group.call->done() == has_answered);
  group.call->lost(doomed, {});
  REQUIRE(group.call->done());
  Roll expected{"a0", "a1", "a2", "a3"};
  expected[static_cast<std::size_t>(doomed)] = "";
  CHECK(group.call->read_out("a0") == expected);
  group.run();
  for (const Node node : {1, 2, 3}) {
    if (node != doomed) CHECK(group.node(node).roll() == expected);
  }
  CHECK_FALSE(group.node(doomed).roll());
}

TEST_CASE("a second call asks all again, and answers to the first do not count", "[multicast]") {
  Calling group(2);
  group.silent = 2;
  group.call->invite("a");
  group.run();
  group.call->invite("b");
  const auto second = std::exchange(group.under_way, {});
  group.node(2).answer("a2");
  group.run();
  CHECK_FALSE(group.call->done());
  group.silent = -1;
  group.under_way = second;
  group.run();
  REQUIRE(group.call->done());
  CHECK(group.call->read_out("b0") == Roll{"b0", "b1", "b2"});
}

TEST_CASE("strangers and packets that make no sense change nothing of a roll call", "[multicast]") {
  Calling group(2);
  group.silent = 2;
  group.call->invite("a");
  group.run();
  for (const Node from : {-1, 0, 3, 100'000})
    group.call->arrived(from, {.kind = Packet::Kind::ack, .sequence = 1}, {});
  group.call->lost(-1, {});
  group.call->lost(3, {});
  group.call->arrived(2, {.kind = Packet::Kind::data}, {});
  CHECK_FALSE(group.call->done());
  group.node(1).arrived(2, {.kind = Packet::Kind::poll, .flags = 1, .sequence = 1}, {});
  CHECK_FALSE(group.node(1).roll());
}

#include "vm/daemon/fair_queue.hpp"

#include <catch2/catch.hpp>
#include <deque>
#include <string>

using namespace nasvm;
using namespace nasvm::daemon;

namespace {

/// Packets named by their source and number: "a0".
struct Fixture {
  void push(const std::string& name, PacketKind kind = PacketKind::eager) {
    packets.emplace_back().envelope.tag = name[1] - '0';
    packets.back().envelope.kind = kind;
    packets.back().envelope.source = static_cast<std::uint32_t>(name[0]);
    queue.push(packets.back(), Tid{packets.back().envelope.source});
  }
  void push_all(std::initializer_list<const char*> names) {
    for (const char* name : names) push(name);
  }
  std::string pop() {
    const net::Packet* front = queue.front();
    const net::Packet& packet = queue.pop();
    CHECK(front == &packet);
    return {static_cast<char>(packet.envelope.source), static_cast<char>('0' + packet.envelope.tag)};
  }
  std::string pop_all() {
    std::string names;
    while (!queue.empty()) names += pop() + " ";
    return names;
  }

  std::deque<net::Packet> packets;
  FairQueue queue;
};

}  // namespace

TEST_CASE("sources take turns, and each keeps its order", "[fair queue]") {
  Fixture fixture;
  CHECK(fixture.queue.empty());
  CHECK(fixture.queue.front() == nullptr);
  fixture.push_all({"a0", "a1", "a2", "a3", "b0", "b1", "c0"});
  const std::string order = fixture.pop_all();
  CHECK(order == "a0 b0 c0 a1 b1 a2 a3 ");
  CHECK(fixture.queue.front() == nullptr);
  fixture.push("a0");
  CHECK(fixture.pop_all() == "a0 ");
}

TEST_CASE("answers of a source pass its data, but not the packet that is leaving", "[fair queue]") {
  Fixture fixture;
  for (const char* name : {"a0", "a1", "a2"}) fixture.push(name, PacketKind::data);
  fixture.push("a3", PacketKind::grant);
  fixture.push("a4");
  fixture.push("a5", PacketKind::data);
  fixture.push("a6", PacketKind::request);
  CHECK(fixture.pop_all() == "a0 a3 a1 a2 a4 a6 a5 ");
}

TEST_CASE("a source that had nothing waiting comes right after the packet that is leaving", "[fair queue]") {
  Fixture fixture;
  fixture.push_all({"a0", "a1", "a2", "b0", "b1", "b2", "c0", "c1", "c2"});
  for (int i = 0; i < 5; ++i) fixture.pop();
  const net::Packet* leaving = fixture.queue.front();
  fixture.push("x0");
  CHECK(fixture.queue.front() == leaving);
  fixture.pop();
  CHECK(fixture.pop() == "x0");
}

TEST_CASE("a stream whose packets come one by one is not taken for a source that had nothing", "[fair queue]") {
  Fixture fixture;
  fixture.push_all({"a0", "b0", "c0", "d0"});
  std::string order = fixture.pop() + fixture.pop();
  fixture.push("a1");
  fixture.push("x0");
  order += fixture.pop_all();
  CHECK(order.find("x0") < order.find("a1"));
}

TEST_CASE("sources that always come back with one packet do not starve the others", "[fair queue]") {
  Fixture fixture;
  fixture.push_all({"a0", "a1", "a2", "a3"});
  int of_a = 0;
  for (int i = 0; i < 8; ++i) {
    fixture.push("x0");
    of_a += fixture.pop()[0] == 'a' ? 1 : 0;
  }
  CHECK(of_a >= 3);
}

TEST_CASE("sources of short packets send more of them than those of long ones", "[fair queue]") {
  Fixture fixture;
  fixture.push_all({"a0", "a1", "a2"});
  for (net::Packet& packet : fixture.packets) packet.envelope.payload_bytes = 100'000;
  fixture.push_all({"b0", "b1", "b2", "b3"});
  CHECK(fixture.pop_all() == "a0 b0 b1 b2 b3 a1 a2 ");
}

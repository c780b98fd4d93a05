#include "vm/multicast/wire/group_port.hpp"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <map>
#include <set>
#include <string>

#include "support/deadline.hpp"
#include "support/multicast.hpp"
#include "support/packet_recorder.hpp"
#include "support/refused_calls.hpp"
#include "support/skip.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using namespace nasvm::multicast;
using nasvm::test::has_multicast;
using nasvm::test::pattern;

namespace {

/// Keeps what arrives.
struct Listener final : End {
  struct Arrived {
    Node from;
    Packet packet;  ///< its payload points into `payload`
    std::vector<std::byte> payload;
  };
  void arrived(Node from, const Packet& packet, TimePoint /*now*/) override {
    arrivals.push_back({from, packet, {packet.payload.begin(), packet.payload.end()}});
  }
  void lost(Node /*node*/, TimePoint /*now*/) override {}
  std::vector<Arrived> arrivals;
};

/// The ports of a group in one process, node by node, and what they have heard.
struct Members {
  explicit Members(int count, GroupPort::Options options = {}, const Secret& machine = make_secret()) {
    if (options.ip.empty()) options.ip = "127.0.0.1";
    if (options.group.identifier == 0) options.group = draw_group_address(Authentication::tag, 1);
    std::vector<net::SocketAddress> addresses;
    for (int node = 0; node < count; ++node) {
      options.self = node;
      ports.push_back(std::make_unique<GroupPort>(options, machine));
      addresses.push_back(ports.back()->address());
    }
    for (auto& port : ports) port->set_members(addresses);
    heard.resize(ports.size());
  }
  GroupPort& operator[](Node node) { return *ports[static_cast<std::size_t>(node)]; }
  std::vector<Listener::Arrived>& at(Node node) { return heard[static_cast<std::size_t>(node)].arrivals; }

  /// Moves packets until `done`; false when that does not come.
  bool run(const std::function<bool()>& done) {
    test::Deadline deadline;
    while (!done()) {
      for (std::size_t i = 0; i < ports.size(); ++i) {
        ports[i]->receive(heard[i], std::chrono::steady_clock::now());
        ports[i]->flush();
      }
      if (deadline.passed()) return false;
    }
    return true;
  }
  /// Whatever is on its way has come: packets of one path come in order, so one more of each tells.
  void settle() {
    for (auto& port : ports) {
      const Packet last{.kind = Packet::Kind::poll, .flags = 99};
      for (Node to = 0; to < static_cast<Node>(ports.size()); ++to) {
        if (to != port->self()) port->send(to, last);
      }
      port->send_to_all(last);
    }
    const std::size_t each = 2 * (ports.size() - 1);
    REQUIRE(run([&] {
      return std::ranges::all_of(heard, [&](const Listener& one) {
        return static_cast<std::size_t>(std::ranges::count(
                   one.arrivals, 99, [](const auto& arrival) { return arrival.packet.flags; })) == each;
      });
    }));
    for (auto& one : heard) {
      std::erase_if(one.arrivals, [](const auto& arrival) { return arrival.packet.flags == 99; });
    }
  }

  std::vector<std::unique_ptr<GroupPort>> ports;
  std::vector<Listener> heard;
};

Packet piece(std::uint32_t sequence, std::span<const std::byte> payload) {
  return {.sequence = sequence, .message_bytes = payload.size(), .payload = payload};
}

/// Something that sends datagrams, and is no member.
struct Stranger {
  explicit Stranger(const std::string& ip = "127.0.0.1") : socket(ip) {
    std::string why_not = send_to_groups_by(socket.descriptor(), interface_of(socket.address()), 1);
    if (!why_not.empty()) FAIL(why_not);
  }
  void send(std::span<const std::byte> datagram, const net::SocketAddress& to) {
    std::ranges::copy(datagram, socket.slot().begin());
    socket.push(datagram.size(), to);
    REQUIRE(socket.flush().sent == 1);
  }
  link::DatagramSocket socket;
};

}  // namespace

TEST_CASE("what is sent to all comes to every other node once, what is sent to one to that one", "[multicast]") {
  if (!has_multicast()) return test::skip("no multicast on the loopback interface");
  const int count = GENERATE(2, 3, 7);
  const auto authentication = GENERATE(Authentication::none, Authentication::tag);
  Members members(count, {.group = draw_group_address(authentication, 1)});
  for (const auto& port : members.ports) REQUIRE(port->why_not() == "");
  const auto long_payload = pattern(1400);
  for (Node from = 0; from < count; ++from) {
    members[from].send_to_all(piece(static_cast<std::uint32_t>(from), long_payload));
    members[from].send((from + 1) % count, piece(100, {}));
  }
  members.settle();
  for (Node node = 0; node < count; ++node) {
    std::map<Node, int> to_all, to_one;
    for (const auto& [from, packet, payload] : members.at(node)) {
      if (packet.sequence == 100) {
        ++to_one[from];
      } else {
        ++to_all[from];
        CHECK(packet.sequence == static_cast<std::uint32_t>(from));
        CHECK(payload == long_payload);
      }
    }
    CHECK(to_all.size() == static_cast<std::size_t>(count - 1));
    CHECK_FALSE(to_all.contains(node));
    for (const auto& [from, times] : to_all) CHECK(times == 1);
    CHECK(to_one == std::map<Node, int>{{(node + count - 1) % count, 1}});
    CHECK(members[node].stats().rejected.total() == 0);
  }
}

TEST_CASE("many packets leave in few system calls, and the same ones come without segmentation offload",
          "[multicast]") {
  if (!has_multicast()) return test::skip("no multicast on the loopback interface");
  const bool segments = GENERATE(true, false);
  Members members(3, {.ip = "127.0.0.1", .segments = segments});
  constexpr std::uint32_t packets = 100;
  const auto payload = pattern(1400);
  for (std::uint32_t i = 0; i < packets; ++i) members[0].send_to_all(piece(i, std::span(payload).subspan(i)));
  members.settle();
  for (const Node node : {1, 2}) {
    REQUIRE(members.at(node).size() == packets);
    for (std::uint32_t i = 0; i < packets; ++i) {
      CHECK(members.at(node)[i].packet.sequence == i);
      CHECK(std::ranges::equal(members.at(node)[i].payload, std::span(payload).subspan(i)));
    }
  }
  CHECK(members[0].sent().send_calls < packets / 10);
}

TEST_CASE("packets of the set-up leave one by one, those of the protocol together", "[multicast]") {
  if (!has_multicast()) return test::skip("no multicast on the loopback interface");
  Members members(2);
  // What came as one message, bare.
  const GroupAddress group = members[0].group();
  link::DatagramSocket listener(group.address, {.shared = true});
  REQUIRE(join(listener.descriptor(), group.address, interface_of(net::make_address("127.0.0.1", 0))) == "");
  const auto come_at_once = [&] {
    pollfd event{listener.descriptor(), POLLIN, 0};
    REQUIRE(::poll(&event, 1, 10'000) == 1);
    return listener.receive(1).size();
  };
  const auto payload = pattern(1000);
  const auto send_two = [&](Network& network) {
    for (const std::uint32_t sequence : {0U, 1U}) network.send_to_all(piece(sequence, payload));
    REQUIRE(members[0].flush());
  };
  send_two(members[0]);
  if (come_at_once() != 2) return test::skip("this system does not cut datagrams");
  send_two(members[0].set_up_network());
  CHECK(come_at_once() == 1);
  CHECK(come_at_once() == 1);
}

TEST_CASE("nodes that multicast does not reach get copies of their own", "[multicast]") {
  const auto unreached = GENERATE(std::vector<Node>{2}, std::vector<Node>{1, 2, 3});
  if (!has_multicast()) return test::skip("no multicast on the loopback interface");
  Members members(4);
  // These hear the group's address all the same here: they would get everything twice if it were sent there.
  for (const Node node : {0, 1, 3}) members[node].set_unreached(unreached);
  const auto payload = pattern(1400);
  for (std::uint32_t i = 0; i < 100; ++i) {
    Packet packet = piece(i, payload);
    packet.again = i < 10;
    members[0].send_to_all(packet);
  }
  members[0].send_to_all({.kind = Packet::Kind::poll, .sequence = 100});
  members[0].set_up_network().send_to_all({.kind = Packet::Kind::poll});
  const auto is_complete = [&](Node node) {
    std::set<std::uint32_t> sequences;
    for (const auto& arrival : members.at(node)) sequences.insert(arrival.packet.sequence);
    return sequences.size() == 101;
  };
  REQUIRE(members.run([&] { return is_complete(1) && is_complete(2) && is_complete(3); }));
  CHECK(members[0].stats().copies == 102 * unreached.size());
  // Where all get copies, one of these is the packet that was to leave.
  const std::size_t beyond_once = unreached.size() == 3 ? 2 : 1;
  CHECK(members[0].stats().further.data_packets == 100 * beyond_once);
  CHECK(members[0].stats().further.retransmitted == 10 * beyond_once);
  CHECK(members[0].stats().further.control_packets == beyond_once);
  for (const Node node : {1, 2, 3}) CHECK(members.at(node).size() == 101);  // the second one is known as a replay
  CHECK(members[0].sent().send_calls < 40);
}

TEST_CASE("forged, replayed, foreign and garbled datagrams are dropped and counted, each for what it is",
          "[multicast]") {
  if (!has_multicast()) return test::skip("no multicast on the loopback interface");
  const GroupAddress group = draw_group_address(Authentication::tag, 1);
  const Secret machine = make_secret();
  Members members(2, {.group = group}, machine);
  const bool to_all = GENERATE(true, false);
  const net::SocketAddress target = to_all ? group.address : members[1].address();
  // A genuine datagram, as somebody on the way could have recorded it: the port that made it has the same key.
  GroupSeal seal(make_gmac(key_of(group, machine)));
  const auto datagram = [&](GroupEnvelope envelope, bool genuine, std::size_t body = header_bytes) {
    envelope.authenticated = true;
    envelope.to_all = to_all;
    envelope.label = group.label();
    std::vector<std::byte> bytes(envelope_bytes + body + GroupSeal::tag_bytes);
    encode(envelope, bytes);
    if (body == header_bytes) write_header(piece(5, {}), std::span(bytes).subspan(envelope_bytes));
    if (genuine) seal.seal(bytes, envelope_bytes + body, envelope, 1);
    return bytes;
  };
  // Only from a member's own address is anything looked at; so the forger has it, being on the way.
  const int member = members[0].descriptors()[0];
  const auto send_as_member = [&](std::span<const std::byte> bytes) {
    REQUIRE(::sendto(member, bytes.data(), bytes.size(), 0, target.get(), target.size()) ==
            static_cast<ssize_t>(bytes.size()));
  };
  Stranger stranger;
  const auto genuine = datagram({.from = 0, .counter = 1000}, true);
  send_as_member(genuine);
  send_as_member(genuine);                                              // replayed
  send_as_member(datagram({.from = 0, .counter = 1001}, false));        // forged
  send_as_member(std::span(genuine).first(envelope_bytes + 3));         // forged: no room for a tag
  send_as_member(datagram({.from = 0, .counter = 1002}, true, 5));      // genuine, but no packet
  stranger.send(datagram({.from = 0, .counter = 1003}, true), target);  // not from that member's address
  send_as_member(datagram({.from = 7, .counter = 1004}, true));         // no such member
  stranger.send(pattern(200), target);                                  // nothing of ours
  GroupEnvelope open{.from = 0, .label = group.label()};
  std::vector<std::byte> without_tag(envelope_bytes + header_bytes);
  encode(open, without_tag);
  send_as_member(without_tag);  // says that no tag is needed
  const auto& rejected = members[1].stats().rejected;
  REQUIRE(members.run([&] { return rejected.total() >= 8; }));
  members.settle();
  CHECK(rejected.replayed == 1);
  CHECK(rejected.forged == 2);
  CHECK(rejected.malformed == 1);
  CHECK(rejected.strangers == 2);
  CHECK(rejected.foreign == 2);
  REQUIRE(members.at(1).size() == 1);
  CHECK(members.at(1)[0].packet.sequence == 5);
}

TEST_CASE("two groups that have the same address do not mix, and notice each other", "[multicast]") {
  if (!has_multicast()) return test::skip("no multicast on the loopback interface");
  const auto authentication = GENERATE(Authentication::none, Authentication::tag);
  const GroupAddress one = draw_group_address(authentication, 1);
  GroupAddress other = draw_group_address(authentication, 1);
  other.address = one.address;
  const Secret machine = make_secret();
  Members first(2, {.group = one}, machine);
  Members second(2, {.group = other}, machine);
  CHECK_FALSE(first[1].is_disturbed());
  first[0].send_to_all(piece(1, pattern(10)));
  second[0].send_to_all(piece(2, pattern(20)));
  first.settle();
  second.settle();
  REQUIRE(first.run([&] { return first[1].is_disturbed(); }));
  REQUIRE(second.run([&] { return second[1].is_disturbed(); }));
  REQUIRE(first.at(1).size() == 1);
  CHECK(first.at(1)[0].packet.sequence == 1);
  REQUIRE(second.at(1).size() == 1);
  CHECK(second.at(1)[0].packet.sequence == 2);
}

TEST_CASE("what is none of a group, or is sent to one node, is no other group on the address", "[multicast]") {
  if (!has_multicast()) return test::skip("no multicast on the loopback interface");
  Members members(2);
  const GroupAddress other = draw_group_address(Authentication::tag, 1);
  GroupEnvelope envelope{.authenticated = true, .to_all = true, .label = other.label()};
  std::vector<std::byte> foreign(envelope_bytes + header_bytes + GroupSeal::tag_bytes);
  encode(envelope, foreign);
  Stranger stranger;
  stranger.send(pattern(200), members[1].address());
  stranger.send(foreign, members[1].address());
  stranger.send(pattern(200), members[1].group().address);
  REQUIRE(members.run([&] { return members[1].stats().rejected.foreign == 3; }));
  CHECK_FALSE(members[1].is_disturbed());
  stranger.send(foreign, members[1].group().address);
  CHECK(members.run([&] { return members[1].is_disturbed(); }));
}

TEST_CASE("a node that is gone loses its datagrams, and the others hear on", "[multicast]") {
  Members members(3);
  members.ports[1].reset();
  for (std::uint32_t i = 0; i < 20; ++i) {
    for (const Node to : {1, 2}) members[0].send(to, piece(i, {}));
    members[0].flush();
  }
  test::Deadline deadline;
  while (members.at(2).size() < 20 && !deadline.passed()) members[2].receive(members.heard[2], {});
  CHECK(members.at(2).size() == 20);
}

TEST_CASE("datagrams that become too long for their path are cut by IP from then on, or end the run", "[multicast]") {
  const int status = test::status_in_child([] {
    Members members(2);
    GroupPort& port = members[0];
    const auto payload = pattern(1000);
    if (!test::refuse_call(SYS_sendmmsg, EMSGSIZE)) return test::no_filter_status;
    const auto discovery_after_one = [&](std::uint32_t sequence) {
      port.send(1, piece(sequence, payload));
      if (!port.flush()) return -1;
      int discovery = -1;
      socklen_t length = sizeof discovery;
      (void)::getsockopt(port.descriptors()[0], IPPROTO_IP, IP_MTU_DISCOVER, &discovery, &length);
      return discovery;
    };
    if (discovery_after_one(0) != IP_PMTUDISC_DO) return 2;  // a length that is tried
    port.set_unreached({});
    if (discovery_after_one(1) != IP_PMTUDISC_DONT) return 3;
    port.send(1, piece(2, payload));
    try {
      port.flush();
    } catch (const RunError& error) {
      const std::string text = error.what();
      const bool names_both = text.find(port.interface() + " takes no datagrams of 10") != std::string::npos;
      return names_both ? 0 : 5;
    }
    return 6;
  });
  if (status == test::no_filter_status) return test::skip("this system forbids filters of system calls");
  CHECK(status == 0);
}

TEST_CASE("a port with an address of IPv6 takes no part in multicast, and is reached by unicast", "[multicast]") {
  if (!net::is_local("::1")) return test::skip("no IPv6 on the loopback interface");
  Members members(3, {.ip = "::1"});
  for (const auto& port : members.ports) {
    CHECK(port->why_not() == "multicast needs an IPv4 address, and ::1 is none");
    port->set_unreached({0, 1, 2});
  }
  members[0].send_to_all(piece(5, pattern(1000)));
  members.settle();
  for (const Node node : {1, 2}) {
    REQUIRE(members.at(node).size() == 1);
    CHECK(members.at(node)[0].payload == pattern(1000));
  }
}

TEST_CASE("a port says what it needs: an address of this computer", "[multicast]") {
  const auto group = draw_group_address(Authentication::none, 1);
  CHECK_THROWS_WITH(GroupPort({.ip = "192.0.2.1", .group = group}, Secret{}), Catch::Contains("192.0.2.1"));
}

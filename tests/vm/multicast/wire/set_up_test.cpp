#include "vm/multicast/wire/set_up.hpp"

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <exception>
#include <thread>

#include "support/multicast.hpp"
#include "support/packet_recorder.hpp"
#include "support/skip.hpp"
#include "vm/multicast/stop_and_wait.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using namespace nasvm::multicast;
using nasvm::test::pattern;

namespace {

/// The ports of a group on the loopback interface, node by node.
std::vector<std::unique_ptr<GroupPort>> open_ports(int count, GroupPort::Options options) {
  if (options.ip.empty()) options.ip = "127.0.0.1";
  std::vector<std::unique_ptr<GroupPort>> ports;
  std::vector<net::SocketAddress> addresses;
  for (int node = 0; node < count; ++node) {
    options.self = node;
    ports.push_back(std::make_unique<GroupPort>(options, Secret{}));
    addresses.push_back(ports.back()->address());
  }
  for (auto& port : ports) port->set_members(addresses);
  return ports;
}

std::atomic<bool> a_node_failed;  ///< the others then wait for it in vain

/// `body` for each node, each in a thread; what one throws is thrown here.
void in_threads(int count, const std::function<void(Node)>& body) {
  a_node_failed = false;
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(count));
  {
    std::vector<std::jthread> threads;
    for (Node node = 0; node < count; ++node) {
      threads.emplace_back([&, node] {
        try {
          body(node);
        } catch (...) {
          errors[static_cast<std::size_t>(node)] = std::current_exception();
          a_node_failed = true;
        }
      });
    }
  }
  for (const auto& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

/// Puts pieces where they belong.
struct Taken final : Inbox {
  explicit Taken(std::size_t bytes) : message(bytes) {}
  bool take(const Packet& data) override {
    std::ranges::copy(data.payload, message.begin() + static_cast<std::ptrdiff_t>(data.offset));
    return true;
  }
  void complete(std::uint32_t /*number*/) override { ++completed; }
  std::vector<std::byte> message;
  int completed = 0;
};

/// One node's part in a message by the toy protocol; the end goes on until `all_done`.
void take_part(GroupPort& port, std::size_t payload_bytes, std::span<const std::byte> message, Taken& buffer,
               std::atomic<int>& done) {
  const Group group{
      .receivers = port.receivers(), .self = port.self(), .packet_bytes = payload_bytes, .parameters = {}};
  const auto finish = [&done, &port] { return a_node_failed || done.load() == port.receivers() + 1; };
  bool counted = false;
  const auto once = [&](bool now_done) {
    if (now_done && !std::exchange(counted, true)) ++done;
    return finish();
  };
  if (port.self() == sender_node) {
    test::StopAndWaitSender sender(group, port);
    sender.send(message, std::chrono::steady_clock::now());
    serve_until(port, sender, [&] { return once(sender.done()); });
  } else {
    test::StopAndWaitReceiver receiver(port, buffer);
    serve_until(port, receiver, [&] { return once(buffer.completed == 1); });
  }
}

}  // namespace

TEST_CASE("a group is set up and carries a message over real sockets", "[multicast]") {
  const int count = GENERATE(2, 3, 8);
  const auto authentication = GENERATE(Authentication::none, Authentication::tag);
  CAPTURE(count);
  const auto ports = open_ports(count, {.group = draw_group_address(authentication, 1)});
  if (!test::has_multicast()) return test::skip("no multicast on the loopback interface");
  REQUIRE(ports[0]->why_not() == "");
  const auto message = pattern(100'000);
  std::vector<Taken> buffers(ports.size(), Taken(message.size()));
  std::atomic<int> done = 0;
  in_threads(count, [&](Node node) {
    GroupPort& port = *ports[static_cast<std::size_t>(node)];
    const Reach reach = set_up(port, {.datagram_bytes = {1472}});
    if (!reach.unreached.empty() || reach.disturbed) throw RunError("somebody is not reached, or disturbed");
    if (reach.payload_bytes != port.payload_in(1472)) throw RunError("not the length that was to be tried");
    take_part(port, reach.payload_bytes, message, buffers[static_cast<std::size_t>(node)], done);
  });
  for (std::size_t node = 1; node < ports.size(); ++node) CHECK(buffers[node].message == message);
  for (const auto& port : ports) CHECK(port->stats().rejected.total() == 0);
}

TEST_CASE("a group of hosts with addresses of IPv6 is set up, and served by unicast", "[multicast]") {
  if (!net::is_local("::1")) return test::skip("no IPv6 on the loopback interface");
  const auto ports = open_ports(3, {.ip = "::1", .group = draw_group_address(Authentication::tag, 1)});
  const auto message = pattern(100'000);
  std::vector<Taken> buffers(ports.size(), Taken(message.size()));
  std::atomic<int> done = 0;
  in_threads(3, [&](Node node) {
    GroupPort& port = *ports[static_cast<std::size_t>(node)];
    const Reach reach = set_up(port, {});
    if (reach.unreached != std::vector<Node>{1, 2}) throw RunError("somebody is said to be reached");
    if (reach.payload_bytes != port.payload_in(1232)) throw RunError("not the length that every path takes");
    take_part(port, reach.payload_bytes, message, buffers[static_cast<std::size_t>(node)], done);
  });
  CHECK(buffers[1].message == message);
  CHECK(buffers[2].message == message);
}

TEST_CASE("packets longer than the path takes come, too, when they may be cut", "[multicast]") {
  const auto ports = open_ports(3, {.group = draw_group_address(Authentication::tag, 1), .fragments = true});
  if (!test::has_multicast()) return test::skip("no multicast on the loopback interface");
  REQUIRE(ports[0]->why_not() == "");
  const auto message = pattern(300'000);
  std::vector<Taken> buffers(ports.size(), Taken(message.size()));
  std::atomic<int> done = 0;
  in_threads(3, [&](Node node) {
    GroupPort& port = *ports[static_cast<std::size_t>(node)];
    const Reach reach = set_up(port, {.datagram_bytes = {65507, 8192}});
    take_part(port, reach.payload_bytes, message, buffers[static_cast<std::size_t>(node)], done);
  });
  CHECK(buffers[1].message == message);
  CHECK(buffers[2].message == message);
}

TEST_CASE("members that do not come are named", "[multicast]") {
  const auto ports = open_ports(3, {.group = draw_group_address(Authentication::tag, 1)});
  const SetUpOptions hasty{.silence = std::chrono::milliseconds(200)};
  CHECK_THROWS_WITH(set_up(*ports[0], hasty),
                    Catch::Contains(ports[1]->address().text()) && Catch::Contains(ports[2]->address().text()));
  CHECK_THROWS_WITH(set_up(*ports[1], hasty), Catch::Contains(ports[0]->address().text()));
}

TEST_CASE("a set-up ends when its owner knows that it is in vain", "[multicast]") {
  const auto ports = open_ports(2, {.group = draw_group_address(Authentication::tag, 1)});
  SetUpOptions options;
  options.check = [](End& /*end*/) { throw RunError("task 1 has died"); };
  CHECK_THROWS_WITH(set_up(*ports[0], options), "task 1 has died");
}

TEST_CASE("another group on the address is noticed during the set-up", "[multicast]") {
  const GroupAddress group = draw_group_address(Authentication::tag, 1);
  GroupAddress other = draw_group_address(Authentication::tag, 1);
  other.address = group.address;
  const auto ports = open_ports(2, {.group = group});
  const auto others = open_ports(2, {.group = other});
  if (!test::has_multicast()) return test::skip("no multicast on the loopback interface");
  REQUIRE(ports[0]->why_not() == "");
  others[0]->send_to_all({.payload = {}});
  others[0]->flush();
  std::array<Reach, 2> reaches;
  in_threads(2, [&](Node node) {
    reaches[static_cast<std::size_t>(node)] = set_up(*ports[static_cast<std::size_t>(node)], {});
  });
  CHECK(reaches[0].disturbed);
  CHECK(reaches[1].disturbed);
}

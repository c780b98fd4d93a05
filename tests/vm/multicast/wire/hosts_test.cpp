// A group between hosts: network namespaces on a bridge, one of which multicast does not reach.

#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <bitset>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <new>
#include <string>
#include <utility>

#include "support/deadline.hpp"
#include "support/packet_recorder.hpp"
#include "support/skip.hpp"
#include "vm/multicast/stop_and_wait.hpp"
#include "vm/multicast/wire/set_up.hpp"

using namespace nasvm;
using namespace nasvm::multicast;

namespace {

constexpr int hosts = 3;
constexpr Node cut_off = 2;  ///< the bridge passes no multicast on to it
constexpr int not_permitted = 77;
constexpr int command_not_found = 127;  ///< of a shell
constexpr int burst = 300;              ///< packets that node 0 sends at once, more than the system takes

/// What the hosts' processes share.
struct Board {
  std::atomic<int> ready = 0;  ///< hosts that have a namespace
  std::atomic<bool> wired = false;
  std::array<std::atomic<std::uint16_t>, hosts> ports{};
  std::atomic<int> set_up = 0;                       ///< hosts that have set up
  std::array<std::atomic<Node>, hosts> unreached{};  ///< the only one that this host knows of
  std::array<std::atomic<bool>, hosts> right{};      ///< the message has come, every byte
  std::atomic<int> done = 0;
  std::atomic<std::uint64_t> copies = 0;
  std::atomic<std::uint64_t> held = 0;
  std::array<std::atomic<int>, hosts> polls{};    ///< of the burst that have come
  std::array<std::atomic<int>, hosts> dropped{};  ///< packets that came while the host's own socket had no room
};

/// Of all UDP sockets of this network namespace. A receiver that has no core for a while drops some.
int dropped_datagrams() {
  std::ifstream file("/proc/self/net/udp");
  std::string line;
  std::getline(file, line);
  int sum = 0;
  while (std::getline(file, line)) sum += std::stoi(line.substr(line.find_last_of(' ', line.find_last_not_of(' '))));
  return sum;
}

bool wait_for(const std::function<bool()>& condition) {
  test::Deadline deadline;
  while (!condition()) {
    if (deadline.passed()) return false;
    ::sched_yield();
  }
  return true;
}

std::string ip_of(Node node) { return "10.9.0." + std::to_string(node + 1); }

struct Message final : Inbox {
  bool take(const Packet& data) override {
    std::ranges::copy(data.payload, bytes.begin() + static_cast<std::ptrdiff_t>(data.offset));
    return true;
  }
  void complete(std::uint32_t /*number*/) override { complete_now = true; }
  std::vector<std::byte> bytes = std::vector<std::byte>(20'000);
  bool complete_now = false;
};

/// A receiver, and which packets of the burst have come before. In what order is not looked at: two processors may
/// carry the packets of a link, and one may overtake the other.
struct CountingReceiver final : End {
  CountingReceiver(GroupPort& port, Inbox& inbox) : receiver(port, inbox) {}
  void arrived(Node from, const Packet& packet, TimePoint now) override {
    if (packet.kind == Packet::Kind::poll && packet.sequence < polls.size()) polls.set(packet.sequence);
    receiver.arrived(from, packet, now);
  }
  void lost(Node /*node*/, TimePoint /*now*/) override {}
  [[nodiscard]] bool has_all() const { return static_cast<int>(polls.count()) + dropped_datagrams() >= burst; }
  test::StopAndWaitReceiver receiver;
  std::bitset<burst> polls;
};

/// Node `node` of the group, in a namespace of its own.
void take_part(Node node, const GroupAddress& address, Board& board) {
  GroupPort port({.ip = ip_of(node), .group = address, .self = node}, Secret{});
  board.ports[static_cast<std::size_t>(node)] = port.address().port();
  std::vector<net::SocketAddress> members;
  for (Node other = 0; other < hosts; ++other) {
    const auto& published = board.ports[static_cast<std::size_t>(other)];
    if (!wait_for([&] { return published != 0; })) return;
    members.push_back(net::make_address(ip_of(other), published));
  }
  port.set_members(members);
  const Reach reach = set_up(port, {});
  if (reach.unreached.size() == 1) board.unreached[static_cast<std::size_t>(node)] = reach.unreached.front();

  ++board.set_up;

  const auto sent = test::pattern(20'000);
  const Group group{.receivers = hosts - 1, .self = node, .packet_bytes = reach.payload_bytes, .parameters = {}};
  Message message;
  bool counted = false;
  test::Deadline deadline;
  const auto finished = [&](bool done) {
    if (done && !std::exchange(counted, true)) ++board.done;
    return board.done == hosts || deadline.passed();
  };
  if (node == sender_node) {
    test::StopAndWaitSender sender(group, port);
    // A host that is still setting up passes over what comes.
    serve_until(port, sender, [&] { return board.set_up == hosts || deadline.passed(); });
    const auto payload = test::pattern(1400);
    for (std::uint32_t i = 0; i < burst; ++i) {
      port.send_to_all({.kind = Packet::Kind::poll, .sequence = i, .payload = payload});
    }
    sender.send(sent, std::chrono::steady_clock::now());
    serve_until(port, sender, [&] { return finished(sender.done()); });
    board.right[0] = true;
    board.copies = port.stats().copies;
    board.held = port.stats().held;
  } else {
    CountingReceiver receiver(port, message);
    // What another processor carries may come later than the message, though it was sent before.
    serve_until(port, receiver, [&] { return finished(message.complete_now && receiver.has_all()); });
    board.polls[static_cast<std::size_t>(node)] = static_cast<int>(receiver.polls.count());
    board.dropped[static_cast<std::size_t>(node)] = dropped_datagrams();
    board.right[static_cast<std::size_t>(node)] = message.bytes == sent;
  }
}

[[noreturn]] void be_host(Node node, const GroupAddress& address, Board& board) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::unshare(CLONE_NEWNET) != 0) ::_exit(not_permitted);
  ++board.ready;
  if (!wait_for([&] { return board.wired.load(); })) ::_exit(1);
  const std::string up = "ip link set lo up && ip addr add " + ip_of(node) + "/24 dev eth0 && ip link set eth0 up";
  if (std::system(up.c_str()) != 0) ::_exit(2);
  const char* const slow = "tc qdisc add dev eth0 root tbf rate 100mbit burst 16000 limit 1500000";
  if (node == sender_node && std::system(slow) != 0) ::_exit(not_permitted);
  try {
    take_part(node, address, board);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "node %d: %s\n", node, error.what());
    ::_exit(3);
  }
  ::_exit(0);
}

/// Exit status of a shell.
int wire(const std::array<pid_t, hosts>& processes) {
  std::string commands =
      "ip link add name bridge0 type bridge mcast_snooping 0 stp_state 0 forward_delay 0 && ip link set bridge0 up";
  for (int node = 0; node < hosts; ++node) {
    const std::string port = "p" + std::to_string(node);
    commands += " && ip link add " + port + " type veth peer name eth0 netns " +
                std::to_string(processes[static_cast<std::size_t>(node)]) + " && ip link set " + port +
                " master bridge0 up";
  }
  commands += " && bridge link set dev p" + std::to_string(cut_off) + " mcast_flood off";
  return WEXITSTATUS(std::system(commands.c_str()));
}

int exit_status(int wait_status) { return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 9; }

/// In a process of its own, whose namespace is the bridge's. Returns what is wrong with the host that ends first; the
/// others, which would wait for it, end with this process.
int run_hosts(Board& board) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::unshare(CLONE_NEWNET) != 0) return not_permitted;
  const GroupAddress address = draw_group_address(Authentication::tag, 1);
  std::array<pid_t, hosts> processes{};
  for (Node node = 0; node < hosts; ++node) {
    const pid_t child = ::fork();
    if (child == 0) be_host(node, address, board);
    processes[static_cast<std::size_t>(node)] = child;
  }
  int status = 0;
  bool one_has_ended = false;
  const auto settled = [&] {
    one_has_ended = ::waitpid(-1, &status, WNOHANG) > 0;
    return one_has_ended || board.ready == hosts;
  };
  if (!wait_for(settled)) return 4;
  if (one_has_ended) return exit_status(status);
  const int wired = wire(processes);
  if (wired != 0) return wired == command_not_found ? not_permitted : wired;
  board.wired = true;
  for (int left = hosts; left > 0; --left) {
    ::wait(&status);
    if (exit_status(status) != 0) return exit_status(status);
  }
  return 0;
}

}  // namespace

TEST_CASE("between hosts, one that multicast does not reach gets copies, and nothing is lost on a slow link",
          "[multicast]") {
  void* const shared = ::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(shared != MAP_FAILED);
  Board& board = *new (shared) Board;
  const pid_t bridge = ::fork();
  if (bridge == 0) ::_exit(run_hosts(board));
  int status = 0;
  REQUIRE(::waitpid(bridge, &status, 0) == bridge);
  if (WEXITSTATUS(status) == not_permitted) return test::skip("no right to make hosts, or no iproute2");
  CHECK(status == 0);
  for (std::size_t node = 0; node < hosts; ++node) {
    CHECK(board.unreached[node].load() == cut_off);
    CHECK(board.right[node].load());
    if (node != sender_node) CHECK(board.polls[node].load() + board.dropped[node].load() >= burst);
  }
  CHECK(board.copies.load() >= burst);
  CHECK(board.held.load() > 0);
  ::munmap(shared, sizeof(Board));
}

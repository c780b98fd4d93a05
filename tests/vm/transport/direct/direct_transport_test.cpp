// Transport direct between tasks of one process, over the loopback interface, without daemons.
#include "vm/transport/direct/direct_transport.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "support/deadline.hpp"
#include "support/packet_recorder.hpp"
#include "support/refused_calls.hpp"
#include "vm/net/address.hpp"
#include "vm/net/poller.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using namespace nasvm::test;

namespace {

/// Some tasks of one thread, which one poller serves.
struct Tasks {
  struct Task {
    PacketRecorder recorder;
    std::unique_ptr<Transport> transport;
  };

  explicit Tasks(int size, const net::Redial::Options& options = {}) : redial(options) {
    for (Rank rank = 0; rank < size; ++rank) {
      tasks.push_back(std::make_unique<Task>());
      tasks.back()->transport = make(rank, std::byte{42});
      members.push_back({tid_of(rank), "host", {{"direct", tasks.back()->transport->descriptor()}}});
    }
  }
  static Tid tid_of(Rank rank) { return Tid::task(1, rank + 1); }

  std::unique_ptr<Transport> make(Rank rank, std::byte secret) {
    TransportContext context;
    context.self = tid_of(rank);
    context.rank = rank;
    context.size = 4;
    context.address = "127.0.0.1";
    context.secret.fill(secret);
    context.poller = &poller;
    context.handler = &recorder(rank);
    return make_direct_transport(context, redial);
  }
  void meet() {
    for (const auto& task : tasks) task->transport->meet(members);
  }
  Transport& operator[](Rank rank) { return *tasks[static_cast<std::size_t>(rank)]->transport; }
  PacketRecorder& recorder(Rank rank) { return tasks[static_cast<std::size_t>(rank)]->recorder; }
  [[nodiscard]] std::size_t arrived(Rank rank) { return recorder(rank).arrived.size(); }

  /// Serves all until `done`; false when nothing comes any more.
  template <typename Done>
  bool until(Done done) {
    while (!done()) {
      if (poller.wait(std::chrono::seconds(10)) == 0) break;
    }
    return done();
  }

  net::Redial::Options redial;
  net::Poller poller;
  std::vector<std::unique_ptr<Task>> tasks;
  std::vector<Member> members;
};

/// Three, of which the first has a connection to each of the others.
struct ConnectedTasks : Tasks {
  ConnectedTasks() : Tasks(3) {
    meet();
    (*this)[0].send(1, first);
    (*this)[0].send(2, second);
    REQUIRE(until([&] { return arrived(1) == 1 && arrived(2) == 1; }));
  }
  /// That one ends, as the first notices.
  void lose(Rank rank) {
    tasks[static_cast<std::size_t>(rank)]->transport.reset();
    while ((*this)[0].poll(rank)) {
    }
  }
  OwnPacket first{pattern(8)}, second{pattern(8)};
};

}  // namespace

TEST_CASE("packets of every length arrive directly, once, whole and in order", "[direct]") {
  Tasks tasks(2);
  tasks.meet();
  CHECK(tasks[0].why_not(1).empty());
  CHECK(tasks[0].memory_path() == nullptr);
  std::vector<std::unique_ptr<OwnPacket>> packets;
  for (const std::size_t bytes : {0U, 1U, 64U, 40'000U, 3'000'000U, 8U}) {
    const auto tag = static_cast<int>(packets.size());
    packets.push_back(std::make_unique<OwnPacket>(pattern(bytes, static_cast<unsigned>(tag)), tag));
    tasks[0].send(1, *packets.back());
  }
  REQUIRE(tasks.until([&] { return tasks.arrived(1) == packets.size(); }));
  for (std::size_t i = 0; i < packets.size(); ++i) {
    CHECK(tasks.recorder(1).arrived[i].envelope.tag == static_cast<int>(i));
    CHECK(tasks.recorder(1).arrived[i].payload == packets[i]->bytes);
  }
  CHECK(tasks.recorder(0).sent.size() == packets.size());
}

TEST_CASE("an answer takes the connection that the question has made", "[direct]") {
  Tasks tasks(2);
  tasks.meet();
  OwnPacket question(pattern(10)), answer(pattern(20));
  tasks[0].send(1, question);
  REQUIRE(tasks.until([&] { return tasks.arrived(1) == 1; }));
  tasks[1].send(0, answer);
  REQUIRE(tasks.until([&] { return tasks.arrived(0) == 1; }));
  CHECK(tasks.recorder(0).arrived[0].payload == answer.bytes);
}

TEST_CASE("two tasks that connect to each other at once lose nothing and keep the order", "[direct]") {
  Tasks tasks(2);
  tasks.meet();
  constexpr int count = 20;
  std::vector<std::unique_ptr<OwnPacket>> packets;
  for (int tag = 0; tag < count; ++tag) {
    for (const Rank from : {0, 1}) {
      packets.push_back(std::make_unique<OwnPacket>(pattern(100), tag));
      tasks[from].send(1 - from, *packets.back());
    }
  }
  REQUIRE(tasks.until([&] { return tasks.arrived(0) == count && tasks.arrived(1) == count; }));
  for (const Rank rank : {0, 1}) {
    for (int tag = 0; tag < count; ++tag) {
      CHECK(tasks.recorder(rank).arrived[static_cast<std::size_t>(tag)].envelope.tag == tag);
    }
  }
}

TEST_CASE("each task of several reaches each other one", "[direct]") {
  Tasks tasks(4);
  tasks.meet();
  std::vector<std::unique_ptr<OwnPacket>> packets;
  for (Rank from = 0; from < 4; ++from) {
    for (Rank to = 0; to < 4; ++to) {
      if (from == to) continue;
      packets.push_back(std::make_unique<OwnPacket>(pattern(8), from));
      tasks[from].send(to, *packets.back());
    }
  }
  REQUIRE(tasks.until([&] {
    return std::ranges::all_of(tasks.tasks, [](const auto& task) { return task->recorder.arrived.size() == 3; });
  }));
}

TEST_CASE("a look at the awaited peer finds its packet without the poller", "[direct]") {
  Tasks tasks(2);
  tasks.meet();
  OwnPacket first(pattern(8)), second(pattern(8), 1);
  tasks[0].send(1, first);
  REQUIRE(tasks.until([&] { return tasks.arrived(1) == 1; }));
  CHECK_FALSE(tasks[1].poll(0));
  CHECK_FALSE(tasks[1].poll(any_source));
  tasks[0].send(1, second);
  while (!tasks[1].poll(0)) {
  }
  CHECK(tasks.arrived(1) == 2);
}

TEST_CASE("a task that does not listen cannot be reached directly", "[direct]") {
  Tasks tasks(2);
  tasks.members[1].descriptors.clear();
  tasks.meet();
  CHECK_FALSE(tasks[0].why_not(1).empty());
  OwnPacket packet(pattern(8));
  CHECK_THROWS_AS(tasks[0].send(1, packet), RunError);
}

TEST_CASE("a task needs descriptors for the peers that it is to reach directly, not for all", "[direct]") {
  const int status = status_in_child([] {
    const rlimit few{96, 96};  // of the 97 that four peers need
    if (::setrlimit(RLIMIT_NOFILE, &few) != 0) return 1;
    Tasks tasks(1);
    tasks[0].expect_peers(3);
    try {
      tasks[0].expect_peers(4);
    } catch (const RunError& error) {
      return std::string(error.what()).find("97 file descriptors for 4 peers") != std::string::npos ? 0 : 2;
    }
    return 3;
  });
  CHECK(status == 0);
}

TEST_CASE("strangers and garbage do not keep direct messages from arriving", "[direct]") {
  Tasks tasks(2);
  tasks.meet();
  const auto address = net::parse_address(tasks[1].descriptor());
  const net::Fd silent = net::start_connecting(address);
  const net::Fd loud = net::start_connecting(address);
  const auto garbage = pattern(200);
  REQUIRE(::send(loud.get(), garbage.data(), garbage.size(), MSG_NOSIGNAL) == 200);
  OwnPacket packet(pattern(8));
  tasks[0].send(1, packet);
  REQUIRE(tasks.until([&] { return tasks.arrived(1) == 1; }));
  CHECK(tasks.recorder(1).arrived[0].payload == packet.bytes);
}

TEST_CASE("a task without the secret gets no message in", "[direct]") {
  Tasks tasks(2, {.patience = std::chrono::seconds(0), .least_attempts = 2});
  tasks.tasks[0]->transport = tasks.make(0, std::byte{1});
  tasks.members[0].descriptors["direct"] = tasks[0].descriptor();
  tasks.meet();
  OwnPacket packet(pattern(8));
  tasks[0].send(1, packet);
  // Both sides find out and give up; then the sender, whom nobody admits, has lost its peer.
  CHECK_THROWS_AS(tasks.until([&] { return tasks.arrived(1) == 1; }), RunError);
  CHECK(tasks.arrived(1) == 0);
}

TEST_CASE("a connection that was pushed out in the handshake is made again", "[direct]") {
  const Rank sender = GENERATE(0, 1);
  CAPTURE(sender);
  const Rank receiver = 1 - sender;
  Tasks tasks(2);
  // Its place is taken by somebody who closes the first connections in the middle of the handshake.
  const net::Fd impostor = net::listen_on("127.0.0.1", 8);
  const std::string right = tasks.members[static_cast<std::size_t>(receiver)].descriptors["direct"];
  tasks.members[static_cast<std::size_t>(receiver)].descriptors["direct"] =
      net::to_string(net::local_address(impostor.get()));
  tasks.meet();
  OwnPacket packet(pattern(8)), next(pattern(9));
  tasks[sender].send(receiver, packet);
  tasks[sender].send(receiver, next);
  int pushed_out = 0;
  REQUIRE(tasks.until([&] {
    const net::Fd accepted(::accept4(impostor.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (accepted) ++pushed_out;
    return pushed_out == 3;
  }));
  // The receiver itself sends meanwhile, and has the right address: its connection serves both.
  OwnPacket answer(pattern(10));
  tasks[receiver].send(sender, answer);
  REQUIRE(tasks.until([&] { return tasks.arrived(receiver) == 2 && tasks.arrived(sender) == 1; }));
  CHECK(tasks.recorder(receiver).arrived[0].payload == packet.bytes);
  CHECK(tasks.recorder(receiver).arrived[1].payload == next.bytes);
}

TEST_CASE("a peer that pushes out every connection is reported in the end", "[direct]") {
  const Rank sender = GENERATE(0, 1);
  CAPTURE(sender);
  const Rank receiver = 1 - sender;
  Tasks tasks(2, {.patience = std::chrono::seconds(0), .least_attempts = 3});
  const net::Fd impostor = net::listen_on("127.0.0.1", 8);
  tasks.members[static_cast<std::size_t>(receiver)].descriptors["direct"] =
      net::to_string(net::local_address(impostor.get()));
  tasks.meet();
  OwnPacket packet(pattern(8));
  tasks[sender].send(receiver, packet);
  const auto push_out = [&] {
    (void)net::Fd(::accept4(impostor.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    return false;
  };
  CHECK_THROWS_WITH(tasks.until(push_out), Catch::Contains("lost the connection to rank"));
}

TEST_CASE("a peer whose system lets no connection come about is reported in the end", "[direct]") {
  constexpr auto at_most = std::chrono::milliseconds(1);
  Tasks tasks(2, {.first_connect = at_most,
                  .longest_connect = at_most,
                  .patience = std::chrono::seconds(0),
                  .least_attempts = 3});
  // Whoever comes when a listener's queue is full gets no answer.
  const net::Fd full = net::listen_on("127.0.0.1", 0);
  const net::SocketAddress address = net::local_address(full.get());
  std::vector<net::Fd> before;
  for (int i = 0; i < 3; ++i) before.push_back(net::start_connecting(address));
  tasks.members[1].descriptors["direct"] = net::to_string(address);
  tasks.meet();
  OwnPacket packet(pattern(8));
  tasks[0].send(1, packet);
  CHECK_THROWS_WITH(tasks.until([] { return false; }),
                    Catch::Contains("lost the connection to rank 1") && Catch::Contains("it does not answer"));
}

namespace {

/// A process that opens silent connections to some addresses without end, and keeps `most` of them.
class Flood {
 public:
  Flood(const std::vector<std::string>& addresses, std::size_t most) : child_(::fork()) {
    if (child_ == 0) run(addresses, most);
  }
  ~Flood() {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  Flood(const Flood&) = delete;
  Flood& operator=(const Flood&) = delete;

 private:
  [[noreturn]] static void run(const std::vector<std::string>& addresses, std::size_t most) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::deque<net::Fd> open;
    for (std::size_t i = 0;; ++i) {
      try {
        open.push_back(net::start_connecting(net::parse_address(addresses[i % addresses.size()])));
      } catch (const RunError&) {
        open.clear();  // out of ports or descriptors, or the listener is gone
      }
      if (open.size() > most) open.pop_front();
    }
  }

  pid_t child_;
};

}  // namespace

TEST_CASE("a flood of silent connections loses no direct message", "[direct][heavy]") {
  for (int round = 0; round < 20; ++round) {
    Tasks tasks(3);
    std::vector<std::string> addresses;
    for (const Member& member : tasks.members) addresses.push_back(member.descriptors.find("direct")->second);
    const Flood flood(addresses, 900);
    tasks.meet();
    std::vector<std::unique_ptr<OwnPacket>> packets;
    for (Rank from = 0; from < 3; ++from) {
      for (Rank to = 0; to < 3; ++to) {
        // Let it get at the listeners first.
        for (int i = 0; i < 20; ++i) (void)tasks.poller.wait(test::deadline_length());
        if (from == to) continue;
        packets.push_back(std::make_unique<OwnPacket>(pattern(8), from));
        tasks[from].send(to, *packets.back());
      }
    }
    REQUIRE(tasks.until([&] {
      return std::ranges::all_of(tasks.tasks, [](const auto& task) { return task->recorder.arrived.size() == 2; });
    }));
  }
}

TEST_CASE("a task whose peer has vanished says so, after the console had time to", "[direct]") {
  Tasks tasks(2);
  tasks.meet();
  OwnPacket packet(pattern(8));
  tasks[0].send(1, packet);
  REQUIRE(tasks.until([&] { return tasks.arrived(1) == 1; }));
  tasks.tasks[1]->transport.reset();
  CHECK_THROWS_WITH(tasks.until([] { return false; }), Catch::Contains("lost the connection to rank 1"));
}

TEST_CASE("a peer that leaves at the end of the program is not missed", "[direct]") {
  Tasks tasks(2);
  tasks.meet();
  OwnPacket packet(pattern(8));
  tasks[0].send(1, packet);
  REQUIRE(tasks.until([&] { return tasks.arrived(1) == 1; }));
  for (const Rank rank : {0, 1}) tasks[rank].expect_departures();
  tasks.tasks[1]->transport.reset();
  while (tasks[0].poll(1)) {
  }
  CHECK_NOTHROW(tasks.poller.wait(std::chrono::nanoseconds(0)));
}

TEST_CASE("a peer that was never reached is missed at the end of the program as well", "[direct]") {
  Tasks tasks(2, {.patience = std::chrono::seconds(0), .least_attempts = 2});
  {
    const net::Fd closed = net::listen_on("127.0.0.1", 8);
    tasks.members[1].descriptors["direct"] = net::to_string(net::local_address(closed.get()));
  }
  tasks.meet();
  for (const Rank rank : {0, 1}) tasks[rank].expect_departures();
  OwnPacket packet(pattern(8));
  tasks[0].send(1, packet);
  CHECK_THROWS_WITH(tasks.until([] { return false; }),
                    Catch::Contains("lost the connection to rank 1") && Catch::Contains("Connection refused"));
}

TEST_CASE("a peer whose end the machine reports is not missed, and what waits for it is given up", "[direct]") {
  const bool clean = GENERATE(true, false);
  const bool reported_first = GENERATE(true, false);
  Tasks tasks(3);
  tasks.meet();
  OwnPacket packet(pattern(8)), other(pattern(8)), never_connected(pattern(8)), too_long(pattern(64U << 20));
  tasks[0].send(1, packet);
  REQUIRE(tasks.until([&] { return tasks.arrived(1) == 1; }));
  tasks[0].send(1, too_long);
  tasks[0].send(2, never_connected);
  REQUIRE(tasks.recorder(0).sent.size() == 1);
  const auto report = [&] {
    for (const Rank rank : {1, 2}) tasks[0].forget(Tasks::tid_of(rank), clean);
  };
  if (reported_first) report();
  for (const std::size_t rank : {1U, 2U}) tasks.tasks[rank]->transport.reset();
  while (tasks[0].poll(1)) {
  }
  if (!reported_first) report();
  CHECK(tasks.recorder(0).sent.size() == 3);
  CHECK_NOTHROW(tasks.poller.wait(std::chrono::nanoseconds(0)));
}

TEST_CASE("the loss of one peer is reported although another one's was none", "[direct]") {
  ConnectedTasks tasks;
  for (const Rank rank : {1, 2}) tasks.lose(rank);
  tasks[0].forget(Tasks::tid_of(1), false);
  CHECK_THROWS_WITH(tasks.until([] { return false; }), Catch::Contains("lost the connection to rank 2"));
}

TEST_CASE("each loss is reported once, to those who go on too", "[direct]") {
  ConnectedTasks tasks;
  for (const Rank rank : {1, 2}) tasks.lose(rank);
  CHECK_THROWS_WITH(tasks.until([] { return false; }), Catch::Contains("lost the connection to rank 1"));
  CHECK_THROWS_WITH(tasks.until([] { return false; }), Catch::Contains("lost the connection to rank 2"));
}

TEST_CASE("each loss has its own time to be explained", "[direct]") {
  ConnectedTasks tasks;
  using Clock = std::chrono::steady_clock;
  tasks.lose(1);
  const auto first_lost = Clock::now();
  while (Clock::now() - first_lost < std::chrono::milliseconds(20)) {
    (void)tasks.poller.wait(std::chrono::milliseconds(1));
  }
  const auto second_lost = Clock::now();
  tasks.lose(2);
  tasks[0].forget(Tasks::tid_of(1), false);
  CHECK_THROWS_WITH(tasks.until([] { return false; }), Catch::Contains("lost the connection to rank 2"));
  CHECK(Clock::now() - second_lost >= std::chrono::seconds(3));
}

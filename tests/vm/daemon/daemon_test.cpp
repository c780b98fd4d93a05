/// A daemon as a process, with the test as its console.

#include "vm/daemon/daemon.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <set>
#include <thread>

#include "support/core_limit.hpp"
#include "support/deadline.hpp"
#include "support/packet_recorder.hpp"
#include "support/process.hpp"
#include "support/skip.hpp"
#include "vm/daemon/host_port.hpp"
#include "vm/launch/launcher.hpp"
#include "vm/launch/machine.hpp"
#include "vm/link/links.hpp"
#include "vm/net/acceptor.hpp"
#include "vm/net/address.hpp"
#include "vm/process/start.hpp"
#include "vm/protocol/protocol.hpp"
#include "vm/version.hpp"

using namespace nasvm;
using namespace nasvm::test;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

class Console final : public net::ConnectionOwner {
 public:
  /// `error`: the daemon's standard error.
  explicit Console(int error = STDERR_FILENO, int host = 1) {
    acceptor_.start();
    const protocol::Bootstrap bootstrap{.version = std::string(build_version()),
                                        .console = acceptor_.address(),
                                        .secret = to_hex(secret_),
                                        .interface = {},
                                        .rank_variable = {},
                                        .hosts = {{host, "here", "127.0.0.1"}}};
    daemon =
        process::start({.program = daemon_program(), .input = protocol::to_text(bootstrap) + "\n", .error = error});
    hello = expect<protocol::Hello>();
    REQUIRE(hello.host == host);
  }
  ~Console() override { daemon.kill(); }

  bool admits(net::Connection&, Tid) override { return true; }
  void established(net::Connection& connection) override { connection_ = acceptor_.take(connection); }
  void lost(net::Connection& connection, const std::string&) override { acceptor_.drop(connection); }

  void send_text(std::string_view text) {
    connection_->send_copy(protocol::control_envelope(Tid::console(), Tid::daemon(hello.host), text.size()),
                           std::as_bytes(std::span(text)));
  }
  void send(const protocol::Message& message) { send_text(protocol::to_text(message)); }
  /// Waits for the daemon's next message.
  template <typename Expected>
  Expected expect() {
    wait_until([this] { return recorder_.arrived.size() > heard_; });
    REQUIRE(recorder_.arrived.size() > heard_);
    return protocol::expect<Expected>(protocol::parse(recorder_.arrived[heard_++].payload));
  }
  void wait_until(const std::function<bool()>& done) {
    for (Deadline deadline; !done() && !deadline.passed();) (void)poller_.wait(10ms);
  }

  [[nodiscard]] const Secret& secret() const { return secret_; }

  process::Child daemon;
  protocol::Hello hello;

 private:
  net::Poller poller_;
  Secret secret_ = make_secret();
  PacketRecorder recorder_;
  std::size_t heard_ = 0;
  std::unique_ptr<net::Connection> connection_;
  net::Acceptor acceptor_{"127.0.0.1", 1,     {secret_, Tid::console(), protocol::control_connection},
                          poller_,     *this, recorder_};
};

}  // namespace

TEST_CASE("a daemon refuses what it cannot read or does not expect, says so, and goes on", "[daemon]") {
  struct Case {
    const char* text;
    const char* expected;
  };
  Console console;
  for (const auto& [text, expected] : {
           Case{"", "not a JSON object"},
           Case{"{\"type\": \"hosts\", \"hosts\": [{\"host\": 2", "not a JSON object"},
           Case{"{\"type\": \"pigeon\"}", "\"pigeon\" is not known"},
           Case{"{\"type\": \"spawn\"}", "spawn.program: missing"},
           Case{"{\"type\": \"pong\"}", "\"pong\" has come where it is not expected"},
       }) {
    CAPTURE(text);
    console.send_text(text);
    const auto failed = console.expect<protocol::Failed>();
    CHECK(failed.tid == Tid::daemon(1));
    CHECK_THAT(failed.text, Contains(expected));
    console.send(protocol::Ping{});
    console.expect<protocol::Pong>();
  }
  console.send(protocol::Kill{});
  console.expect<protocol::Killed>();
  console.send(protocol::Halt{});
  console.wait_until([&] { return console.daemon.ended().has_value(); });
  CHECK(console.daemon.ended() == 0);
}

TEST_CASE("a daemon meets hosts that come later, and forgets those that go", "[daemon]") {
  Console console;
  protocol::Hosts hosts{{{1, "here", "127.0.0.1", console.hello.udp_port}, {2, "there", "127.0.0.2", 4000}}};
  console.send(hosts);
  hosts.hosts.push_back({3, "far", "127.0.0.3", 4000});
  console.send(hosts);
  for (const int host : {2, 2, 9, 1}) console.send(protocol::Forget{host});
  console.send(protocol::Ping{});
  console.expect<protocol::Pong>();  // and no complaint before it
}

TEST_CASE("a daemon tells of a host that it has no way to, and meets the others", "[daemon]") {
  const int own = GENERATE(1, 9);
  Console console(STDERR_FILENO, own);
  link::Links far("127.0.0.2", console.secret(), 3, {});
  far.add_peer(static_cast<std::uint16_t>(own), net::make_address("127.0.0.1", console.hello.udp_port));
  console.send(protocol::Hosts{{{2, "nowhere", "x", 4000}, {3, "far", "127.0.0.2", far.address().port()}}});
  const auto lost = console.expect<protocol::Lost>();
  CHECK(lost.host == std::max(2, own));  // who came later
  CHECK_THAT(lost.text, Contains("host here cannot talk to host nowhere: \"x\" is not"));
  const auto& heard = far.channel(static_cast<std::uint16_t>(own))->stats().datagrams_received;
  console.wait_until([&] {
    (void)far.receive(link::TimePoint::clock::now());
    return heard > 0;
  });
  CHECK(heard > 0);
}

TEST_CASE("a daemon refuses what a task of another host tells it, and says so", "[daemon]") {
  Console console;
  link::Links far("127.0.0.2", console.secret(), 2, {});
  link::Channel& channel = far.add_peer(1, net::make_address("127.0.0.1", console.hello.udp_port));
  console.send(protocol::Hosts{
      {{1, "here", "127.0.0.1", console.hello.udp_port}, {2, "far", "127.0.0.2", far.address().port()}}});
  console.send(protocol::Ping{});
  console.expect<protocol::Pong>();  // it has met the other host
  const std::string text = protocol::to_text(protocol::Done{});
  const Envelope envelope = protocol::control_envelope(Tid::task(2, 1), Tid::daemon(1), text.size());
  channel.write(std::as_bytes(std::span(&envelope, 1)));
  channel.write(std::as_bytes(std::span(text)));
  console.wait_until([&] {
    const auto now = link::TimePoint::clock::now();
    far.transmit(now);
    (void)far.receive(now);
    return channel.idle();
  });
  const auto failed = console.expect<protocol::Failed>();
  CHECK(failed.tid == Tid::daemon(1));
  CHECK_THAT(failed.text, Contains("\"done\" has come where it is not expected"));
}

TEST_CASE("a daemon that has been paused gives silent hosts their time anew", "[daemon]") {
  Console console;
  link::Links far("127.0.0.2", console.secret(), 2, {});
  far.add_peer(1, net::make_address("127.0.0.1", console.hello.udp_port));
  console.send(protocol::Hosts{
      {{1, "here", "127.0.0.1", console.hello.udp_port}, {2, "far", "127.0.0.2", far.address().port()}}});
  // The daemon asks for a sign of life, and is frozen before the other one, as frozen, has answered.
  console.wait_until([&] {
    (void)far.receive(link::TimePoint::clock::now());
    return far.channel(1)->stats().datagrams_received > 0;
  });
  REQUIRE(far.channel(1)->stats().datagrams_received > 0);
  const auto asked = link::TimePoint::clock::now();
  console.daemon.signal(SIGSTOP);
  REQUIRE(eventually([&] { return console.daemon.is_stopped(); }));
  std::this_thread::sleep_until(asked + nasvm::daemon::silence_limit + 100ms);
  console.daemon.signal(SIGCONT);
  console.send(protocol::Ping{});
  console.expect<protocol::Pong>();
  // It has looked at its hosts between the two.
  console.send(protocol::Ping{});
  console.expect<protocol::Pong>();
}

TEST_CASE("of tasks whose program is not there each is told of, and the daemon goes on", "[daemon]") {
  Console console;
  protocol::Spawn spawn;
  spawn.program = "/nowhere/program";
  spawn.size = 2;
  spawn.tasks = {{Tid::task(1, 1), 0}, {Tid::task(1, 2), 1}};
  console.send(spawn);
  for (const int local : {1, 2}) {
    const auto refused = console.expect<protocol::NotStarted>();
    CHECK(refused.tid == Tid::task(1, local));
    CHECK(refused.exit == Exit::broken);
    CHECK(refused.text == "cannot run /nowhere/program: No such file or directory");
  }
  console.send(protocol::Ping{});
  console.expect<protocol::Pong>();
}

TEST_CASE("a daemon tells at its end what others have sent to its port", "[daemon]") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  const net::Fd out(ends[0]);
  net::Fd in(ends[1]);
  const auto sent = GENERATE(0, 3);
  Console console(in.get());
  in.reset();
  const net::Fd stranger(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const net::SocketAddress port = net::make_address("127.0.0.1", console.hello.udp_port);
  for (int i = 0; i < sent; ++i) {
    REQUIRE(::sendto(stranger.get(), "garbage", 7, 0, port.get(), port.size()) == 7);
  }
  console.send(protocol::Halt{});
  console.wait_until([&] { return console.daemon.ended().has_value(); });
  REQUIRE(console.daemon.ended().has_value());
  std::string text(1000, '\0');
  text.resize(static_cast<std::size_t>(::read(out.get(), text.data(), text.size())));
  const std::string expected =
      "nasvmd: host here: 3 datagrams dropped: 3 not of this machine, 0 of a host that it does not have\n";
  CHECK(text == (sent == 0 ? "" : expected));
}

TEST_CASE("a daemon that is started by hand says which build it is, and what it misses", "[daemon]") {
  CHECK(run_process(daemon_program(), {"--version"}).out == "nasvmd " + std::string(build_version()) + "\n");
  const ProcessResult result = run_process("/bin/sh", {"-c", "exec \"$0\" </dev/null", daemon_program()});
  CHECK(result.exit_status == 2);
  CHECK_THAT(result.err, Contains("but that was empty: does the remote shell (ssh -n)"));
}

TEST_CASE("a daemon tells of every host that does not answer, each once", "[daemon]") {
  Console console;
  // There is nobody at these ports.
  console.send(protocol::Hosts{{{2, "left", "127.0.0.2", 4000}, {3, "right", "127.0.0.3", 4000}}});
  std::set<int> lost;
  for (Deadline deadline; lost.size() < 2 && !deadline.passed();) lost.insert(console.expect<protocol::Lost>().host);
  CHECK(lost == std::set{2, 3});
  console.send(protocol::Ping{});
  console.expect<protocol::Pong>();
}

TEST_CASE("a daemon leaves no core dump, unless its user wants it to", "[daemon]") {
  const CoreDumps dumps = GENERATE(CoreDumps::unwanted, CoreDumps::wanted);
  const CoreDumpSetting setting(dumps);
  if (setting.hard_limit() <= 1) return skip("core dumps are forbidden here");
  const Console console;
  CHECK(core_limit(console.daemon.pid()) == (dumps == CoreDumps::wanted ? setting.hard_limit() : 1));
}

TEST_CASE("a task that sends its daemon what is no packet ends the run with a line that names it", "[daemon]") {
  Machine::Program program;
  program.path = "/bin/bash";
  program.arguments = {"-c", "head -c 200 /dev/zero >&$NASVM_TASK_FD; sleep 1000"};
  program.size = 2;
  Machine machine({});
  CHECK_THROWS_WITH(machine.run(program), Contains("rank ") && Contains("is not a packet"));
}

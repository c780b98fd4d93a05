#pragma once
/// \file
/// A kept machine with its keeper, its daemons under loopback addresses, and clients of all kinds.

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "support/process.hpp"
#include "vm/keeper/keeper.hpp"
#include "vm/keeper/kept_machine.hpp"
#include "vm/keeper/runtime_fixture.hpp"
#include "vm/net/connection.hpp"
#include "vm/protocol/protocol.hpp"
#include "vm/status.hpp"

namespace nasvm::test {

using keeper::HostState;
using keeper::KeptMachine;
using keeper::RuntimeFolder;

inline HostSpec local_host(int number) {
  const std::string address = "127.0.0." + std::to_string(number);
  return {address, address, 1};
}

/// A machine "work" of some hosts, which leaves nothing behind.
struct Fixture {
  explicit Fixture(int hosts = 2) {
    options.hosts.clear();
    for (int number = 1; number <= hosts; ++number) options.hosts.push_back(local_host(number));
    keeper::start_machine("work", options);
    KeptMachine machine("work");
    keeper_pid = static_cast<pid_t>(machine.state().pid);
    for (const HostState& host : machine.state().hosts) daemons.push_back(static_cast<pid_t>(host.facts.pid));
  }
  ~Fixture() {
    if (is_running(keeper_pid)) (void)keeper::stop_machine("work");
    CHECK(eventually([&] { return all_gone(); }));
    CHECK(runtime.is_empty());
  }
  Fixture(const Fixture&) = delete;
  Fixture& operator=(const Fixture&) = delete;

  [[nodiscard]] bool all_gone() const { return !is_running(keeper_pid) && std::ranges::none_of(daemons, is_running); }

  RuntimeFixture runtime;
  Machine::Options options;
  pid_t keeper_pid = 0;
  std::vector<pid_t> daemons;
};

/// A process with a client of its own, in which `body` runs.
template <typename Body>
pid_t in_another_process(Body body) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  try {
    body();
    ::_exit(0);
  } catch (const Error& error) {
    ::_exit(static_cast<int>(error.exit_status()));
  } catch (...) {
    ::_exit(99);
  }
}

inline int status_of(pid_t process) {
  int status = 0;
  REQUIRE(::waitpid(process, &status, 0) == process);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

inline std::size_t hosts_up(const std::string& name) { return keeper::hosts_of(KeptMachine(name).state()).size(); }
inline std::size_t jobs_of(const std::string& name) { return KeptMachine(name).state().jobs.size(); }

/// A client that says what it likes.
class PlainClient final : public net::ConnectionOwner, public net::PacketHandler {
 public:
  explicit PlainClient(const RuntimeFolder& folder)
      : connection_(folder.connect(), net::Connection::Origin::connecting,
                    {folder.read_secret(), self, keeper::keeper_connection, keeper::keeper_tid}, poller_, *this,
                    *this) {
    REQUIRE(eventually([&] { return poll() && connection_.is_established(); }));
  }
  /// Says something, and reads nothing.
  void say(const keeper::Message& message) {
    const std::string text = keeper::to_text(message);
    connection_.send_copy(protocol::control_envelope(self, keeper::keeper_tid, text.size()),
                          std::as_bytes(std::span(text)));
  }
  keeper::Message answer_to(const keeper::Message& message) {
    say(message);
    return next_answer();
  }
  /// The last of what has come meanwhile.
  keeper::Message next_answer() {
    has_answer_ = false;
    REQUIRE(eventually([&] { return poll() && has_answer_; }));
    return keeper::parse(packet_);
  }

  bool admits(net::Connection&, Tid) override { return false; }
  void established(net::Connection&) override {}
  void lost(net::Connection&, const std::string&) override {}
  net::Landing begin_packet(const Envelope& envelope) override {
    packet_.resize(envelope.payload_bytes);
    return {net::Landing::Verdict::take, packet_.data(), nullptr};
  }
  void end_packet(const Envelope&, const net::Landing&) override { has_answer_ = true; }
  void packet_sent(net::Packet&) override {}

 private:
  static constexpr Tid self{1U << 30 | 7};

  bool poll() { return poller_.wait(std::chrono::milliseconds(10)) >= 0; }

  net::Poller poller_;
  std::vector<std::byte> packet_;
  bool has_answer_ = false;
  net::Connection connection_;
};

}  // namespace nasvm::test

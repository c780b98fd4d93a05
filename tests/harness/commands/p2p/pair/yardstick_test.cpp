#include "harness/commands/p2p/pair/yardstick.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <vector>

#include <sys/socket.h>
#include <unistd.h>

#include "harness/commands/p2p/pair/measure.hpp"
#include "harness/commands/p2p/pair/socket_channel.hpp"
#include "support/thread_machine.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using test::run_ranks;

TEST_CASE("yardstick: each connects two tasks and carries data of every length unchanged") {
  for (const Yardstick& yardstick : yardsticks()) {
    CAPTURE(yardstick.name);
    run_ranks(2, [&](Comm& comm) {
      const auto channel = yardstick.open(comm, "127.0.0.1");
      const Effort effort{.iterations = 3, .warmup = 1, .window = 2, .check_data = true, .sample_time_s = 1};
      Meter meter(*channel, comm.rank() == 0 ? Side::leader : Side::follower, effort, 3'000'000);
      for (const std::uint64_t bytes : {1, 1000, 3'000'000}) {
        if (meter.measure(bytes).data != DataCheck::passed) throw RunError("wrong data");
      }
      if (!meter.complaints().empty()) throw RunError(meter.complaints().front());
    });
  }
}

TEST_CASE("yardstick: an address that is none is an error") {
  run_ranks(1, [](Comm& comm) {
    CHECK_THROWS_AS(find_yardstick("raw-tcp")->open(comm, "nowhere"), RunError);
    CHECK_THROWS_AS(find_yardstick("raw-tcp")->open(comm, "192.0.2.1"), RunError);  // not of this host
  });
}

TEST_CASE("yardstick: is found by its name only") {
  CHECK(find_yardstick("raw-tcp") != nullptr);
  CHECK(find_yardstick("raw") == nullptr);
  CHECK(find_yardstick("") == nullptr);
}

TEST_CASE("socket channel: a peer that has gone is an error, whichever way it is waited for") {
  for (const Waiting waiting : {Waiting::block, Waiting::spin}) {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
    ::close(ends[1]);
    SocketChannel channel(Socket{ends[0]}, waiting);
    std::vector<std::byte> data(8);
    CHECK_THROWS_AS(channel.recv(data), RunError);
    CHECK_THROWS_AS(channel.send(data), RunError);
    const Burst burst{data.data(), data.size(), 0, 2};
    CHECK_THROWS_AS(channel.exchange_bursts(burst, burst), RunError);
  }
}

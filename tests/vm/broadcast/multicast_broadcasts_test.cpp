#include "vm/broadcast/multicast_broadcasts.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <thread>

#include "support/packet_recorder.hpp"
#include "support/skip.hpp"
#include "support/thread_machine.hpp"
#include "vm/multicast/wire/group_seal.hpp"
#include "vm/net/address.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using namespace nasvm::test;
using multicast::Broadcasts;
using multicast::Surroundings;

namespace {

/// Six tasks on three hosts, not in their order.
const std::vector<int> hosts{1, 2, 1, 3, 3, 2};

Surroundings here() { return {.hosts = hosts}; }

}  // namespace

TEST_CASE("broadcasts by multicast reach every task from every root", "[broadcast]") {
  const auto message = pattern(100'000);
  run_ranks(6, [&](Comm& comm) {
    Broadcasts method(here(), "fanout");
    comm.use_for_broadcasts(&method);
    for (const Rank root : {0, 4, 0, 5}) {
      std::vector<std::byte> data = comm.rank() == root ? message : std::vector<std::byte>(message.size());
      comm.broadcast(data, root);
      if (data != message) throw RunError("wrong data at " + std::to_string(comm.rank()));
    }
    method.forget(comm);
    comm.use_for_broadcasts(nullptr);
  });
}

TEST_CASE("a broadcast by multicast counts as one message from the root to each receiver", "[broadcast]") {
  std::vector<Counters> counters(6);
  run_ranks(6, [&](Comm& comm) {
    Broadcasts method(here(), "fanout");
    comm.use_for_broadcasts(&method);
    std::vector<double> data(1000);
    comm.broadcast(data, 2);
    counters[static_cast<std::size_t>(comm.rank())] = comm.counters();
    method.forget(comm);
    comm.use_for_broadcasts(nullptr);
  });
  for (std::size_t rank = 0; rank < counters.size(); ++rank) {
    const PeerCounters sum = counters[rank].total();
    CHECK(sum.messages_sent == (rank == 2 ? 5U : 0U));
    CHECK(sum.bytes_sent == (rank == 2 ? 40'000U : 0U));
    CHECK(sum.messages_received == (rank == 2 ? 0U : 1U));
    CHECK(counters[rank].peers[2].bytes_received == (rank == 2 ? 0U : 8000U));
  }
}

TEST_CASE("roots count which way their broadcasts between hosts went", "[broadcast]") {
  const std::string protocol = GENERATE("fanout", "auto");
  std::vector<Counters> counters(6);
  run_ranks(6, [&](Comm& comm) {
    const std::vector<int> few{1, 1, 2, 2, 2, 1};
    // Multicast reaches nobody here: with the automatic choice all goes by messages.
    Broadcasts method({.hosts = protocol == "auto" ? few : hosts}, protocol);
    comm.use_for_broadcasts(&method);
    const auto on_host = comm.split(hosts[static_cast<std::size_t>(comm.rank())], 0);
    std::vector<double> data(1000);
    comm.broadcast(data, 2);
    const Counters before = comm.counters();
    for (int i = 0; i < 3; ++i) comm.broadcast(data, 2);
    comm.broadcast(data, 4);
    if (protocol == "fanout") on_host->broadcast(data, 0);
    counters[static_cast<std::size_t>(comm.rank())] = comm.counters() - before;
    method.forget(comm);
    method.forget(*on_host);
    comm.use_for_broadcasts(nullptr);
  });
  const std::string way = protocol == "auto" ? "messages" : "fanout";
  for (std::size_t rank = 0; rank < counters.size(); ++rank) {
    CAPTURE(rank);
    const auto& broadcasts = counters[rank].broadcasts;
    if (rank != 2 && rank != 4) {
      CHECK(broadcasts.empty());
      continue;
    }
    REQUIRE(broadcasts.size() == 1);
    CHECK(broadcasts.begin()->first == way);
    CHECK(broadcasts.begin()->second.broadcasts == (rank == 2 ? 3U : 1U));
    CHECK(broadcasts.begin()->second.bytes == (rank == 2 ? 24'000U : 8'000U));
  }
}

TEST_CASE("counts of ways that nothing took in a region are left out", "[broadcast]") {
  Counters before;
  before.broadcasts["nak"] = {3, 300};
  before.broadcasts["messages"] = {1, 8};
  Counters after = before;
  after.broadcasts["nak"] = {5, 700};
  const Counters region = after - before;
  REQUIRE(region.broadcasts.size() == 1);
  CHECK(region.broadcasts.at("nak").broadcasts == 2);
  CHECK(region.broadcasts.at("nak").bytes == 400);
}

TEST_CASE("multicast suits Comms of tasks on several hosts", "[broadcast]") {
  run_ranks(6, [](Comm& comm) {
    Broadcasts method(here(), "fanout");
    Broadcasts automatic(here(), "auto");
    const auto on_host = comm.split(hosts[static_cast<std::size_t>(comm.rank())], 0);
    const auto half = comm.split(comm.rank() < 3 ? 0 : 1, 0);  // two hosts each
    const bool right = method.suits(comm, 8) && !method.suits(comm, 0) && !method.suits(*on_host, 8) &&
                       method.suits(*half, 8) && automatic.suits(comm, 8192) && !automatic.suits(comm, 8) &&
                       !automatic.suits(*half, 8192);
    if (!right) throw RunError("suits");
  });
}

TEST_CASE("the automatic choice of a broadcast says why", "[broadcast]") {
  run_ranks(6, [](Comm& comm) {
    Broadcasts automatic(here(), "auto");
    const auto on_host = comm.split(hosts[static_cast<std::size_t>(comm.rank())], 0);
    const bool right = automatic.choice(comm, 0, 8192).protocol == "nak" &&
                       automatic.choice(comm, 0, 8).when == "short, two other hosts" &&
                       automatic.choice(*on_host, 0, 8192).when == "one host" && automatic.group(comm, 0) == nullptr;
    if (!right) throw RunError("choice");
  });
}

TEST_CASE("whom multicast does not reach is known by rank in the Comm, and options are the group's", "[broadcast]") {
  if (!net::is_local("::1")) return skip("no IPv6 on the loopback interface");
  const Secret secret = make_secret();
  std::vector<std::vector<Rank>> unreached(6);
  std::array<std::size_t, 2> packet_bytes{};
  for (const bool authenticated : {true, false}) {
    run_ranks(6, [&](Comm& comm) {
      net::Poller poller;
      // Multicast has no way over IPv6.
      const Surroundings by_ipv6{.hosts = hosts,
                                 .address = "::1",
                                 .secret = secret,
                                 .poller = &poller,
                                 .wait_until = [&](const std::function<bool()>& done, multicast::TimePoint deadline) {
                                   while (!done() && std::chrono::steady_clock::now() < deadline) {
                                     (void)poller.wait(std::chrono::nanoseconds(0));
                                     std::this_thread::yield();
                                   }
                                 }};
      Broadcasts method(by_ipv6, "auto", {.authenticated = authenticated});
      comm.use_for_broadcasts(&method);
      std::vector<std::byte> data(10'000);
      comm.broadcast(data, 0);
      unreached[static_cast<std::size_t>(comm.rank())] = method.unreached(comm, 0);
      if (comm.rank() == 0) packet_bytes[authenticated ? 0 : 1] = method.group(comm, 0)->facts().packet_bytes;
      comm.barrier();
      method.forget(comm);
      comm.use_for_broadcasts(nullptr);
    });
    // Known to the root and to the lowest rank of each other host.
    const std::vector<Rank> others{1, 3, 4, 5};
    for (const std::size_t rank : {0U, 1U, 3U}) CHECK(unreached[rank] == others);
    for (const std::size_t rank : {2U, 4U, 5U}) CHECK(unreached[rank].empty());
  }
  CHECK(packet_bytes[1] == packet_bytes[0] + multicast::GroupSeal::tag_bytes);
}

TEST_CASE("an unknown protocol for broadcasts is wrong usage", "[broadcast]") {
  CHECK_THROWS_AS(Broadcasts(here(), "fanuot"), UsageError);
}

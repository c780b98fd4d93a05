// What collectives of a Comm count while they are done by something else than their own algorithms' messages.
#include <catch2/catch.hpp>
#include <cstring>
#include <functional>
#include <vector>

#include "vm/collective/costs.hpp"
#include "vm/comm.hpp"
#include "vm/metrics/clock.hpp"

using namespace nasvm;

namespace {

/// One of two tasks that can read each other's memory. What it receives is all ones; single bytes take a while.
struct NearEndpoint final : Endpoint {
  [[nodiscard]] Rank rank() const override { return 0; }
  [[nodiscard]] int size() const override { return 2; }
  void start(Operation& operation) override {
    if (on_start) on_start();
    if (operation.kind == Operation::Kind::send || operation.bytes != 1) complete(operation);
  }
  void progress() override {}
  void wait_any(std::span<Operation* const> operations) override {
    ++waits;
    const Ticks begin = ticks_now();
    while (ticks_now() == begin) {
    }
    for (Operation* operation : operations) complete(*operation);
  }
  bool probe(Rank, Tag, Context, Status&, bool) override { return false; }
  bool cancel(Operation&) override { return true; }
  [[nodiscard]] std::string_view method(Rank) const override { return "near"; }
  [[nodiscard]] bool can_read_memory(Rank) const override { return true; }

  static void complete(Operation& operation) {
    if (operation.kind == Operation::Kind::receive) {
      if (operation.bytes != 0) std::memset(operation.data, 1, operation.bytes);
      operation.status = {operation.peer, operation.tag, operation.bytes};
    }
    operation.complete = true;
  }

  std::function<void()> on_start;
  int waits = 0;
};

constexpr std::size_t long_bytes = 1 << 20;

}  // namespace

TEST_CASE("comm: what others send while a collective goes through memory is counted", "[comm]") {
  NearEndpoint endpoint;
  Comm comm(endpoint);
  const auto job = comm.in_background();
  std::vector<std::byte> data(long_bytes), few(8);
  bool in_turn = false;
  std::uint64_t turns = 0;
  endpoint.on_start = [&] {
    if (in_turn) return;
    in_turn = true;
    ++turns;
    const Comm::Collective* foreground = comm.change_turn(nullptr);
    job->send(few, 1, 7);
    (void)job->recv(few, 1, 7);
    (void)comm.change_turn(foreground);
    in_turn = false;
  };
  comm.broadcast(data, 0);
  REQUIRE(turns > 0);
  const collective::Cost cost = collective::broadcast_cost(2, long_bytes);
  const PeerCounters& peer = comm.counters().peers[1];
  CHECK(peer.messages_sent == cost.messages + turns);
  CHECK(peer.bytes_sent == cost.bytes + turns * few.size());
  CHECK(peer.messages_received == turns);
  CHECK(peer.bytes_received == turns * few.size());
}

TEST_CASE("comm: the root of a broadcast through memory is not idle while others read it", "[comm]") {
  NearEndpoint endpoint;
  Comm comm(endpoint);
  std::vector<std::byte> data(long_bytes);
  comm.broadcast(data, 0);
  CHECK(endpoint.waits == 1);
  CHECK(comm.counters().idle == 0);
  CHECK(comm.counters().communication > 0);
}

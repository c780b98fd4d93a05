// Groups over links; over datagrams they are tested with daemons and sockets (tests/vm/conformance_test.cpp).
#include "vm/broadcast/static_group.hpp"

#include <array>
#include <atomic>
#include <catch2/catch.hpp>

#include "support/packet_recorder.hpp"
#include "support/thread_machine.hpp"
#include "vm/broadcast/comm_line.hpp"
#include "vm/message.hpp"
#include "vm/multicast/stop_and_wait.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using namespace nasvm::test;
using multicast::StaticGroup;

namespace {

std::vector<multicast::Row> rows_over_links() {
  std::vector<multicast::Row> rows;
  for (multicast::Row row : protocols_and_toy()) {
    if (row.name == stop_and_wait.name) row.carrier = multicast::Carrier::links;  // which lose nothing
    if (row.carrier == multicast::Carrier::links) rows.push_back(row);
  }
  return rows;
}

/// Counts how often it is told that there may be room.
class ToldReceiver final : public multicast::Receiver {
 public:
  ToldReceiver(multicast::Network& network, multicast::Inbox& inbox) : inner_(network, inbox) {}
  void arrived(multicast::Node from, const multicast::Packet& packet, multicast::TimePoint now) override {
    inner_.arrived(from, packet, now);
  }
  void resume(multicast::TimePoint) override { ++told; }
  void lost(multicast::Node, multicast::TimePoint) override {}

  static inline std::atomic<int> told = 0;

 private:
  StopAndWaitReceiver inner_;
};

}  // namespace

TEST_CASE("nodes of a group are its root and then the other ranks", "[broadcast]") {
  for (const Rank root : {0, 2, 3}) {
    CHECK(multicast::rank_of(multicast::sender_node, root) == root);
    std::vector<Rank> ranks;
    for (multicast::Node node = 0; node < 4; ++node) {
      ranks.push_back(multicast::rank_of(node, root));
      CHECK(multicast::node_of(ranks.back(), root) == node);
    }
    CHECK(std::is_sorted(ranks.begin() + 1, ranks.end()));
  }
}

TEST_CASE("static groups bring every message to every member", "[broadcast]") {
  const int ranks = GENERATE(1, 2, 5);
  const std::vector<std::vector<std::byte>> messages{pattern(1000), pattern(0), pattern(3'000'000, 2), pattern(1, 3)};
  for (const multicast::Row& row : rows_over_links()) {
    for (const Rank root : {0, ranks - 1}) {
      CAPTURE(row.name, ranks, root);
      std::vector<int> right(static_cast<std::size_t>(ranks));
      run_ranks(ranks, [&](Comm& comm) {
        StaticGroup group({}, comm, root, {&row, {}});
        for (const auto& message : messages) {
          std::vector<std::byte> buffer(message.size());
          if (comm.rank() == root) {
            group.send(message);
          } else {
            (void)group.receive(buffer);
          }
          right[static_cast<std::size_t>(comm.rank())] += comm.rank() == root || buffer == message ? 1 : 0;
        }
      });
      CHECK(right == std::vector<int>(static_cast<std::size_t>(ranks), static_cast<int>(messages.size())));
    }
  }
}

TEST_CASE("a receiver that begins to await a message is told that there is room for it", "[broadcast]") {
  multicast::Row row = stop_and_wait;
  row.carrier = multicast::Carrier::links;
  row.make_receiver = [](const multicast::Group&, multicast::Network& network,
                         multicast::Inbox& inbox) -> std::unique_ptr<multicast::Receiver> {
    return std::make_unique<ToldReceiver>(network, inbox);
  };
  ToldReceiver::told = 0;
  run_ranks(3, [&](Comm& comm) {
    StaticGroup group({}, comm, 0, {&row, {}});
    for (int i = 0; i < 2; ++i) {
      std::vector<std::byte> bytes(10);
      if (comm.rank() == 0) group.send(bytes);
      else (void)group.receive(bytes);
    }
  });
  CHECK(ToldReceiver::told == 2 * 2);
}

TEST_CASE("a receive of another length than a group's message is an error", "[broadcast]") {
  const multicast::Row row = rows_over_links().front();
  CHECK_THROWS_AS(run_ranks(2,
                            [&](Comm& comm) {
                              StaticGroup group({}, comm, 0, {&row, {}});
                              std::vector<std::byte> bytes(comm.rank() == 0 ? 10 : 9);
                              if (comm.rank() == 0) return group.send(bytes);
                              (void)group.receive(bytes);
                            }),
                  RunError);
}

TEST_CASE("a group over links needs tasks of one byte order", "[broadcast]") {
  const multicast::Row row = rows_over_links().front();
  const auto set_up = [&](Comm& comm) {
    if (comm.rank() != 0) {
      const StaticGroup group({}, comm, 0, {&row, {}});
      return;
    }
    // A root of the other order, as far as the others hear of it.
    const auto own = comm.split(0, comm.rank());
    std::array<std::byte, 1> order{static_cast<std::byte>(1 - Envelope::native_order)};
    own->exchange(std::array{Comm::Piece{1, order}}, {});
  };
  CHECK_THROWS_WITH(run_ranks(2, set_up), "multicast needs hosts of one byte order, and these have two");
}

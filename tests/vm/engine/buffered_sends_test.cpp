#include "vm/engine/buffered_sends.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "support/engine_machine.hpp"
#include "support/packet_recorder.hpp"

using namespace nasvm;
using namespace nasvm::test;
using engine::BufferedSends;
using Machine = EngineMachine;

namespace {

constexpr std::size_t plenty = 1 << 20;
constexpr std::size_t record = BufferedSends::record_bytes;

struct Fixture {
  explicit Fixture(std::size_t bound, int ranks = 2) : machine(ranks, small_limits) {
    for (Rank rank = 0; rank < ranks; ++rank) {
      sends.push_back(std::make_unique<BufferedSends>(machine[rank], bound, [this, rank](auto awaited) {
        told.emplace_back(rank, std::vector<Rank>(awaited.begin(), awaited.end()));
        if (on_blocked) on_blocked();
      }));
    }
    machine.pump();
  }
  /// The message is overwritten after the send, which is the sender's right.
  void send(Rank from, Rank to, Tag tag, std::size_t bytes) {
    auto message = pattern(bytes, static_cast<unsigned>(tag));
    sends[static_cast<std::size_t>(from)]->send(to, tag, message);
    std::ranges::fill(message, std::byte{0});
  }
  Machine::Handle receive(Rank at, Rank from, Tag tag, std::size_t bytes) {
    return machine.receive(at, from, tag, bytes, packed_context);
  }

  Machine machine;
  std::vector<std::unique_ptr<BufferedSends>> sends;
  std::vector<std::pair<Rank, std::vector<Rank>>> told;
  std::function<void()> on_blocked;
};

}  // namespace

TEST_CASE("two tasks may send each other long messages before either receives", "[buffered sends]") {
  Fixture fixture(plenty);
  for (Tag tag = 0; tag < 10; ++tag) {
    fixture.send(0, 1, tag, 3000);
    fixture.send(1, 0, tag, 3000);
  }
  CHECK(fixture.told.empty());
  fixture.machine.deliver_all();
  for (Tag tag = 0; tag < 10; ++tag) {
    for (const Rank at : {0, 1}) {
      const auto receive = fixture.receive(at, 1 - at, any_tag, 3000);
      fixture.machine.deliver_all();
      CHECK(got(receive, 1 - at, tag, pattern(3000, static_cast<unsigned>(tag))));
    }
  }
}

TEST_CASE("messages of all lengths keep their order and their contents", "[buffered sends]") {
  Fixture fixture(plenty);
  const std::vector<std::size_t> lengths{0, 900, 5000, 1, 900, 900, 900, 900, 900, 0, 20000, 1};
  for (std::size_t i = 0; i < lengths.size(); ++i) fixture.send(0, 1, static_cast<Tag>(i), lengths[i]);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const auto receive = fixture.receive(1, 0, any_tag, 20000);
    fixture.machine.deliver_all();
    CHECK(got(receive, 0, static_cast<Tag>(i), pattern(lengths[i], static_cast<unsigned>(i))));
  }
  fixture.send(0, 1, 99, 5000);
  CHECK(fixture.sends[0]->bytes() == 5000 + record);  // what has gone takes no room any more
}

TEST_CASE("beyond the bound a send blocks until somebody receives, and says for whom", "[buffered sends]") {
  Fixture fixture(3 * (2000 + record), 3);
  fixture.send(0, 1, 0, 2000);
  fixture.send(0, 2, 1, 2000);
  fixture.send(0, 1, 2, 2000);
  CHECK(fixture.sends[0]->bytes() == 3 * (2000 + record));
  CHECK(fixture.told.empty());
  Machine::Handle received;
  fixture.on_blocked = [&] {
    if (received == nullptr) received = fixture.receive(2, 0, 1, 2000);
  };
  fixture.send(0, 1, 3, 2000);
  CHECK(fixture.told.front() == std::pair<Rank, std::vector<Rank>>{0, {1, 2}});
  CHECK(got(received, 0, 1, pattern(2000, 1)));
  CHECK(fixture.sends[0]->bytes() <= 3 * (2000 + record));
  CHECK(fixture.machine[0].grants_heard(2) == 1);
  CHECK(fixture.machine[2].grants_given(0) == 1);
}

TEST_CASE("a message longer than all the room there is waits for its receiver alone", "[buffered sends]") {
  Fixture fixture(4000, 3);
  fixture.send(0, 2, 0, 2000);
  Machine::Handle received;
  fixture.on_blocked = [&] {
    if (received == nullptr) received = fixture.receive(1, 0, any_tag, 5000);
  };
  fixture.send(0, 1, 1, 5000);
  CHECK(fixture.told == std::vector<std::pair<Rank, std::vector<Rank>>>{{0, {1}}});
  CHECK(got(received, 0, 1, pattern(5000, 1)));
}

TEST_CASE("messages that are received out of their order make room for others, too", "[buffered sends]") {
  Fixture fixture(2 * (2000 + record));
  fixture.send(0, 1, 0, 2000);
  fixture.send(0, 1, 1, 2000);
  Machine::Handle later;
  fixture.on_blocked = [&] {
    if (later == nullptr) later = fixture.receive(1, 0, 1, 2000);
  };
  fixture.send(0, 1, 2, 2000);
  CHECK(fixture.told.size() == 1);
  CHECK(got(later, 0, 1, pattern(2000, 1)));
  CHECK(fixture.sends[0]->bytes() == 2 * (2000 + record));
  for (const Tag tag : {0, 2}) {
    const auto receive = fixture.receive(1, 0, any_tag, 2000);
    fixture.machine.deliver_all();
    CHECK(got(receive, 0, tag, pattern(2000, static_cast<unsigned>(tag))));
  }
}

TEST_CASE("a message to oneself is there at once", "[buffered sends]") {
  Fixture fixture(0);
  fixture.send(0, 0, 5, 5000);
  CHECK(got(fixture.receive(0, 0, 5, 5000), 0, 5, pattern(5000, 5)));
  CHECK(fixture.told.empty());
}

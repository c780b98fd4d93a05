#include "vm/link/sharing.hpp"

#include <catch2/catch.hpp>

#include "vm/link/simulated_group.hpp"

using namespace nasvm;
using namespace nasvm::test;

namespace {

using Group = SimulatedGroup;

void require_every_byte(const Group& group) {
  for (const auto& receiver : group.receivers) {
    CAPTURE(receiver->host);
    REQUIRE(receiver->received == receiver->written);
    CHECK(receiver->far.stats().malformed == 0);
    CHECK(receiver->near.stats().malformed == 0);
  }
}

/// Many blocks of many lengths, with data for single receivers between them.
void send_mixture(Group& group, std::size_t blocks, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::size_t i = 0; i < blocks; ++i) {
    group.send_all(random_bytes(1 + random() % 40000, seed + i));
    for (const auto& receiver : group.receivers) {
      if (random() % 3 == 0) group.send(*receiver, random_bytes(1 + random() % 3000, random()));
    }
  }
}

}  // namespace

TEST_CASE("what is for all leaves once, whole and in order, over a clean medium", "[link][sharing]") {
  const std::size_t receivers = GENERATE(2, 8, 30);
  CAPTURE(receivers);
  Group group({.receivers = receivers});
  group.meet();
  REQUIRE(group.send_all(random_bytes(64 * 1024 + 56, 1)) != 0);
  REQUIRE(group.deliver_all(seconds(1)));
  require_every_byte(group);
  CHECK(group.unicast_bytes() == 0);
  CHECK(group.sharing.stats().copies == receivers * group.sharing.stats().sent);
  CHECK(group.sharing.stats().left == 0);
}

TEST_CASE("a short block is one datagram", "[link][sharing]") {
  Group group({.receivers = 8});
  group.meet();
  group.send_all(random_bytes(1024, 1));
  REQUIRE(group.deliver_all(seconds(1)));
  require_every_byte(group);
  CHECK(group.sharing.stats().sent == 1);
  CHECK(group.sharing.stats().text() == "1 datagrams left for several hosts at once, in place of " +
                                            std::to_string(group.sharing.stats().copies) + "; 0 of them again");
  CHECK(link::Sharing::Stats{}.text().empty());
  CHECK(group.unicast_bytes() == 0);
}

TEST_CASE("shared data keeps its place between what goes to single receivers", "[link][sharing]") {
  Group group({.receivers = 5});
  group.meet();
  send_mixture(group, 20, 3);
  REQUIRE(group.deliver_all(seconds(10)));
  require_every_byte(group);
  CHECK(group.sharing.stats().sent > 0);
}

TEST_CASE("every byte arrives once and in order whatever paths and medium lose, double and delay",
          "[link][sharing]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{9}));
  const double loss = GENERATE(0.02, 0.2);
  CAPTURE(seed, loss);
  const LossyLink::Options lossy{.seed = seed, .loss = loss, .duplication = 0.1, .reordering = 0.1};
  Group group({.receivers = 4, .path = lossy, .medium = lossy, .shared_loss = loss});
  group.meet();
  for (int round = 0; round < 5; ++round) {
    send_mixture(group, 4, seed + static_cast<std::uint64_t>(round));
    REQUIRE(group.deliver_all(seconds(60)));
  }
  require_every_byte(group);
  CHECK(group.sharing.stats().sent > 0);
}

TEST_CASE("what all have missed is repeated once for all of them", "[link][sharing]") {
  Group group({.receivers = 6});
  group.meet();
  // The third shared datagram with data is lost on the way to each.
  for (auto& receiver : group.receivers) {
    receiver->medium.options.filter = [count = 0](std::span<const std::byte> body) mutable {
      const auto datagram = link::decode_shared(body, 0);
      return datagram->payload.empty() || ++count != 3;
    };
  }
  group.send_all(random_bytes(20000, 1));
  REQUIRE(group.deliver_all(seconds(1)));
  require_every_byte(group);
  CHECK(group.sharing.stats().repeated >= 1);
  CHECK(group.unicast_bytes() < 6 * 1400);
}

TEST_CASE("what one has missed is repeated to it alone", "[link][sharing]") {
  Group group({.receivers = 6});
  group.meet();
  group[2].medium.options.filter = [count = 0](std::span<const std::byte> body) mutable {
    const auto datagram = link::decode_shared(body, 0);
    return datagram->payload.empty() || ++count != 3;
  };
  group.send_all(random_bytes(20000, 1));
  REQUIRE(group.deliver_all(seconds(1)));
  require_every_byte(group);
  CHECK(group.sharing.stats().repeated == 0);
  CHECK(group[2].near.stats().retransmissions >= 1);
  CHECK(group[0].near.stats().retransmissions == 0);
}

TEST_CASE("who does not hear is served alone, and the others together", "[link][sharing]") {
  Group group({.receivers = 4});
  group[1].hears = false;
  group.meet();
  CHECK_FALSE(group[1].near.is_heard());
  group.send_all(random_bytes(50000, 1));
  REQUIRE(group.deliver_all(seconds(1)));
  require_every_byte(group);
  CHECK(group.unicast_bytes() == 50000);
}

TEST_CASE("nothing is shared with fewer than two that hear, and nothing without a group", "[link][sharing]") {
  Group group({.receivers = 2});
  group[0].hears = false;
  group.meet();
  CHECK(group.send_all(random_bytes(50000, 1)) == 0);
  REQUIRE(group.deliver_all(seconds(1)));
  require_every_byte(group);
  link::Sharing without(1);
  CHECK(without.open(std::vector<std::uint16_t>{2, 3}, 100) == 0);
  CHECK(without.deadline() == TimePoint::max());
}

TEST_CASE("who stops hearing is found out, and served alone", "[link][sharing]") {
  Group group({.receivers = 3});
  group.meet();
  group[1].hears = false;
  for (int i = 0; i < 20; ++i) {
    group.send_all(random_bytes(30000, static_cast<std::uint64_t>(i)));
    REQUIRE(group.deliver_all(seconds(2)));
  }
  require_every_byte(group);
  CHECK_FALSE(group[1].near.is_heard());
  // And heard again, after a probe.
  group[1].hears = true;
  REQUIRE(group.run_until([&] { return group[1].near.is_heard(); }, seconds(30)));
}

TEST_CASE("nobody waits long for who takes nothing", "[link][sharing]") {
  Group group({.receivers = 4});
  group.meet();
  group[3].consuming = false;
  for (int i = 0; i < 30; ++i) {
    const auto bytes = random_bytes(60000, static_cast<std::uint64_t>(i));
    const std::uint64_t block = group.sharing.open(group.hosts(), bytes.size());
    for (int each = 0; each < 3; ++each) group.place(block, group[static_cast<std::size_t>(each)], bytes);
    if (group[3].near.writable() >= bytes.size()) group.place(block, group[3], bytes);
    const auto others_have_it = [&] {
      return group.has_all(group[0]) && group.has_all(group[1]) && group.has_all(group[2]);
    };
    REQUIRE(group.run_until(others_have_it, milliseconds(200)));
  }
  group[3].consuming = true;
  REQUIRE(group.deliver_all(seconds(10)));
  require_every_byte(group);
  CHECK(group.sharing.stats().left > 0);
  CHECK(group.sharing.stats().left < 30);
}

TEST_CASE("lost window updates do not stop what is shared for good", "[link][sharing]") {
  constexpr std::size_t window = 16384, rest = 500;  // less than a datagram carries
  auto options = Group::Options{.receivers = 2};
  options.channel.receive_buffer_bytes = window;
  Group group(options);
  group.meet();
  for (const auto& receiver : group.receivers) {
    receiver->consuming = false;
    group.send(*receiver, random_bytes(window - rest, receiver->host));
  }
  group.run_for(seconds(1));
  REQUIRE(group.send_all(random_bytes(5000, 1)) != 0);
  group.run_for(milliseconds(1));
  for (const auto& receiver : group.receivers) {
    receiver->consuming = true;
    receiver->from.options.filter = [to_lose = 4](auto) mutable { return to_lose-- <= 0; };
  }
  REQUIRE(group.deliver_all(seconds(5)));
  require_every_byte(group);
}

TEST_CASE("a slow path slows the others down for a few round trips, and loses nothing", "[link][sharing]") {
  Group group({.receivers = 3});
  group[0].to.options.bytes_per_second = group[0].medium.options.bytes_per_second = 1e6;
  group[0].to.options.queue_bytes = group[0].medium.options.queue_bytes = 20000;
  group.meet();
  for (int i = 0; i < 10; ++i) group.send_all(random_bytes(60000, static_cast<std::uint64_t>(i)));
  REQUIRE(group.run_until([&] { return group.has_all(group[1]) && group.has_all(group[2]); }, milliseconds(500)));
  REQUIRE(group.deliver_all(seconds(20)));
  require_every_byte(group);
}

TEST_CASE("a receiver that dies is noticed, and keeps nobody", "[link][sharing]") {
  auto options = Group::Options{.receivers = 4};
  options.channel.dead_after = seconds(2);
  Group group(options);
  group.meet();
  group.send_all(random_bytes(60000, 1));
  group.run_for(microseconds(120));
  group[2].dead = true;
  for (int i = 0; i < 10; ++i) group.send_all(random_bytes(60000, static_cast<std::uint64_t>(i)));
  REQUIRE(group.deliver_all(seconds(1)));
  REQUIRE(group.run_until([&] { return group[2].near.dead(group.now); }, seconds(4)));
  group.sharing.remove(group[2].host);
  for (const std::size_t index : {0, 1, 3}) CHECK(group[index].received == group[index].written);
}

TEST_CASE("blocks that stand in two streams in either order do not wait for each other", "[link][sharing]") {
  Group group({.receivers = 2});
  group.meet();
  const auto one = random_bytes(20000, 1), two = random_bytes(30000, 2);
  const std::uint64_t first = group.sharing.open(group.hosts(), one.size());
  const std::uint64_t second = group.sharing.open(group.hosts(), two.size());
  REQUIRE(second > first);
  group.place(first, group[0], one);
  group.place(second, group[0], two);
  group.place(second, group[1], two);
  group.place(first, group[1], one);
  REQUIRE(group.deliver_all(seconds(1)));
  require_every_byte(group);
  CHECK(group.sharing.stats().copies > 0);
}

TEST_CASE("a block that never comes to one stream leaves the others alone after a while", "[link][sharing]") {
  Group group({.receivers = 3});
  group.meet();
  const auto bytes = random_bytes(5000, 1);
  const std::uint64_t block = group.sharing.open(group.hosts(), bytes.size());
  group.place(block, group[0], bytes);
  group.place(block, group[1], bytes);
  const TimePoint start = group.now;
  REQUIRE(group.deliver_all(seconds(1)));
  require_every_byte(group);
  CHECK(group.now - start < milliseconds(100));
  CHECK(group.sharing.stats().left == 1);
  // It comes at last, and is no one's any more.
  group.place(block, group[2], bytes);
  REQUIRE(group.deliver_all(seconds(1)));
  require_every_byte(group);
}

TEST_CASE("a host that is removed in the midst of a block leaves it to the others", "[link][sharing]") {
  Group group({.receivers = 3});
  group.meet();
  const auto bytes = random_bytes(50000, 1);
  const std::uint64_t block = group.sharing.open(group.hosts(), bytes.size());
  group.place(block, group[0], bytes);
  group.place(block, group[1], bytes);
  group.sharing.remove(group[2].host);
  group.sharing.add(group[2].host, group[2].near);
  REQUIRE(group.deliver_all(seconds(1)));
  require_every_byte(group);
  CHECK(group.unicast_bytes() == 0);
}

TEST_CASE("a shorter path of one receiver shortens what is shared with it", "[link][sharing]") {
  Group group({.receivers = 3});
  group.meet();
  group[1].near.set_datagram_bytes(600);
  group.send_all(random_bytes(50000, 1));
  REQUIRE(group.deliver_all(seconds(1)));
  require_every_byte(group);
  CHECK(group.sharing.stats().sent > 50000 / 600);
}

TEST_CASE("who has too short a path for a block's many hosts gets it alone, at once", "[link][sharing]") {
  constexpr std::size_t receivers = 70, bytes = 20000;
  Group group({.receivers = receivers});
  group.meet();
  std::size_t alone = 0;
  SECTION("one of them") {
    group[1].near.set_datagram_bytes(548);
    alone = 1;
  }
  SECTION("all of them have: as many as leave half of a datagram to payload go on together") {
    for (const auto& receiver : group.receivers) receiver->near.set_datagram_bytes(548);
    alone = receivers - 31;
  }
  REQUIRE(group.send_all(random_bytes(bytes, 1)) != 0);
  REQUIRE(group.deliver_all(seconds(10)));
  require_every_byte(group);
  CHECK(group.unicast_bytes() == alone * bytes);
  CHECK(group.sharing.stats().sent > 0);
  CHECK(group.sharing.stats().left == 0);
}

TEST_CASE("probes go on while somebody is not heard, and end when nobody multicasts", "[link][sharing]") {
  Group group({.receivers = 2});
  for (const auto& receiver : group.receivers) receiver->hears = false;
  CHECK(group.sharing.deadline() == TimePoint::max());
  (void)group.sharing.open(group.hosts(), 100);
  group.run_for(seconds(10));
  const auto probes = group.sharing.stats().probes;
  CHECK(probes > 5);
  CHECK(probes < 20);
  group.run_for(seconds(100));
  CHECK(group.sharing.deadline() == TimePoint::max());
}

#include "vm/link/channel.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "vm/link/simulated_pair.hpp"

using namespace nasvm;
using namespace nasvm::test;

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

Channel::Options ethernet() { return {.datagram_bytes = 1472}; }
Channel::Options loopback() { return {.datagram_bytes = link::max_datagram_bytes}; }

LossyLink::Options fifth_of_everything(std::uint64_t seed) {
  return {.seed = seed, .loss = 0.2, .duplication = 0.2, .reordering = 0.2};
}

void require_delivery(SimulatedPair& pair, Duration limit) {
  REQUIRE(pair.deliver_all(limit));
  REQUIRE(pair.b.received == pair.a.to_send);
  REQUIRE(pair.a.received == pair.b.to_send);
}

}  // namespace

TEST_CASE("a channel carries a stream over a clean path without sending anything twice", "[link]") {
  SimulatedPair pair(ethernet(), {});
  pair.a.to_send = random_bytes(8 * mebibyte + 13, 1);
  require_delivery(pair, seconds(2));
  CHECK(pair.a.channel.stats().retransmissions == 0);
  CHECK(pair.a.channel.stats().timeouts == 0);
  CHECK(pair.a.channel.stats().bytes_sent == pair.a.to_send.size());
  CHECK(pair.b.channel.stats().duplicates == 0);
}

TEST_CASE("everything arrives in order when a fifth is lost, a fifth doubled and a fifth late", "[link]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{9}));
  const bool long_datagrams = GENERATE(false, true);
  CAPTURE(seed, long_datagrams);
  SimulatedPair pair(long_datagrams ? loopback() : ethernet(), fifth_of_everything(seed));
  pair.a.to_send = random_bytes(long_datagrams ? 8 * mebibyte : 2 * mebibyte, seed);
  require_delivery(pair, seconds(20));
  CHECK(pair.a_to_b.stats.lost > 0);
  CHECK(pair.a_to_b.stats.duplicated > 0);
  CHECK(pair.a_to_b.stats.late > 0);
  CHECK(pair.a.channel.stats().retransmissions > 0);
  CHECK(pair.b.channel.stats().malformed == 0);
}

TEST_CASE("both directions are repaired at once", "[link]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{5}));
  SimulatedPair pair(ethernet(), fifth_of_everything(seed));
  pair.a.to_send = random_bytes(mebibyte + 1, seed);
  pair.b.to_send = random_bytes(mebibyte / 2 + 3, seed + 100);
  require_delivery(pair, seconds(20));
}

TEST_CASE("small writes and small reads are repaired as well", "[link]") {
  SimulatedPair pair(ethernet(), fifth_of_everything(3));
  pair.a.to_send = random_bytes(20000, 3);
  pair.a.write_at_most = 17;
  pair.b.consume_at_most = 5;
  require_delivery(pair, seconds(20));
}

TEST_CASE("evidence repairs single losses without waiting for a timeout", "[link]") {
  SimulatedPair pair(ethernet(), {.loss = 0.01, .bytes_per_second = 125e6, .queue_bytes = 8 * mebibyte});
  pair.a.to_send = random_bytes(8 * mebibyte, 5);
  require_delivery(pair, seconds(5));
  const auto& stats = pair.a.channel.stats();
  CHECK(stats.losses > 20);
  CHECK(stats.retransmissions < 2 * pair.a_to_b.stats.lost + 10);
  CHECK(stats.timeouts <= 1 + pair.a_to_b.stats.lost / 20);
}

TEST_CASE("a lost tail is provoked by one datagram and repaired", "[link]") {
  SimulatedPair pair(ethernet(), {});
  pair.a.to_send = random_bytes(40000, 2);
  require_delivery(pair, seconds(1));
  int to_lose = 5;
  pair.a_to_b.options.filter = [&](auto) { return to_lose-- <= 0; };
  const auto more = random_bytes(5 * 1400, 3);
  pair.a.to_send.insert(pair.a.to_send.end(), more.begin(), more.end());
  const TimePoint start = pair.now;
  require_delivery(pair, seconds(1));
  CHECK(pair.now - start < milliseconds(30));
  CHECK(pair.a.channel.stats().timeouts >= 1);
}

TEST_CASE("the first timeout sends one datagram again, the second all, and news resets the timer", "[link]") {
  Channel a({.peer_host = 1});
  Channel b({.local_host = 1});
  TimePoint now{seconds(1)};
  std::vector<std::byte> buffer(2000);
  const auto pass = [&](Channel& from, Channel& to) {
    int count = 0;
    while (const auto bytes = from.next_datagram(buffer, now)) {
      to.on_datagram(std::span(buffer).first(*bytes), now);
      ++count;
    }
    return count;
  };
  const auto send_and_lose = [&](Channel& from) {
    int count = 0;
    while (from.next_datagram(buffer, now)) ++count;
    return count;
  };
  a.write(random_bytes(1400, 1));
  send_and_lose(a);
  now += milliseconds(200);
  pass(a, b);
  now += milliseconds(1);
  pass(b, a);  // the round trip is now known
  REQUIRE(a.idle());

  a.write(random_bytes(std::size_t{4} * 1400, 2));
  CHECK(send_and_lose(a) == 4);
  CHECK(a.deadline() == now + milliseconds(5));
  now = a.deadline();
  // And each time a short question: does the path swallow what is long?
  CHECK(send_and_lose(a) == 1 + 1);
  CHECK(a.deadline() == now + milliseconds(10));
  now = a.deadline();
  CHECK(send_and_lose(a) == 4 + 1);
  CHECK(a.deadline() == now + milliseconds(20));
  now = a.deadline();
  CHECK(pass(a, b) == 4 + 1);
  pass(b, a);
  REQUIRE(a.idle());
  a.write(random_bytes(1400, 3));
  CHECK(send_and_lose(a) == 1);
  CHECK(a.deadline() == now + milliseconds(5));
}

TEST_CASE("a receiver that frees much of its buffer says so at once", "[link]") {
  SimulatedPair pair({.datagram_bytes = 1472, .receive_buffer_bytes = 100'000}, {});
  pair.a.to_send = random_bytes(mebibyte, 6);
  pair.b.consuming = false;
  pair.run_for(seconds(1));
  Channel& b = pair.b.channel;
  std::vector<std::byte> buffer(2000);
  REQUIRE(b.readable().size() == 100'000);
  b.consume(24'000);
  CHECK_FALSE(b.next_datagram(buffer, pair.now));
  b.consume(2'000);
  const auto update = b.next_datagram(buffer, pair.now);
  REQUIRE(update);
  CHECK(link::decode(std::span(buffer).first(*update))->header.window == 26'000);
}

TEST_CASE("a limited rate is used and not flooded", "[link]") {
  // 100 Mbit/s, 5 ms each way, a queue of 128 kB.
  SimulatedPair pair(ethernet(), {.delay = milliseconds(5), .bytes_per_second = 12.5e6, .queue_bytes = 128000});
  pair.a.to_send = random_bytes(25 * mebibyte / 2, 4);
  const TimePoint start = pair.now;
  require_delivery(pair, seconds(20));
  const auto& stats = pair.a.channel.stats();
  CHECK(static_cast<double>(stats.bytes_retransmitted) < 0.05 * static_cast<double>(stats.bytes_sent));
  CHECK(pair.now - start < milliseconds(1500));  // virtual time; 1.05 s at the full rate
}

TEST_CASE("a sender stops when the receiver does not consume, and resumes", "[link]") {
  Channel::Options options = ethernet();
  options.send_buffer_bytes = 64 << 10;
  options.receive_buffer_bytes = 96 << 10;
  SimulatedPair pair(options, {});
  pair.a.to_send = random_bytes(mebibyte, 6);
  pair.b.consuming = false;
  pair.run_for(seconds(30));
  // Both buffers are full and nothing else has been taken.
  CHECK(pair.a.channel.writable() == 0);
  CHECK(pair.a.written == options.send_buffer_bytes + options.receive_buffer_bytes);
  CHECK(pair.b.channel.stats().bytes_received == options.receive_buffer_bytes);
  CHECK_FALSE(pair.a.channel.dead(pair.now));
  CHECK(pair.a.channel.stats().probes_sent > 30);
  CHECK(pair.a.channel.stats().probes_sent < 300);
  pair.b.consuming = true;
  require_delivery(pair, seconds(5));
}

TEST_CASE("lost window updates do not stop a channel for good", "[link]") {
  Channel::Options options = ethernet();
  options.receive_buffer_bytes = 64 << 10;
  SimulatedPair pair(options, {});
  pair.a.to_send = random_bytes(mebibyte, 7);
  pair.b.consuming = false;
  pair.run_for(seconds(1));
  pair.b.consuming = true;
  int to_lose = 4;  // the update, and the first answers to probes
  pair.b_to_a.options.filter = [&](auto) { return to_lose-- <= 0; };
  require_delivery(pair, seconds(5));
  CHECK(to_lose < 0);
}

TEST_CASE("a window smaller than a datagram still carries everything", "[link]") {
  Channel::Options options = loopback();
  options.receive_buffer_bytes = 1000;
  SimulatedPair pair(options, {.loss = 0.1});
  pair.a.to_send = random_bytes(50000, 8);
  require_delivery(pair, seconds(60));
}

TEST_CASE("data is cut anew when the path takes only shorter datagrams", "[link]") {
  const bool lossy = GENERATE(false, true);
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{4}));
  SimulatedPair pair(loopback(), lossy ? fifth_of_everything(seed) : LossyLink::Options{.seed = seed});
  pair.on_too_long = [](End& end) { end.channel.set_datagram_bytes(1472); };
  pair.a.to_send = random_bytes(3 * mebibyte, seed);
  pair.b.to_send = random_bytes(mebibyte, seed + 1);
  REQUIRE(pair.run_until([&] { return pair.b.received.size() > mebibyte; }, seconds(10)));
  pair.a_to_b.options.max_bytes = 1472;
  require_delivery(pair, seconds(20));
  CHECK(pair.a_to_b.stats.too_long >= 1);
  CHECK(pair.a.channel.datagram_bytes() == 1472);
  CHECK(pair.b.channel.datagram_bytes() == link::max_datagram_bytes);
}

TEST_CASE("a path that swallows long datagrams without a word gets shorter ones", "[link]") {
  struct Case {
    std::size_t wanted, path, found;
  };
  const auto [wanted, path, found] =
      GENERATE(Case{8972, 1472, 1452}, Case{8972, 1422, 1232}, Case{1472, 1400, 1232}, Case{1472, 600, 528});
  const bool known = GENERATE(false, true);
  CAPTURE(wanted, path, known);
  SimulatedPair pair({.datagram_bytes = wanted, .dead_after = seconds(6), .keepalive_after = seconds(2)}, {});
  pair.a_to_b.options.max_bytes = path - link::tag_bytes;  // of bodies
  if (known) {
    pair.a.to_send = random_bytes(100, 1);
    require_delivery(pair, seconds(1));
  }
  const auto more = random_bytes(mebibyte, 2);
  pair.a.to_send.insert(pair.a.to_send.end(), more.begin(), more.end());
  const TimePoint start = pair.now;
  REQUIRE(pair.run_until([&] { return pair.a.channel.stats().shortened > 0; }, seconds(1)));
  require_delivery(pair, seconds(3));
  CHECK(pair.now - start < seconds(3));
  CHECK(pair.a.channel.datagram_bytes() == found);
  CHECK_FALSE(pair.a.channel.dead(pair.now));
  CHECK(pair.b.channel.stats().shortened == 0);
}

TEST_CASE("short records behind a swallowed one do not hide that", "[link]") {
  SimulatedPair pair({.datagram_bytes = 8972, .dead_after = seconds(6), .keepalive_after = seconds(2)}, {});
  pair.a_to_b.options.max_bytes = 1472 - link::tag_bytes;
  pair.a.to_send = random_bytes(5000, 1);
  for (int i = 0; i < 400; ++i) {
    pair.run_for(milliseconds(3));
    const auto more = random_bytes(50, 2);
    pair.a.to_send.insert(pair.a.to_send.end(), more.begin(), more.end());
  }
  require_delivery(pair, seconds(1));
  CHECK(pair.a.channel.stats().shortened == 1);
}

TEST_CASE("a peer that streams itself does not hide that long datagrams are swallowed", "[link]") {
  SimulatedPair pair({.datagram_bytes = 8972, .dead_after = seconds(6), .keepalive_after = seconds(2)},
                     {.bytes_per_second = 12.5e6, .queue_bytes = mebibyte});
  pair.a_to_b.options.max_bytes = 1472 - link::tag_bytes;
  pair.a.to_send = random_bytes(mebibyte, 1);
  pair.b.to_send = random_bytes(32 * mebibyte, 2);
  REQUIRE(pair.run_until([&] { return pair.a.channel.stats().shortened > 0; }, seconds(1)));
  CHECK(pair.a.received.size() < pair.b.to_send.size());
}

TEST_CASE("an outage does not shorten datagrams", "[link]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{9}));
  const bool both_ways = GENERATE(false, true);
  CAPTURE(seed, both_ways);
  SimulatedPair pair({.datagram_bytes = 8972, .dead_after = seconds(6), .keepalive_after = seconds(2)},
                     {.seed = seed});
  pair.a.to_send = random_bytes(8 * mebibyte, seed);
  REQUIRE(pair.run_until([&] { return pair.b.received.size() > mebibyte; }, seconds(5)));
  pair.a_to_b.options.loss = 1;
  if (both_ways) pair.b_to_a.options.loss = 1;
  pair.run_for(seconds(3) + milliseconds(37 * static_cast<int>(seed)));
  pair.a_to_b.options.loss = pair.b_to_a.options.loss = 0;
  require_delivery(pair, seconds(10));
  CHECK(pair.a.channel.stats().timeouts > 0);
  CHECK(pair.a.channel.stats().shortened == 0);
  CHECK(pair.a.channel.datagram_bytes() == 8972);
}

TEST_CASE("longer datagrams are used once the path takes them", "[link]") {
  SimulatedPair pair(ethernet(), {});
  pair.a.to_send = random_bytes(mebibyte, 2);
  require_delivery(pair, seconds(2));
  const auto before = pair.a.channel.stats().datagrams_sent;
  pair.a.channel.set_datagram_bytes(link::max_datagram_bytes);
  const auto more = random_bytes(mebibyte, 3);
  pair.a.to_send.insert(pair.a.to_send.end(), more.begin(), more.end());
  require_delivery(pair, seconds(2));
  CHECK(pair.a.channel.stats().datagrams_sent - before < 30);
}

TEST_CASE("timeouts back off while nothing comes back, and a peer that is silent too long is dead", "[link]") {
  SimulatedPair pair(ethernet(), {});
  pair.a.to_send = random_bytes(100000, 9);
  require_delivery(pair, seconds(1));
  CHECK_FALSE(pair.a.channel.dead(pair.now + std::chrono::hours(1)));  // it owes nothing
  pair.run_for(seconds(60));

  pair.b_to_a.options.loss = 1;
  pair.a_to_b.options.loss = 1;
  const auto more = random_bytes(100000, 10);
  pair.a.to_send.insert(pair.a.to_send.end(), more.begin(), more.end());
  const auto before = pair.a.channel.stats();
  pair.run_for(milliseconds(9990));
  CHECK_FALSE(pair.a.channel.dead(pair.now));
  // Doubling from 5 ms to 1 s: about 8 steps, then one a second.
  const auto timeouts = pair.a.channel.stats().timeouts - before.timeouts;
  CHECK(timeouts > 12);
  CHECK(timeouts < 20);
  pair.run_for(milliseconds(20));
  CHECK(pair.a.channel.dead(pair.now));
  CHECK_FALSE(pair.b.channel.dead(pair.now));  // b has nothing to wait for

  pair.b_to_a.options.loss = 0;
  pair.a_to_b.options.loss = 0;
  require_delivery(pair, seconds(5));
  CHECK_FALSE(pair.a.channel.dead(pair.now));
}

TEST_CASE("silence during a pause of this side's own is no sign of death", "[link]") {
  SimulatedPair pair(ethernet(), {});
  pair.b_to_a.options.loss = 1;
  pair.a_to_b.options.loss = 1;
  pair.a.to_send = random_bytes(1000, 9);
  pair.run_for(seconds(1));
  const TimePoint resumed = pair.now + std::chrono::hours(8);
  REQUIRE(pair.a.channel.dead(resumed));
  pair.a.channel.excuse_silence(resumed);
  CHECK_FALSE(pair.a.channel.dead(resumed + seconds(10)));
  CHECK(pair.a.channel.dead(resumed + milliseconds(10'001)));
  pair.a.channel.excuse_silence(pair.now);  // takes nothing back
  CHECK_FALSE(pair.a.channel.dead(resumed + seconds(10)));
}

TEST_CASE("a pause with an acknowledgement on its way is no round trip", "[link]") {
  const auto pause = GENERATE(seconds(2), seconds(60), seconds(3600));  // the last wraps timestamps
  CAPTURE(pause.count());
  bool drop = false;
  SimulatedPair pair(ethernet(), {});
  pair.a_to_b = LossyLink(
      {.filter = [&](std::span<const std::byte> body) { return !std::exchange(drop, drop && body.size() <= 100); }});
  const auto send_more = [&] { pair.a.to_send.resize(pair.a.to_send.size() + 1000); };
  for (int i = 0; i < 2; ++i) {
    send_more();
    require_delivery(pair, seconds(2));
  }
  const auto before = pair.a.channel.round_trip();
  send_more();
  REQUIRE(pair.run_until([&] { return pair.b_to_a.next_arrival() != TimePoint::max(); }, seconds(1)));
  pair.now += pause;
  pair.a.channel.note_gap(pair.now);
  pair.b.channel.note_gap(pair.now);
  require_delivery(pair, seconds(2));
  CHECK(pair.a.channel.round_trip().timeout(0) == before.timeout(0));
  CHECK(pair.a.channel.round_trip().minimum() == before.minimum());
  pair.b_to_a.options.delay *= 2;
  send_more();
  drop = true;
  require_delivery(pair, milliseconds(100));
  CHECK_FALSE(drop);
  CHECK(pair.a.channel.round_trip().smoothed() > before.smoothed());  // samples count again
}

TEST_CASE("a datagram of a peer's that somebody sends again is no sign of its life", "[link]") {
  SimulatedPair pair(ethernet(), {});
  const bool shared = GENERATE(false, true);
  std::array<std::byte, link::max_datagram_bytes> buffer;
  REQUIRE(pair.b.channel.write(random_bytes(100, 1)) == 100);
  const auto bytes = pair.b.channel.next_datagram(buffer, pair.now);
  REQUIRE(bytes.has_value());
  const auto again = [&] {
    if (shared) pair.a.channel.on_shared({.header = {.counter = 7}, .offset = {}, .payload = {}}, pair.now);
    else pair.a.channel.on_datagram(std::span(buffer).first(*bytes), pair.now);
  };
  again();
  pair.run_for(seconds(1));
  REQUIRE_FALSE(pair.a.channel.dead(pair.now));
  pair.b_to_a.options.loss = 1;
  pair.a_to_b.options.loss = 1;
  pair.a.to_send = random_bytes(1000, 9);
  for (int second = 0; second < 12; ++second) {
    pair.run_for(seconds(1));
    again();
  }
  CHECK(pair.a.channel.dead(pair.now));
}

TEST_CASE("a keepalive finds a dead peer though nothing is written", "[link]") {
  Channel::Options options = ethernet();
  options.keepalive_after = milliseconds(500);
  options.dead_after = seconds(2);
  SimulatedPair pair(options, {});
  pair.run_for(seconds(20));
  CHECK_FALSE(pair.a.channel.dead(pair.now));
  CHECK(pair.a.channel.stats().probes_sent > 5);
  CHECK(pair.a.channel.stats().probes_sent < 60);
  pair.b_to_a.options.loss = 1;
  pair.run_for(milliseconds(3100));
  CHECK(pair.a.channel.dead(pair.now));
}

TEST_CASE("offsets pass 2^32 unharmed", "[link]") {
  Channel::Options options = ethernet();
  options.first_offset = (std::uint64_t{1} << 32) - 700000;
  SimulatedPair pair(options, fifth_of_everything(11));
  pair.a.to_send = random_bytes(mebibyte + mebibyte / 2, 11);
  pair.b.to_send = random_bytes(mebibyte, 12);
  require_delivery(pair, seconds(20));
}

TEST_CASE("an empty write sends nothing", "[link]") {
  SimulatedPair pair(ethernet(), {});
  CHECK(pair.a.channel.write({}) == 0);
  CHECK(pair.a.channel.idle());
  CHECK(pair.a.channel.deadline() == TimePoint::max());
  pair.run_for(seconds(1));
  CHECK(pair.a_to_b.stats.sent == 0);
  CHECK(pair.b_to_a.stats.sent == 0);
}

TEST_CASE("one acknowledgement answers a batch, and a lone datagram's can wait for an answer to carry it", "[link]") {
  SimulatedPair pair(ethernet(), {});
  std::vector<std::byte> buffer(2000);
  const auto pass = [&](Channel& from, Channel& to) {
    int count = 0;
    while (const auto bytes = from.next_datagram(buffer, pair.now)) {
      to.on_datagram(std::span(buffer).first(*bytes), pair.now);
      ++count;
    }
    return count;
  };
  Channel& a = pair.a.channel;
  Channel& b = pair.b.channel;
  a.write(random_bytes(std::size_t{4} * 1400, 1));
  CHECK(pass(a, b) == 4);
  CHECK(pass(b, a) == 1);
  CHECK(a.idle());

  a.write(random_bytes(10, 2));
  CHECK(pass(a, b) == 1);
  CHECK_FALSE(b.next_datagram(buffer, pair.now));
  CHECK(b.deadline() == pair.now + milliseconds(1));
  b.write(random_bytes(10, 3));
  CHECK(pass(b, a) == 1);
  CHECK(a.idle());
  CHECK(b.deadline() > pair.now + milliseconds(1));  // nothing is owed any more

  a.write(random_bytes(10, 4));
  CHECK(pass(a, b) == 1);
  pair.now += milliseconds(1);
  CHECK(pass(b, a) == 1);  // nothing came along, so it goes alone
}

TEST_CASE("garbage is ignored and counted", "[link]") {
  SimulatedPair pair(ethernet(), {.loss = 0.05});
  pair.a.to_send = random_bytes(mebibyte, 13);
  REQUIRE(pair.run_until([&] { return pair.b.received.size() > mebibyte / 2; }, seconds(5)));
  // A genuine body of each kind to be spoilt.
  std::vector<std::vector<std::byte>> genuine;
  pair.a_to_b.options.filter = pair.b_to_a.options.filter = [&](std::span<const std::byte> body) {
    if (genuine.size() < 40) genuine.emplace_back(body.begin(), body.end());
    return true;
  };
  pair.run_for(milliseconds(5));
  REQUIRE(genuine.size() == 40);

  std::mt19937_64 random(14);
  const auto malformed_before = pair.b.channel.stats().malformed;
  const auto spoil = [&](std::vector<std::byte> body) {
    const auto changes = random() % 4;
    for (std::size_t i = 0; i < changes; ++i) body[random() % std::min<std::size_t>(body.size(), 64)] ^= std::byte{7};
    if (random() % 2 == 0) body.resize(random() % (body.size() + 20));
    return body;
  };
  // Without authentication a spoilt body can tell believable lies, so only survival is asked for here.
  link::Channel victim({.local_host = 1, .peer_host = 0, .receive_buffer_bytes = mebibyte});
  victim.write(random_bytes(100000, 15));
  std::vector<std::byte> buffer(2000);
  for (int i = 0; i < 50000; ++i) {
    victim.on_datagram(spoil(genuine[random() % genuine.size()]), pair.now);
    pair.now += microseconds(10);
    if (i % 8 == 0) (void)victim.next_datagram(buffer, pair.now);
    if (i % 64 == 0) victim.consume(victim.readable().size());
  }
  CHECK(victim.stats().malformed > 1000);

  // Bodies that cannot pass for genuine ones do a running channel no harm.
  const auto nonsense = random_bytes(4000, 16);
  for (std::size_t length = 0; length < 1500; ++length) {
    pair.b.channel.on_datagram(std::span(nonsense).first(length), pair.now);
  }
  auto foreign = genuine.front();
  foreign[0] = std::byte{9};  // another version
  pair.b.channel.on_datagram(foreign, pair.now);
  foreign = genuine.front();
  foreign[2] = std::byte{77};  // another host
  pair.b.channel.on_datagram(foreign, pair.now);
  CHECK(pair.b.channel.stats().malformed == malformed_before + 1502);
  require_delivery(pair, seconds(10));
}

TEST_CASE("acknowledgements of what was never sent are malformed", "[link]") {
  Channel channel({.local_host = 1, .peer_host = 0});
  std::vector<std::byte> body(200);
  link::Header header{.type = link::DatagramType::acknowledgement, .source = 0, .destination = 1, .acknowledged = 1};
  std::size_t bytes = link::encode(header, {}, 0, body);
  channel.on_datagram(std::span(body).first(bytes), TimePoint{});
  CHECK(channel.stats().malformed == 1);

  header.acknowledged = 0;
  const link::Range range{5, 10};
  bytes = link::encode(header, {&range, 1}, 0, body);
  channel.on_datagram(std::span(body).first(bytes), TimePoint{});
  CHECK(channel.stats().malformed == 2);

  bytes = link::encode(header, {}, 0, body);
  channel.on_datagram(std::span(body).first(bytes), TimePoint{});
  CHECK(channel.stats().malformed == 2);
  CHECK(channel.stats().datagrams_received == 1);
}

TEST_CASE("data beyond the window is refused and counted", "[link]") {
  Channel channel({.local_host = 1, .peer_host = 0, .receive_buffer_bytes = 1000});
  std::vector<std::byte> body(2000);
  const link::Header header{.source = 0, .destination = 1, .sequence = 901};
  const std::size_t at = link::encode(header, {}, 100, body);
  channel.on_datagram(std::span(body).first(at + 100), TimePoint{});
  CHECK(channel.stats().refused == 1);
  CHECK(channel.stats().malformed == 0);
  CHECK(channel.readable().empty());
  CHECK(channel.next_datagram(body, TimePoint{}).has_value());  // and answered, so that the peer learns the window
}

TEST_CASE("options that cannot work are refused", "[link]") {
  CHECK_THROWS_AS(Channel({.datagram_bytes = 100}), std::invalid_argument);
  CHECK_THROWS_AS(Channel({.datagram_bytes = 65508}), std::invalid_argument);
  CHECK_THROWS_AS(Channel({.receive_buffer_bytes = 0}), std::invalid_argument);
  CHECK_THROWS_AS(Channel({.max_segments = 0}), std::invalid_argument);
  Channel channel({});
  CHECK_THROWS_AS(channel.consume(1), std::invalid_argument);
  std::vector<std::byte> small(100);
  CHECK_THROWS_AS(channel.next_datagram(small, TimePoint{}), std::invalid_argument);
}

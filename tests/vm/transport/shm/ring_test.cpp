#include "vm/transport/shm/ring.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <span>
#include <thread>
#include <vector>

#include "support/deadline.hpp"
#include "support/packet_recorder.hpp"

using namespace nasvm;
using namespace nasvm::shm;
using nasvm::test::pattern;

namespace {

/// A ring in ordinary memory, with both of its ends.
struct Ring {
  explicit Ring(std::size_t line_count, std::size_t stream_from = ~std::size_t{0}, RingWriter::Prepare prepare = {})
      : memory(std::make_unique<Record[]>(line_count)),
        lines(memory.get(), line_count),
        writer(lines, control, stream_from, std::move(prepare)) {
    std::memset(static_cast<void*>(memory.get()), 0, lines.size_bytes());  // as a new segment is
  }

  std::unique_ptr<Record[]> memory;
  RingLines lines;
  RingControl control;
  RingWriter writer;
  RingReader reader{lines, control};

  bool put(std::uint32_t number, const std::vector<std::byte>& payload) {
    Envelope envelope;
    envelope.sender_id = number;
    envelope.payload_bytes = static_cast<std::uint32_t>(payload.size());
    return writer.try_put(envelope, payload.data());
  }
  bool holds(std::uint32_t number, const std::vector<std::byte>& payload) {
    const RingReader::Packet packet = reader.front();
    return packet && packet.envelope->sender_id == number && packet.envelope->payload_bytes == payload.size() &&
           std::equal(payload.begin(), payload.end(), packet.payload);
  }
  [[nodiscard]] bool is_empty() { return !reader.front(); }
  /// True: the writer is to be woken.
  bool take() { return reader.front() && reader.pop(); }
};

/// One that counts the lines that have been prepared, from the front on.
struct PreparedRing : Ring {
  /// And sees that none behind them has been written to.
  bool put(std::uint32_t number, const std::vector<std::byte>& payload) {
    const bool done = Ring::put(number, payload);
    const auto behind = std::as_bytes(lines.subspan(prepared, std::min<std::size_t>(lines.size() - prepared, 100)));
    CHECK(std::ranges::all_of(behind, [](std::byte byte) { return byte == std::byte{0}; }));
    return done;
  }

  explicit PreparedRing(std::size_t line_count)
      : Ring(line_count, ~std::size_t{0}, [this](RingLines more) {
          CHECK(more.data() == lines.data() + prepared);
          prepared += more.size();
        }) {}
  std::size_t prepared = 0;
};

/// Lengths that begin and end records at every place of a line, up to the longest of a ring of 32 lines.
std::vector<std::byte> payload_of(std::uint32_t number) { return pattern(number * 37 % 449, number); }

/// Two threads that wait for each other, until one has waited too long: then both end.
struct Waits {
  void wait(test::Deadline& deadline) {
    std::this_thread::yield();
    if (deadline.passed()) in_vain = true;
  }
  std::atomic<bool> in_vain = false;
};

}  // namespace

TEST_CASE("a fresh ring is empty", "[shm]") {
  Ring ring(16);
  CHECK(ring.is_empty());
  CHECK(RingWriter::max_payload(16 * line_bytes) == 3 * line_bytes);
}

TEST_CASE("a ring's memory is prepared as it is first written to, from the front, each line once", "[shm]") {
  PreparedRing ring(8192);
  CHECK(ring.prepared == 0);
  const std::vector<std::byte> payload = pattern(line_bytes);
  std::size_t written = 0;
  while (ring.put(0, payload)) {
    written += 2;                                                        // one line and its envelope's
    REQUIRE(ring.prepared >= std::min(written + 1, ring.lines.size()));  // the next one's word, too
    const std::size_t ahead = std::clamp<std::size_t>(written + 1, 64, 1024);
    CHECK(ring.prepared <= std::min(written + 1 + ahead, ring.lines.size()));
  }
  CHECK(written >= ring.lines.size() - 2);
  CHECK(ring.prepared == ring.lines.size());
}

TEST_CASE("while the reader keeps up, a ring makes do with its first lines", "[shm]") {
  PreparedRing ring(8192);
  const std::size_t lag = GENERATE(1, 16);
  std::uint32_t taken = 0;
  for (std::uint32_t number = 0; number < 5000; ++number) {
    REQUIRE(ring.put(number, payload_of(number)));
    if (number + 1 < taken + lag) continue;
    REQUIRE(ring.holds(taken, payload_of(taken)));
    (void)ring.reader.pop();
    ++taken;
  }
  CHECK(ring.prepared == first_lap_lines);
}

TEST_CASE("when the reader lags, laps lengthen, and stay so", "[shm]") {
  PreparedRing ring(8192);
  std::uint32_t next = 0, taken = 0;
  int refused = 0;
  const auto leave = [&](std::uint32_t inside) {
    while (next - taken > inside) {
      REQUIRE(ring.holds(taken, {}));
      (void)ring.reader.pop();
      ++taken;
    }
  };
  for (const std::uint32_t lag : {100U, 200U, 400U, 1000U}) {
    for (int i = 0; i < 20000; ++i) {
      if (!ring.put(next, {})) {
        ++refused;
        leave(0);
        REQUIRE(ring.put(next, {}));
      }
      ++next;
      leave(lag);
    }
    leave(0);
    CAPTURE(lag);
    CHECK(ring.prepared >= 2 * lag);
    CHECK(ring.prepared <= 8 * lag);
  }
  CHECK(refused <= 4);  // once for each time that the lag has grown
  for (int i = 0; i < 4; ++i) {
    leave(0);
    while (ring.put(next, {})) ++next;
  }
  CHECK(ring.prepared == ring.lines.size());
  CHECK(next - taken >= ring.lines.size() / 2);
  leave(0);
  CHECK(ring.is_empty());
}

TEST_CASE("the memory of records that are longer than what has been prepared is there, too", "[shm]") {
  PreparedRing ring(2048);
  const std::vector<std::byte> payload = pattern(400 * line_bytes);
  for (std::uint32_t record = 1; record <= 12; ++record) {  // the sixth does not fit before the end
    REQUIRE(ring.put(record, payload));
    CHECK(ring.prepared >= (record > 5 ? ring.lines.size() : record * 401 + 1));
    CHECK(ring.holds(record, payload));
    (void)ring.reader.pop();
  }
  CHECK(ring.prepared == ring.lines.size());
}

TEST_CASE("packets of every length come out unchanged, in order, many laps long", "[shm]") {
  Ring ring(32, GENERATE(std::size_t{0}, std::size_t{100}, ~std::size_t{0}));
  for (std::uint32_t number = 0; number < 2000; ++number) {
    CAPTURE(number);
    REQUIRE(ring.put(number, payload_of(number)));
    REQUIRE(ring.holds(number, payload_of(number)));
    (void)ring.reader.pop();
    REQUIRE(ring.is_empty());
  }
}

TEST_CASE("a packet of any length finds room in an empty ring, wherever that is", "[shm]") {
  const std::size_t lines = GENERATE(std::size_t{32}, std::size_t{512}, std::size_t{4096});
  const std::size_t quarter = lines / 4;
  for (const std::size_t packet_lines :
       {std::size_t{1}, std::size_t{2}, std::size_t{16}, std::size_t{17}, std::size_t{65}, quarter - 1, quarter}) {
    if (packet_lines > quarter) continue;
    const auto payload = pattern((packet_lines - 1) * line_bytes);
    for (std::uint32_t short_ones = 0; short_ones < 2 * std::min(lines, first_lap_lines); ++short_ones) {
      Ring ring(lines);
      bool fits = true;
      for (std::uint32_t i = 0; i < short_ones; ++i) {
        fits = fits && ring.put(i, {});
        (void)ring.take();
      }
      fits = fits && ring.put(99, payload);
      if (fits && ring.holds(99, payload)) continue;
      CAPTURE(lines, packet_lines, short_ones);
      FAIL("there is no room");
    }
  }
}

TEST_CASE("a writer that has found no room in a short lap is woken, and finds room then", "[shm]") {
  for (std::uint32_t short_ones = 0; short_ones < 2 * first_lap_lines; short_ones += 3) {
    for (const std::size_t bytes : {0, 100, 700}) {
      Ring ring(4096);
      const auto payload = pattern(bytes);
      for (std::uint32_t i = 0; i < short_ones; ++i) {
        (void)ring.put(i, {});
        (void)ring.take();
      }
      CAPTURE(short_ones, bytes);
      std::uint32_t inside = 0;
      for (int burst = 0; burst < 3; ++burst) {
        while (ring.put(inside, payload)) ++inside;
        ring.writer.announce_waiting();
        REQUIRE_FALSE(ring.put(inside, payload));
        while (inside > 0) {
          --inside;
          if (ring.take()) break;
        }
        REQUIRE(ring.put(inside, payload));
        ++inside;
      }
    }
  }
}

TEST_CASE("a full ring refuses packets and loses none", "[shm]") {
  const std::size_t lines = GENERATE(std::size_t{32}, std::size_t{2048});
  Ring ring(lines);
  std::deque<std::uint32_t> inside;
  std::mt19937 random(3);
  std::uint32_t next = 0;
  int refused = 0;
  for (int step = 0; step < 40000; ++step) {
    // Now the writer is ahead for a while, now the reader.
    const bool writes = random() % 16 < (step / (2 * static_cast<int>(lines)) % 2 == 0 ? 10U : 6U);
    if (writes) {
      if (ring.put(next, payload_of(next))) {
        inside.push_back(next++);
      } else {
        ++refused;
        REQUIRE_FALSE(inside.empty());
      }
    } else if (!inside.empty()) {
      REQUIRE(ring.holds(inside.front(), payload_of(inside.front())));
      (void)ring.reader.pop();
      inside.pop_front();
    } else {
      REQUIRE(ring.is_empty());
    }
  }
  CHECK(refused > 100);
  CHECK(next > 1000);
}

TEST_CASE("a writer that waits is woken once, when a quarter of the ring is free", "[shm]") {
  Ring ring(16);
  std::uint32_t count = 0;
  while (ring.put(count, {})) ++count;
  ring.writer.announce_waiting();
  REQUIRE_FALSE(ring.put(count, {}));
  int woken = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const bool wakes = ring.reader.pop();
    woken += wakes ? 1 : 0;
    if (wakes) CHECK(ring.put(1000, {}));
  }
  CHECK(woken == 1);
}

TEST_CASE("what an earlier lap has left is not taken for a packet", "[shm]") {
  // Payloads full of what looks like the first word of a record.
  const std::size_t lines = GENERATE(std::size_t{16}, std::size_t{1024});
  Ring ring(lines);
  const std::vector<std::byte> tempting(3 * line_bytes, std::byte{1});
  const auto payload = [&](std::uint32_t number) { return number % 3 == 0 ? std::vector<std::byte>() : tempting; };
  std::uint32_t taken = 0;
  const auto take_until = [&](std::uint32_t number) {
    for (; taken < number; ++taken) {
      REQUIRE(ring.holds(taken, payload(taken)));
      (void)ring.reader.pop();
    }
    REQUIRE(ring.is_empty());
  };
  for (std::uint32_t number = 0; number < 2000; ++number) {
    if (!ring.put(number, payload(number))) {
      take_until(number);
      REQUIRE(ring.put(number, payload(number)));
    }
    // In the large ring the reader lags now and then, so that laps lengthen.
    if (lines == 16 || number / 150 % 2 == 0) take_until(number + 1);
  }
}

TEST_CASE("two threads at the ends of a ring see every packet once and whole", "[shm]") {
  constexpr std::uint32_t packets = 20000;
  Ring ring(GENERATE(std::size_t{32}, std::size_t{512}, std::size_t{4096}));
  Waits waits;
  std::thread writer([&] {
    test::Deadline deadline;
    for (std::uint32_t number = 0; number < packets && !waits.in_vain;) {
      if (ring.put(number, payload_of(number % 500))) {
        ++number;
      } else {
        waits.wait(deadline);
      }
    }
  });
  std::uint32_t wrong = 0;
  test::Deadline deadline;
  for (std::uint32_t number = 0; number < packets && !waits.in_vain;) {
    if (ring.is_empty()) {
      waits.wait(deadline);
      continue;
    }
    wrong += ring.holds(number, payload_of(number % 500)) ? 0 : 1;
    (void)ring.reader.pop();
    ++number;
  }
  writer.join();
  CHECK_FALSE(waits.in_vain);
  CHECK(wrong == 0);
  CHECK(ring.is_empty());
}

TEST_CASE("of a writer and a reader that announce and then look, one sees the other", "[shm]") {
  // The reader "sleeps" on a flag when there is nothing; the writer clears the flag after each packet. Neither may
  // wait for the other for ever, which a lost wake-up makes it do.
  constexpr std::uint32_t packets = 5000;
  Ring ring(16);
  std::atomic<std::uint32_t> asleep{0}, full{0};
  Waits waits;
  const auto wait_while = [&](const std::atomic<std::uint32_t>& flag, test::Deadline& deadline) {
    while (flag.load(std::memory_order_seq_cst) != 0 && !waits.in_vain) waits.wait(deadline);
  };
  std::thread writer([&] {
    test::Deadline deadline;
    for (std::uint32_t number = 0; number < packets && !waits.in_vain;) {
      full.store(1, std::memory_order_seq_cst);
      ring.writer.announce_waiting();
      if (!ring.put(number, {})) {
        wait_while(full, deadline);
        continue;
      }
      ++number;
      asleep.store(0, std::memory_order_seq_cst);
    }
  });
  std::uint32_t wrong = 0;
  test::Deadline deadline;
  for (std::uint32_t number = 0; number < packets && !waits.in_vain;) {
    asleep.store(1, std::memory_order_seq_cst);
    if (ring.is_empty()) {
      wait_while(asleep, deadline);
      continue;
    }
    wrong += ring.holds(number, {}) ? 0 : 1;
    ++number;
    if (ring.reader.pop()) full.store(0, std::memory_order_seq_cst);
  }
  writer.join();
  CHECK_FALSE(waits.in_vain);
  CHECK(wrong == 0);
}

// --- records of one line ------------------------------------------------------------------------------------------

namespace {

/// A whole message, as most are.
Envelope whole_message(std::size_t bytes) {
  Envelope envelope;
  envelope.source = 11;
  envelope.destination = 12;
  envelope.element_bytes = 4;
  envelope.context = 5;
  envelope.tag = -6;
  envelope.credit = 7;
  envelope.payload_bytes = static_cast<std::uint32_t>(bytes);
  envelope.message_bytes = bytes;
  return envelope;
}

bool are_same(const Envelope& one, const Envelope& other) {
  return std::ranges::equal(std::as_bytes(std::span(&one, 1)), std::as_bytes(std::span(&other, 1)));
}

/// How many of them a ring of so many lines takes.
int room_for(const Envelope& envelope, std::size_t line_count) {
  Ring ring(line_count);
  const auto payload = pattern(envelope.payload_bytes);
  int count = 0;
  while (ring.writer.try_put(envelope, payload.data())) ++count;
  return count;
}

}  // namespace

TEST_CASE("short messages take a line or half of one, and come out as they went in", "[shm]") {
  Ring ring(32);
  for (std::size_t bytes = 0; bytes < 300; ++bytes) {
    CAPTURE(bytes);
    const Envelope envelope = whole_message(bytes % 50);
    const auto payload = pattern(bytes % 50, static_cast<std::uint32_t>(bytes));
    REQUIRE(ring.writer.try_put(envelope, payload.data()));
    for (int looks = 0; looks < 2; ++looks) {
      const RingReader::Packet packet = ring.reader.front();
      REQUIRE(packet);
      REQUIRE(are_same(*packet.envelope, envelope));
      REQUIRE(std::equal(payload.begin(), payload.end(), packet.payload));
    }
    (void)ring.reader.pop();
    REQUIRE(ring.is_empty());
  }
  // One line stays free; the first says between whom they go, and takes two.
  CHECK(room_for(whole_message(ShortRecord::most_bytes), 32) == 30);
  CHECK(room_for(whole_message(ShortRecord::most_bytes + 1), 32) == 15);
}

TEST_CASE("of many of the shortest messages in a row, two share a line", "[shm]") {
  constexpr std::size_t shortest = ShortRecord::most_half_bytes;
  // One line stays free; the first takes two, eight more a line each, the others half of one.
  CHECK(room_for(whole_message(shortest), 32) == 1 + 8 + 2 * 21);
  CHECK(room_for(whole_message(0), 32) == 1 + 8 + 2 * 22);
  CHECK(room_for(whole_message(shortest + 1), 32) == 30);
}

TEST_CASE("a message that is longer or says more closes the half of a line that was kept for another one", "[shm]") {
  Ring ring(32);
  const bool reader_is_behind = GENERATE(false, true);
  std::deque<Envelope> inside;
  const auto payload = pattern(200);
  const auto take = [&] {
    const RingReader::Packet packet = ring.reader.front();
    REQUIRE(packet);
    CHECK(are_same(*packet.envelope, inside.front()));
    CHECK(std::equal(payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(inside.front().payload_bytes),
                     packet.payload));
    (void)ring.reader.pop();
    inside.pop_front();
  };
  const auto put = [&](const Envelope& envelope) {
    while (!ring.writer.try_put(envelope, payload.data())) take();
    inside.push_back(envelope);
    while (!reader_is_behind && !inside.empty()) take();
    if (!reader_is_behind) REQUIRE(ring.is_empty());
  };
  Envelope other = whole_message(8);
  other.sender_id = 23;
  for (int shortest = 0; shortest < 40; ++shortest) {
    for (const Envelope& closing : {whole_message(20), whole_message(200), other}) {
      for (int i = 0; i < shortest; ++i) put(whole_message(static_cast<std::size_t>(i % 9)));
      put(closing);
    }
  }
  while (!inside.empty()) take();
  CHECK(ring.is_empty());
}

TEST_CASE("what a line has no place for is written in full", "[shm]") {
  Ring ring(32);
  const auto payload = pattern(20);
  const auto passes = [&](const Envelope& envelope) {
    REQUIRE(ring.writer.try_put(envelope, payload.data()));
    const RingReader::Packet packet = ring.reader.front();
    REQUIRE(packet);
    CHECK(are_same(*packet.envelope, envelope));
    CHECK(std::equal(payload.begin(), payload.end(), packet.payload));
    (void)ring.reader.pop();
  };
  passes(whole_message(20));
  for (int field = 0; field < 9; ++field) {
    CAPTURE(field);
    Envelope envelope = whole_message(20);
    if (field == 0) envelope.source = 21;
    if (field == 1) envelope.destination = 22;
    if (field == 2) envelope.sender_id = 23;
    if (field == 3) envelope.invitation = 24;
    if (field == 4) envelope.offset = 25;
    if (field == 5) envelope.message_bytes = 26;
    if (field == 6) envelope.mark = 27;
    if (field == 7) envelope.version = 28;
    if (field == 8) envelope.reserved = 29;
    passes(envelope);
    passes(whole_message(20));
    passes(whole_message(20));
  }
  Envelope other = whole_message(20);
  other.kind = PacketKind::data;
  other.synchronous = 1;
  other.payload_order = 1 - Envelope::native_order;
  passes(other);
}

TEST_CASE("two threads at the ends of a ring see short and long messages in their order", "[shm]") {
  constexpr std::uint32_t messages = 20000;
  // Some of all lengths, then some of the shortest.
  const auto bytes_of = [](std::uint32_t number) {
    return std::size_t{number * 7 % (number / 64 % 2 == 0 ? 80 : 9)};
  };
  const auto numbered = [&](std::uint32_t number) {
    Envelope envelope = whole_message(bytes_of(number));
    envelope.credit = number;
    return envelope;
  };
  Ring ring(GENERATE(std::size_t{32}, std::size_t{512}, std::size_t{4096}));
  Waits waits;
  std::thread writer([&] {
    test::Deadline deadline;
    for (std::uint32_t number = 0; number < messages && !waits.in_vain;) {
      const auto payload = pattern(bytes_of(number), number);
      if (ring.writer.try_put(numbered(number), payload.data())) {
        ++number;
      } else {
        waits.wait(deadline);
      }
    }
  });
  std::uint32_t wrong = 0;
  test::Deadline deadline;
  for (std::uint32_t number = 0; number < messages && !waits.in_vain;) {
    const RingReader::Packet packet = ring.reader.front();
    if (!packet) {
      waits.wait(deadline);
      continue;
    }
    const auto payload = pattern(bytes_of(number), number);
    const bool right =
        are_same(*packet.envelope, numbered(number)) && std::equal(payload.begin(), payload.end(), packet.payload);
    wrong += right ? 0 : 1;
    (void)ring.reader.pop();
    ++number;
  }
  writer.join();
  CHECK_FALSE(waits.in_vain);
  CHECK(wrong == 0);
  CHECK(ring.is_empty());
}

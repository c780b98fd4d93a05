#include "vm/multicast/wire/envelope.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "vm/multicast/wire/replay_window.hpp"

using namespace nasvm::multicast;

namespace {

std::array<std::byte, envelope_bytes> written(const GroupEnvelope& envelope) {
  std::array<std::byte, envelope_bytes> bytes{};
  encode(envelope, bytes);
  return bytes;
}

}  // namespace

TEST_CASE("an envelope is read as it was written", "[multicast]") {
  for (unsigned marks = 0; marks < 8; ++marks) {
    const GroupEnvelope envelope{.authenticated = (marks & 1) != 0,
                                 .to_all = (marks & 2) != 0,
                                 .of_set_up = (marks & 4) != 0,
                                 .from = 0xfedc,
                                 .label = 0x89abcdef,
                                 .counter = counter_limit - 2};
    const auto read = decode_envelope(written(envelope));
    REQUIRE(read);
    CHECK(read->authenticated == envelope.authenticated);
    CHECK(read->to_all == envelope.to_all);
    CHECK(read->of_set_up == envelope.of_set_up);
    CHECK(read->from == envelope.from);
    CHECK(read->label == envelope.label);
    CHECK(read->counter == envelope.counter);
  }
}

TEST_CASE("what has no envelope of ours is refused", "[multicast]") {
  const auto good = written({});
  CHECK(decode_envelope(good));
  for (std::size_t length = 0; length < envelope_bytes; ++length) {
    CHECK_FALSE(decode_envelope(std::span(good).first(length)));
  }
  auto bad = good;
  bad[0] ^= std::byte{1};
  CHECK_FALSE(decode_envelope(bad));
  for (const int second : {0x00, 0x20, 0x18, 0x1f, 0xff}) {
    bad = good;
    bad[1] = static_cast<std::byte>(second);
    CHECK_FALSE(decode_envelope(bad));
  }
}

TEST_CASE("any bytes are an envelope that is written as they were, or none", "[multicast]") {
  std::mt19937 random(12);
  int read_count = 0;
  for (int i = 0; i < 20000; ++i) {
    std::array<std::byte, envelope_bytes> bytes;
    for (auto& byte : bytes) byte = static_cast<std::byte>(random());
    if (i % 2 == 0) bytes[0] = std::byte{'M'};
    const auto read = decode_envelope(bytes);
    if (!read) continue;
    ++read_count;
    CHECK(written(*read) == bytes);
  }
  CHECK(read_count > 100);
}

TEST_CASE("a datagram is taken once, late or not, and not when it is too old", "[multicast]") {
  ReplayWindow window;
  CHECK(window.is_new(0));
  CHECK_FALSE(window.is_new(0));
  CHECK(window.is_new(5));
  CHECK(window.is_new(3));
  CHECK_FALSE(window.is_new(3));
  CHECK(window.is_new(ReplayWindow::width + 5));
  CHECK_FALSE(window.is_new(5));
  CHECK(window.is_new(6));
  CHECK_FALSE(window.is_new(6));
  CHECK_FALSE(window.is_new(4));  // never seen, but too old to tell
  CHECK(window.is_new(counter_limit - 1));
  CHECK_FALSE(window.is_new(counter_limit - 1));
  CHECK(window.is_new(counter_limit - ReplayWindow::width));
  CHECK_FALSE(window.is_new(counter_limit - ReplayWindow::width - 1));
}

TEST_CASE("a window takes what a set of all counters would, as far as it looks back", "[multicast]") {
  std::mt19937_64 random(7);
  const std::uint64_t spread = GENERATE(10U, 1000U, 3 * ReplayWindow::width);
  ReplayWindow window;
  std::set<std::uint64_t> seen;
  std::uint64_t highest = 0;
  for (int i = 0; i < 30000; ++i) {
    const std::uint64_t low = highest > spread ? highest - spread : 0;
    const std::uint64_t counter = low + random() % (2 * spread);
    const bool too_old = !seen.empty() && highest + 1 - std::min(counter, highest) > ReplayWindow::width;
    const bool fresh = !too_old && !seen.contains(counter);
    REQUIRE(window.is_new(counter) == fresh);
    seen.insert(counter);
    highest = std::max(highest, counter);
  }
}

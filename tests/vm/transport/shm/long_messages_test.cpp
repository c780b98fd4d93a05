#include "vm/transport/shm/long_messages.hpp"

#include <catch2/catch.hpp>

using namespace nasvm;
using namespace nasvm::shm;

namespace {

constexpr std::size_t K = 1024;

// GB/s through rings of 64 and 256 KiB, and fetched.

/// Zen 4, first-level caches of 32 KiB: streams of `nasvm p2p` through the ring and with shm:pull=64k.
const CopyRates zen4{{64 * K, 8.3, 8.5, 12.9}, {256 * K, 8.3, 8.5, 12.9}, {1024 * K, 8.4, 8.5, 12.9}};
/// Zen 5, first-level caches of 48 KiB: streams of 1 MiB, shm:pull=0 and shm:pull=64k.
const CopyRates zen5{{64 * K, 50, 58, 14.4}, {256 * K, 50, 58, 14.4}, {1024 * K, 50, 58, 14.4}};
/// Zen 4, filling the ring past the cache: streams of `nasvm p2p`.
const CopyRates zen4_past_cache{
    {64 * K, 8.3, 8.9, 10.0, 16.1}, {256 * K, 8.3, 8.5, 12.7, 15.2}, {1024 * K, 8.4, 8.6, 13.3, 15.9}};
/// Cascade Lake, Intel Xeon 2.5 GHz: the probe.
const CopyRates cascade_lake{{64 * K, 7.8, 6.4, 6.3}, {256 * K, 9.0, 9.0, 6.8}, {1024 * K, 9.5, 9.6, 7.5}};

}  // namespace

TEST_CASE("where fetching is faster at every length messages are fetched, and announced from there on", "[shm]") {
  const LongMessageChoice choice = choose_long_messages(zen4, Cores::own);
  CHECK(choice.fetch_from == 64 * K);
  CHECK(choice.announce_from == 64 * K);
  CHECK(choice.ring_bytes == 256 * K);
}

TEST_CASE("where two cores copy faster through a ring, messages of a sender that stands by go through it", "[shm]") {
  for (const CopyRates& rates : {zen5, cascade_lake}) {
    const LongMessageChoice choice = choose_long_messages(rates, Cores::own);
    CHECK(choice.fetch_from == LongMessageChoice::never);
    CHECK(choice.announce_from == 128 * K);
    CHECK(choice.ring_bytes == 256 * K);
  }
}

TEST_CASE("where fetching wins for the longest only, those alone are fetched from everybody", "[shm]") {
  CopyRates rates = zen5;
  rates.back().fetched = 100;
  const LongMessageChoice choice = choose_long_messages(rates, Cores::own);
  CHECK(choice.fetch_from == 1024 * K);
  CHECK(choice.announce_from == 128 * K);
  rates = zen4;
  rates.back().fetched = 5;  // and where it wins for shorter ones only, nothing is
  CHECK(choose_long_messages(rates, Cores::own).fetch_from == LongMessageChoice::never);
}

TEST_CASE("where it is faster at every length, what goes through shared memory is written past the cache", "[shm]") {
  for (const Cores cores : {Cores::own, Cores::shared}) {
    CHECK(choose_long_messages(zen4_past_cache, cores).stream_from == 8 * K);
    CHECK(choose_long_messages(zen4_past_cache, cores).ring_bytes == 256 * K);
  }
  // The ring is faster than fetching then.
  CHECK(choose_long_messages(zen4_past_cache, Cores::own).fetch_from == LongMessageChoice::never);
  CopyRates rates = zen4_past_cache;
  rates[2].large_ring = rates[2].streamed = 0;  // the probe's time was over
  CHECK(choose_long_messages(rates, Cores::own).stream_from == 8 * K);
  rates[1].streamed = 9.0;
  CHECK(choose_long_messages(rates, Cores::own).stream_from == LongMessageChoice::never);
  for (const CopyRates& others : {zen4, zen5, cascade_lake, CopyRates{}}) {
    CHECK(choose_long_messages(others, Cores::own).stream_from == LongMessageChoice::never);
  }
}

TEST_CASE("where small rings are faster at every length, rings are small", "[shm]") {
  CopyRates rates = zen5;
  for (CopyRate& rate : rates) rate.small_ring = 2 * rate.large_ring;
  CHECK(choose_long_messages(rates, Cores::own).ring_bytes == 64 * K);
}

TEST_CASE("what is not known changes nothing, and tasks that share cores fetch from 64 KiB on", "[shm]") {
  const LongMessageChoice usual{.announce_from = 128 * K, .ring_bytes = 256 * K};
  CHECK(choose_long_messages({}, Cores::own) == usual);
  CHECK(choose_long_messages({{64 * K, 0, 0, 0}, {256 * K, 0, 0, 9}, {1024 * K, 7, 0, 0}}, Cores::own) == usual);
  CHECK(choose_long_messages(zen5, Cores::shared) ==
        LongMessageChoice{.announce_from = 64 * K, .fetch_from = 64 * K, .ring_bytes = 256 * K});
}

TEST_CASE("messages go through the ring in eighths, in whole lines, of 8 KiB at least", "[shm]") {
  CHECK(usual_piece(0) == 8 * K);
  CHECK(usual_piece(64 * K) == 8 * K);
  CHECK(usual_piece(64 * K + 1) == 8 * K + 64);
  CHECK(usual_piece(128 * K) == 16 * K);
}

TEST_CASE("a choice is told with its reason", "[shm]") {
  CHECK(describe(choose_long_messages({}, Cores::own), {}) ==
        "256 KiB rings; messages from 128 KiB on are fetched unless their sender stands by; not measured");
  // A probe whose time was over before it was through.
  const std::string cut = describe(choose_long_messages({}, Cores::own), {{64 * K, 8, 9, 7}, {256 * K, 0, 0, 0}});
  CHECK(cut.find("64 KiB: 8.0") != std::string::npos);
  CHECK(cut.find("256 KiB: ") == std::string::npos);
  CHECK(describe(choose_long_messages({}, Cores::own), {{64 * K, 0, 0, 0}}).ends_with("not measured"));
  const std::string text = describe(choose_long_messages(zen4, Cores::own), zen4);
  CHECK(text.find("from 64 KiB on are fetched, whatever their sender does") != std::string::npos);
  CHECK(text.find("64 KiB: 8.3 and 8.5 GB/s through rings of 64 and 256 KiB, 0.0 past the cache, 12.9 fetched") !=
        std::string::npos);
  const std::string streamed = describe(choose_long_messages(zen4_past_cache, Cores::own), zen4_past_cache);
  CHECK(streamed.find("; from 8 KiB on written past the cache; 64 KiB: ") != std::string::npos);
}

TEST_CASE("a board pays for many readers, and has an end", "[shm]") {
  CHECK(board_pays(2'000'000, 29, 2));
  CHECK(board_pays(2'000'000, 6, 2));
  CHECK_FALSE(board_pays(2'000'000, 5, 2));  // the copy more takes what the readers spare
  CHECK_FALSE(board_pays(2'000'000, 29, 16));
  CHECK(board_pays(8192 * K, 29, 2));
  CHECK_FALSE(board_pays(8192 * K + 1, 29, 2));
}

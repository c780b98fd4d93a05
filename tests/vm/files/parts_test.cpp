// The logic below the file cache: layout, notes, batches, copies, patterns, gatherings, parameters.

#include <catch2/catch.hpp>

#include "vm/files/access_pattern.hpp"
#include "vm/files/block_copies.hpp"
#include "vm/files/gathering.hpp"
#include "vm/files/layout.hpp"
#include "vm/files/note.hpp"
#include "vm/files/run_pattern.hpp"
#include "vm/files/session.hpp"
#include "vm/files/straight_reads.hpp"
#include "vm/files/write_batch.hpp"

using namespace nasvm;
using namespace nasvm::files;

TEST_CASE("blocks are dealt out to owners in turn", "[files]") {
  const std::size_t block_bytes = GENERATE(4096, 12288);
  const Layout layout(block_bytes, {4, 2, 7});
  for (std::uint64_t block = 0; block < 9; ++block) {
    CHECK(layout.owner_of(block) == std::vector<int>{4, 2, 7}[block % 3]);
    CHECK(layout.block_of(block * block_bytes) == block);
    CHECK(layout.block_of((block + 1) * block_bytes - 1) == block);
  }
  CHECK(layout.owns(2));
  CHECK_FALSE(layout.owns(0));
  const std::uint64_t far = longest_file - 5;
  CHECK(layout.begin_of(layout.block_of(far)) <= far);
  CHECK(layout.end_of(layout.block_of(far)) > far);
}

TEST_CASE("blocks that follow each other may be one owner's", "[files]") {
  const Layout layout(4096, {4, 2, 7}, 3);
  for (std::uint64_t block = 0; block < 20; ++block) {
    CHECK(layout.owner_of(block) == std::vector<int>{4, 2, 7}[block / 3 % 3]);
  }
}

TEST_CASE("blocks cut ranges into parts", "[files]") {
  const Layout layout(100, {0});
  std::vector<std::uint64_t> parts;
  layout.for_each_part(250, 200, [&](std::uint64_t block, std::uint64_t position, std::size_t bytes) {
    for (const std::uint64_t number : {block, position, std::uint64_t{bytes}}) parts.push_back(number);
  });
  CHECK(parts == std::vector<std::uint64_t>{2, 250, 50, 3, 300, 100, 4, 400, 50});
  layout.for_each_part(250, 0, [&](auto...) { FAIL("nothing has no parts"); });
}

TEST_CASE("notes come out as they went in", "[files]") {
  const Note note{.kind = Kind::data,
                  .file = 0xfedcba98,
                  .code = -28,
                  .number = 0x123456789abcdef0,
                  .position = UINT64_MAX,
                  .bytes = 77};
  const auto message = encode(note, std::string_view("text"));
  CHECK(decode(message) == note);
  CHECK(text_of(body_of(message)) == "text");
  CHECK_THROWS_AS(decode(std::span(message).first(note_bytes - 1)), RunError);
  auto other = message;
  other[0] = std::byte{200};
  CHECK_THROWS_AS(decode(other), RunError);
}

TEST_CASE("bytes that follow each other become one piece of a batch", "[files]") {
  WriteBatch batch(100);
  CHECK(batch.empty());
  const auto write = [&](std::uint64_t position, std::size_t bytes, int value) {
    const auto room = batch.open(position, bytes);
    if (room.empty()) return false;
    std::fill_n(room.begin(), bytes, static_cast<std::byte>(value));
    batch.close(bytes);
    return true;
  };
  CHECK(write(1000, 10, 1));
  CHECK(write(1010, 5, 2));
  CHECK(write(2000, 20, 3));
  CHECK_FALSE(write(3000, 34, 4));  // two heads and 35 bytes are there, and another head
  CHECK(write(2020, 33, 5));
  const auto message = batch.take({.kind = Kind::write, .file = 3});
  CHECK(batch.empty());
  CHECK(decode(message).file == 3);
  std::vector<std::pair<std::uint64_t, std::size_t>> pieces;
  for_each_piece(body_of(message), [&](std::uint64_t position, std::span<const std::byte> data) {
    pieces.emplace_back(position, data.size());
  });
  CHECK(pieces == std::vector<std::pair<std::uint64_t, std::size_t>>{{1000, 15}, {2000, 53}});
  CHECK_THROWS_AS(for_each_piece(body_of(message).first(20), [](auto...) {}), RunError);
  CHECK_THROWS_AS(for_each_piece(body_of(message).first(15), [](auto...) {}), RunError);
  CHECK(write(2053, 1, 6));  // a new batch begins with a new piece
  CHECK(batch.take({}).size() == note_bytes + 17);
}

TEST_CASE("of copies, the last used stay, and those on their way", "[files]") {
  BlockCopies copies(2, 16);
  REQUIRE(copies.add({1, 1}) != nullptr);
  copies.find({1, 1})->there = true;
  REQUIRE(copies.add({1, 2}) != nullptr);
  CHECK(copies.add({1, 2}) == nullptr);  // has its room already
  REQUIRE(copies.add({1, 3}) != nullptr);
  CHECK(copies.find({1, 1}) == nullptr);
  CHECK(copies.add({1, 4}) == nullptr);  // two are on their way
  copies.find({1, 2})->there = true;
  copies.find({1, 3})->there = true;
  (void)copies.find({1, 2});
  REQUIRE(copies.add({2, 9}) != nullptr);
  CHECK(copies.find({1, 3}) == nullptr);
  CHECK(copies.find({1, 2})->data.size() == 16);
  copies.drop_file(1);
  CHECK(copies.size() == 1);
  copies.drop({2, 9});
  CHECK(copies.size() == 0);
  copies.set_limit(0);
  CHECK(copies.add({1, 1}) == nullptr);
}

TEST_CASE("the same step twice is a pattern, and promises more the longer it holds", "[files]") {
  using Blocks = std::vector<std::uint64_t>;
  AccessPattern pattern;
  CHECK(pattern.next(10, 100).empty());
  CHECK(pattern.next(10, 100).empty());
  CHECK(pattern.next(12, 100).empty());
  CHECK_FALSE(pattern.holds());
  CHECK(pattern.next(14, 100) == Blocks{16, 18});
  CHECK(pattern.holds());
  CHECK(pattern.next(16, 100) == Blocks{20, 22, 24});
  CHECK(pattern.next(18, 100) == Blocks{26, 28, 30, 32, 34});
  CHECK(pattern.next(20, 100) == Blocks{36});
  CHECK(pattern.next(5, 100).empty());
  CHECK_FALSE(pattern.holds());
  CHECK(pattern.next(4, 100).empty());
  CHECK(pattern.next(3, 100) == Blocks{2, 1});
  CHECK(pattern.next(2, 100) == Blocks{0});
  AccessPattern to_the_end;
  for (const std::uint64_t block : {0, 1}) CHECK(to_the_end.next(block, 4).empty());
  CHECK(to_the_end.next(2, 4) == Blocks{3});
  CHECK(to_the_end.next(3, 4).empty());
}

TEST_CASE("a gathering ends when all are there, with what all have brought", "[files]") {
  Gathering gathering(3);
  CHECK_FALSE(gathering.arrive(2, 1, {"call", {5, -1}, "two", 0, {}}));
  CHECK_FALSE(gathering.arrive(0, 1, {"call", {7, 0}, "null", 0, {}}));
  CHECK(gathering.arrived(1) == std::vector<int>{0, 2});
  const auto settled = gathering.arrive(1, 1, {"call", {6, 9}, "one", 28, "full"});
  REQUIRE(settled);
  CHECK(settled->receivers == std::vector<int>{0, 1, 2});
  const Outcome outcome = unpack_outcome(pack(settled->outcome));
  CHECK(outcome.least == std::vector<std::int64_t>{5, -1});
  CHECK(outcome.most == std::vector<std::int64_t>{7, 9});
  CHECK(outcome.texts == std::vector<std::string>{"null", "one", "two"});
  CHECK((outcome.code == 28 && outcome.error == "full"));
  CHECK(gathering.arrived(1).empty());
  CHECK_FALSE(gathering.give_up(1, "late"));
}

TEST_CASE("who comes to a gathering that was given up is told so", "[files]") {
  Gathering gathering(2);
  CHECK_FALSE(gathering.arrive(0, 4, unpack_arrival(pack(Arrival{"call", {1}, "", 0, {}}))));
  const auto settled = gathering.give_up(4, "task 1 sleeps");
  REQUIRE(settled);
  CHECK((settled->receivers == std::vector<int>{0} && settled->outcome.error == "call: task 1 sleeps"));
  const auto late = gathering.arrive(1, 4, {"call", {1}, "", 0, {}});
  REQUIRE(late);
  CHECK((late->receivers == std::vector<int>{1} && late->outcome.error == "call: task 1 sleeps"));
}

TEST_CASE("parameters of the file cache", "[files]") {
  const Options options =
      parse_settings("block=256k:owners=host:evict=fifo:sync=off:data=0:disk=1M:straight=4k:handon=off").options;
  CHECK((options.block_bytes == 256 * 1024 && options.data_bytes == 0 && options.disk_bytes == 1 << 20));
  CHECK((options.owners == Owners::one_per_host && options.eviction == Eviction::first_in && !options.durable));
  CHECK((options.share_memory && options.prefetch && !options.hand_on && options.straight_bytes == 4096));
  const Settings listed = parse_settings("owners=3,0,12:direct=on");
  CHECK((listed.options.owners == Owners::listed && listed.options.owner_list == std::vector<int>{3, 0, 12}));
  CHECK((listed.caching == Caching::direct));
  for (const char* wrong :
       {"blocks=1", "block=5000", "owners=", "owners=some", "owners=1,", "owners=1;2", "owners=99999999999"}) {
    INFO(wrong);
    CHECK_THROWS_AS(parse_settings(wrong), UsageError);
  }
}

TEST_CASE("reads go straight to the page cache when they are long, and pause when it has not got them", "[files]") {
  StraightReads reads;
  CHECK((!reads.tries(511, 512) && reads.tries(512, 512) && !reads.tries(1 << 20, 0)));
  for (const int pause : {1, 3, 7}) {
    reads.missed();
    for (int i = 0; i < pause; ++i) CHECK_FALSE(reads.tries(512, 512));
    CHECK(reads.tries(512, 512));
  }
  reads.found();
  reads.missed();
  CHECK((!reads.tries(512, 512) && reads.tries(512, 512)));
}

TEST_CASE("runs of one length at one distance are a pattern", "[files]") {
  RunPattern pattern;
  const auto read_run = [&](std::uint64_t begin, int accesses) {
    for (int i = 0; i < accesses; ++i) pattern.access(begin + static_cast<std::uint64_t>(i) * 10, 10);
  };
  for (const std::uint64_t begin : {1000U, 1100U, 1200U}) read_run(begin, 3);
  CHECK_FALSE(pattern.holds());
  read_run(1300, 2);
  CHECK(pattern.goes_on());
  pattern.access(1400, 10);
  CHECK_FALSE(pattern.holds());  // the last one was shorter
  pattern.access(1410, 20);
  read_run(1500, 3);
  read_run(1600, 3);
  read_run(1700, 1);
  REQUIRE(pattern.holds());
  CHECK_FALSE(pattern.goes_on());
  CHECK(pattern.next(10'000, 90) == Runs{1700, 30, 100, 3});
  CHECK(pattern.next(1929, 90) == Runs{1700, 30, 100, 2});
  CHECK(pattern.next(1729, 90) == Runs{});
  CHECK(pattern.next(10'000, 29).count == 0);
  pattern.access(1650, 10);  // backwards
  CHECK_FALSE(pattern.holds());
}

TEST_CASE("what lies close together is no pattern of runs, nor is what has no length", "[files]") {
  RunPattern dense;
  for (std::uint64_t begin = 0; begin < 1000; begin += 100) dense.access(begin, 51);
  CHECK_FALSE(dense.holds());
  RunPattern empty;
  for (std::uint64_t begin = 0; begin < 1000; begin += 100) empty.access(begin, 0);
  CHECK_FALSE(empty.holds());
}

TEST_CASE("runs know where bytes are among theirs", "[files]") {
  constexpr Runs runs{1000, 30, 100, 3};
  CHECK(runs.bytes() == 90);
  CHECK(runs.place_of(1000, 30) == 0);
  CHECK(runs.place_of(1110, 20) == 40);
  CHECK(runs.place_of(1229, 1) == 89);
  CHECK(runs.place_of(1110, 21) == -1);
  CHECK(runs.place_of(1030, 1) == -1);
  CHECK(runs.place_of(999, 1) == -1);
  CHECK(runs.place_of(1300, 1) == -1);
  CHECK(Runs{}.place_of(0, 1) == -1);
}

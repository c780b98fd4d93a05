#include "vm/files/disk_cache.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "fake_disk.hpp"

using namespace nasvm;
using namespace nasvm::files;
using nasvm::test::FakeDisk;

namespace {

constexpr std::size_t block_bytes = 4096;
constexpr std::uint32_t number = 7;

std::vector<std::byte> bytes_of(std::size_t count, int value) {
  return std::vector<std::byte>(count, static_cast<std::byte>(value));
}

/// A cache of one file.
struct Bench {
  explicit Bench(std::uint32_t frames, Eviction eviction = Eviction::least_recent)
      : cache({frames, block_bytes}, eviction), file(disk.open("a", {.access = Access::read_write, .create = true})) {
    cache.add(number, *file, 0);
  }
  void write(std::uint64_t block, std::size_t begin, const std::vector<std::byte>& data) {
    const auto room = cache.room({number, block}, begin, data.size());
    REQUIRE(room.size() == block_bytes - begin);
    std::copy(data.begin(), data.end(), room.begin());
    cache.wrote({number, block}, begin, data.size());
  }
  std::vector<std::byte> read(std::uint64_t block) {
    const auto data = cache.block({number, block});
    return {data.begin(), data.end()};
  }

  FakeDisk disk;
  DiskCache cache;
  std::unique_ptr<DiskFile> file;
};

}  // namespace

TEST_CASE("what was written to a block is read from it, the rest is zero", "[files]") {
  Bench bench(2);
  bench.write(3, 100, bytes_of(10, 5));
  auto expected = bytes_of(block_bytes, 0);
  std::fill_n(expected.begin() + 100, 10, std::byte{5});
  CHECK(bench.read(3) == expected);
  CHECK(bench.disk.reads.empty());
}

TEST_CASE("a block that has to go is written, and comes back from disk", "[files]") {
  Bench bench(2);
  bench.write(0, 0, bytes_of(block_bytes, 1));
  bench.write(5, 10, bytes_of(20, 2));
  bench.write(9, 0, bytes_of(1, 3));
  CHECK(bench.disk.writes == std::vector<FakeDisk::Write>{{0, block_bytes}});
  CHECK(bench.read(0) == bytes_of(block_bytes, 1));
  CHECK(bench.disk.reads == std::vector<FakeDisk::Write>{{0, block_bytes}});
  CHECK(bench.disk.writes.size() == 2);
}

TEST_CASE("the block that was used least recently goes, or the one that came first", "[files]") {
  for (const auto eviction : {Eviction::least_recent, Eviction::first_in}) {
    Bench bench(2, eviction);
    (void)bench.read(0);
    (void)bench.read(1);
    (void)bench.read(0);
    (void)bench.read(2);
    CHECK(bench.cache.holds({number, 0}) == (eviction == Eviction::least_recent));
    CHECK(bench.cache.holds({number, 1}) == (eviction == Eviction::first_in));
  }
}

TEST_CASE("blocks that follow each other are written in one piece, whichever has to go", "[files]") {
  Bench bench(4);
  for (const std::uint64_t block : {2, 4, 3, 8}) bench.write(block, 0, bytes_of(block_bytes, 1));
  bench.write(20, 0, bytes_of(1, 1));
  CHECK(bench.disk.writes == std::vector<FakeDisk::Write>{{2 * block_bytes, 3 * block_bytes}});
  bench.disk.writes.clear();
  bench.cache.write_back(number);
  CHECK(bench.disk.writes == std::vector<FakeDisk::Write>{{8 * block_bytes, block_bytes}, {20 * block_bytes, 1}});
  bench.disk.writes.clear();
  bench.cache.write_back(number);
  CHECK(bench.disk.writes.empty());
}

TEST_CASE("only what was not written is read from disk, and only when it is needed", "[files]") {
  Bench bench(2);
  bench.disk.put("a", bytes_of(3 * block_bytes, 9));
  bench.cache.add(number, *bench.file, 3 * block_bytes);
  bench.write(1, 0, bytes_of(100, 1));
  bench.write(1, 100, bytes_of(100, 1));
  CHECK(bench.disk.reads.empty());
  bench.write(1, 1000, bytes_of(24, 2));
  CHECK(bench.disk.reads == std::vector<FakeDisk::Write>{{block_bytes + 200, block_bytes - 200}});
  auto expected = bytes_of(block_bytes, 9);
  std::fill_n(expected.begin(), 200, std::byte{1});
  std::fill_n(expected.begin() + 1000, 24, std::byte{2});
  CHECK(bench.read(1) == expected);
  CHECK(bench.disk.reads.size() == 1);
}

TEST_CASE("a full disk is an error, and what had no room stays to be tried again", "[files]") {
  Bench bench(2);
  bench.disk.room = 2 * block_bytes;
  bench.write(0, 0, bytes_of(block_bytes, 1));
  bench.write(5, 0, bytes_of(block_bytes, 2));
  CHECK_THROWS_WITH(bench.cache.write_back(number), Catch::Contains("a: ") && Catch::Contains("No space left"));
  CHECK(bench.disk.content("a") == bytes_of(block_bytes, 1));
  // The other one may go instead, until there is none that can.
  bench.write(1, 0, bytes_of(block_bytes, 3));
  CHECK(bench.cache.holds({number, 5}));
  CHECK(bench.read(5) == bytes_of(block_bytes, 2));
  bench.write(6, 0, bytes_of(1, 4));
  CHECK_THROWS_AS(bench.read(7), FileError);
  bench.disk.room = UINT64_MAX;
  bench.cache.write_back(number);
  CHECK(bench.disk.content("a").size() == 6 * block_bytes + 1);
}

TEST_CASE("a block that cannot be read is not kept", "[files]") {
  Bench bench(1);
  bench.disk.put("a", bytes_of(block_bytes, 9));
  bench.cache.add(number, *bench.file, block_bytes);
  bench.disk.fails_to_read = true;
  CHECK_THROWS_AS(bench.read(0), FileError);
  bench.disk.fails_to_read = false;
  CHECK(bench.read(0) == bytes_of(block_bytes, 9));
  // Nor is there anything of it in the next block.
  CHECK(bench.read(4) == bytes_of(block_bytes, 0));
}

TEST_CASE("a file that somebody has cut is an error where it had bytes, and zero where it never had", "[files]") {
  Bench bench(2);
  bench.disk.put("a", bytes_of(2 * block_bytes + 10, 9));
  bench.cache.add(number, *bench.file, 2 * block_bytes + 10);
  CHECK(bench.read(2)[10] == std::byte{0});
  bench.disk.put("a", bytes_of(block_bytes + 10, 9));
  CHECK(bench.read(0) == bytes_of(block_bytes, 9));
  CHECK_THROWS_WITH(bench.read(1), Catch::Contains("has become shorter"));
  const std::vector<std::uint64_t> gone{1};
  CHECK_THROWS_WITH(bench.cache.preload(number, gone), Catch::Contains("has become shorter"));
  CHECK(bench.read(5) == bytes_of(block_bytes, 0));
}

TEST_CASE("blocks are loaded ahead while there is room, and none has to go for that", "[files]") {
  Bench bench(4);
  bench.disk.put("a", bytes_of(20 * block_bytes, 9));
  bench.cache.add(number, *bench.file, 20 * block_bytes);
  (void)bench.read(19);
  bench.cache.preload(number, std::vector<std::uint64_t>{1, 4, 7, 10, 13, 16});
  for (const std::uint64_t block : {19, 1, 4, 7}) CHECK(bench.cache.holds({number, block}));
  CHECK(bench.cache.empty() == 0);
  bench.cache.preload(number, std::vector<std::uint64_t>{0, 1, 2, 3});
  CHECK(bench.cache.holds({number, 19}));
}

TEST_CASE("a smaller cache keeps what was used last, a larger one everything", "[files]") {
  Bench bench(3);
  for (const std::uint64_t block : {0, 1, 2}) bench.write(block, 10, bytes_of(5, static_cast<int>(block) + 1));
  bench.cache.resize(1);
  CHECK(bench.disk.writes.size() == 2);
  CHECK(bench.cache.holds({number, 2}));
  bench.cache.resize(8);
  CHECK(bench.cache.empty() == 7);
  CHECK(bench.read(2)[10] == std::byte{3});
  CHECK(bench.read(0)[10] == std::byte{1});
  bench.cache.write_back(number);
  CHECK(bench.disk.content("a").size() == 2 * block_bytes + 15);
}

TEST_CASE("a file's blocks can be forgotten, those of others stay", "[files]") {
  Bench bench(4);
  const auto other = bench.disk.open("b", {.access = Access::read_write, .create = true});
  bench.cache.add(8, *other, 0);
  bench.write(0, 0, bytes_of(10, 1));
  (void)bench.cache.block({8, 0});
  bench.cache.remove(number);
  CHECK_FALSE(bench.cache.holds({number, 0}));
  CHECK(bench.cache.holds({8, 0}));
  CHECK(bench.disk.writes.empty());
}

TEST_CASE("a neighbour sees whole blocks, and notices when they go", "[files]") {
  Bench bench(1);
  const NeighbourFrames neighbour(bench.cache.frames().place());
  bench.write(0, 0, bytes_of(10, 1));
  CHECK_FALSE(neighbour.find({number, 0}).has_value());
  (void)bench.read(0);
  const auto view = neighbour.find({number, 0});
  REQUIRE(view.has_value());
  CHECK(view->data[9] == std::byte{1});
  CHECK(view->data[10] == std::byte{0});
  CHECK_FALSE(neighbour.find({number, 1}).has_value());
  bench.write(0, 9, bytes_of(2, 4));
  CHECK(view->still_shown());
  CHECK(view->data[10] == std::byte{4});
  (void)bench.read(1);
  CHECK_FALSE(view->still_shown());
  CHECK_FALSE(neighbour.find({number, 0}).has_value());
  CHECK(neighbour.find({number, 1}).has_value());
}

TEST_CASE("a neighbour notices that a cache of another size has other memory", "[files]") {
  Bench bench(2);
  const NeighbourFrames neighbour(bench.cache.frames().place());
  (void)bench.read(0);
  (void)bench.read(1);
  const auto goes = neighbour.find({number, 0});
  const auto stays = neighbour.find({number, 1});
  REQUIRE((goes.has_value() && stays.has_value()));
  bench.cache.resize(1);
  CHECK(bench.cache.holds({number, 1}));
  CHECK_FALSE(goes->still_shown());
  CHECK_FALSE(stays->still_shown());
}

TEST_CASE("what a neighbour has read counts as used", "[files]") {
  Bench bench(2);
  const NeighbourFrames neighbour(bench.cache.frames().place());
  (void)bench.read(0);
  (void)bench.read(1);
  REQUIRE(neighbour.find({number, 0}).has_value());
  (void)bench.read(2);
  CHECK(bench.cache.holds({number, 0}));
  CHECK_FALSE(bench.cache.holds({number, 1}));
}

TEST_CASE("places of other computers and other memory are out of reach", "[files]") {
  Bench bench(1);
  std::string place = bench.cache.frames().place();
  CHECK_THROWS_WITH(NeighbourFrames(place + "x"), "on another computer");
  CHECK_THROWS_AS(NeighbourFrames("nothing"), RunError);
  place.insert(place.find(':', place.find(':', place.find(':') + 1) + 1), "0");  // another block size
  CHECK_THROWS_AS(NeighbourFrames(place), RunError);
}

TEST_CASE("random writes and reads are those of a plain file, whatever the size of the cache", "[files]") {
  const auto frames = GENERATE(1U, 2U, 5U, 64U);
  Bench bench(frames);
  std::vector<std::byte> plain(40 * block_bytes);
  std::mt19937 random(frames);
  const auto below = [&](std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
  };
  for (int step = 0; step < 3000; ++step) {
    const std::uint64_t block = below(40);
    const std::size_t begin = below(block_bytes);
    if (below(2) == 0) {
      const auto data = bytes_of(1 + below(block_bytes - begin), static_cast<int>(below(256)));
      bench.write(block, begin, data);
      std::copy(data.begin(), data.end(), plain.begin() + static_cast<std::ptrdiff_t>(block * block_bytes + begin));
    } else {
      const auto data = bench.read(block);
      REQUIRE(std::equal(data.begin(), data.end(), plain.begin() + static_cast<std::ptrdiff_t>(block * block_bytes)));
    }
  }
  bench.cache.write_back(number);
  auto content = bench.disk.content("a");
  content.resize(plain.size());
  CHECK(content == plain);
}

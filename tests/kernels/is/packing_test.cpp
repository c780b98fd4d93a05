#include "kernels/is/packing.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

#include "kernels/is/splitting.hpp"

using namespace nasvm;
using is::Key;
using is::KeyOwners;

namespace {

constexpr int shift = 3;
constexpr std::size_t buckets = 64;

std::vector<Key> random_keys(std::size_t size) {
  std::mt19937 random(3);
  std::vector<Key> keys(size);
  for (Key& key : keys) key = random() % (buckets << shift);
  return keys;
}

/// Some owners have no bucket.
KeyOwners uneven_owners(int tasks) {
  std::vector<Rank> of_bucket;
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    of_bucket.push_back(static_cast<Rank>(bucket * bucket * static_cast<std::size_t>(tasks) / (buckets * buckets)));
  }
  return {of_bucket, shift, tasks};
}

std::vector<Key> keys_of(std::span<const Key> keys, const KeyOwners& owners, Rank owner) {
  std::vector<Key> found;
  std::copy_if(keys.begin(), keys.end(), std::back_inserter(found), [&](Key key) { return owners.of(key) == owner; });
  return found;
}

/// Every owner has its keys in their order.
void check_split(is::SplitLoop split, std::size_t size, int tasks) {
  INFO(size << " keys, " << tasks << " tasks");
  const std::vector<Key> keys = random_keys(size);
  const KeyOwners owners = uneven_owners(tasks);
  const std::size_t room = size + is::overshoot_keys;
  constexpr Key untouched = ~Key{0};
  std::vector<Key> memory(room * static_cast<std::size_t>(tasks), untouched);
  std::vector<Key*> begins;
  for (std::size_t r = 0; r < static_cast<std::size_t>(tasks); ++r) begins.push_back(memory.data() + r * room);
  std::vector<Key*> next = begins;
  split(keys, owners, next);
  for (Rank owner = 0; owner < tasks; ++owner) {
    const auto r = static_cast<std::size_t>(owner);
    CHECK(std::vector<Key>(begins[r], next[r]) == keys_of(keys, owners, owner));
    const Key* const end = std::min(next[r] + is::overshoot_keys, begins[r] + room);
    CHECK(std::all_of(end, static_cast<const Key*>(begins[r] + room), [](Key key) { return key == untouched; }));
  }
}

}  // namespace

TEST_CASE("is splitting: every key goes to its owner, in the plain loop and in those for AVX-512 and AVX2") {
  if (!is::avx512_available()) WARN("not all loops are tested: this processor has no AVX-512");
  for (const int tasks : {1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 32, 50, 64}) {
    for (const std::size_t size : {0, 1, 15, 16, 17, 1000, 2048, 5000}) {
      check_split(is::split_plain, size, tasks);
      if (is::avx512_available()) check_split(is::split_avx512, size, tasks);
      if (is::avx2_available()) check_split(is::split_avx2, size, tasks);
    }
  }
}

TEST_CASE("is packing: every key goes to its owner's block, own keys are counted instead") {
  const std::size_t chunk = GENERATE(1024, 4096, 6144);
  is::KeyPacker packer(chunk);
  for (const std::size_t size : {std::size_t{20001}, std::size_t{0}, std::size_t{1}, chunk - 1, chunk, chunk + 1}) {
    for (const int tasks : {4, 7, 20}) {
      const std::vector<Key> keys = random_keys(size);
      const KeyOwners owners = uneven_owners(tasks);
      const Rank self = tasks - 1;
      is::KeyCounter own;
      own.reset(owners.range(self));
      packer.pack(keys, owners, self, own);
      for (Rank owner = 0; owner < self; ++owner) {
        const std::span<const Key> block = packer.block(owner);
        CHECK(std::vector<Key>(block.begin(), block.end()) == keys_of(keys, owners, owner));
      }
      CHECK(packer.block(self).empty());
      const auto counted = std::accumulate(own.counts().begin(), own.counts().end(), 256 * own.wraps().size());
      CHECK(counted == keys_of(keys, owners, self).size());
    }
  }
}

namespace {

/// Room for so many keys in each part, in whole cache lines.
std::size_t lent_room(std::size_t keys) { return (keys + is::overshoot_keys + 15) / 16 * 16; }

}  // namespace

TEST_CASE("is packing: into memory that somebody lends, a block is where its owner's part begins") {
  for (const std::size_t size : {0, 1, 17, 1000, 2048, 2049, 20001}) {
    for (const int tasks : {1, 2, 4, 7, 20}) {
      INFO(size << " keys, " << tasks << " tasks");
      const std::vector<Key> keys = random_keys(size);
      const KeyOwners owners = uneven_owners(tasks);
      const std::size_t room = lent_room(size);
      constexpr Key untouched = ~Key{0};
      LargeBuffer<Key> memory(static_cast<std::size_t>(tasks) * room);
      is::KeyPacker packer(2048);
      packer.use(memory.span());
      const Rank self = tasks / 2;
      using enum is::KeyPacker::Way;
      for (const is::KeyPacker::Way way : {past_cache, straight, past_cache}) {
        packer.go(way);
        std::ranges::fill(memory, untouched);
        is::KeyCounter own;
        own.reset(owners.range(self));
        packer.pack(keys, owners, self, own);
        const auto counted = std::accumulate(own.counts().begin(), own.counts().end(), 256 * own.wraps().size());
        CHECK(counted == keys_of(keys, owners, self).size());
        for (Rank owner = 0; owner < tasks; ++owner) {
          const std::span<const Key> block = packer.block(owner);
          const Key* const begin = memory.data() + static_cast<std::size_t>(owner) * room;
          CHECK(block.data() == begin);
          const std::size_t over = way == past_cache ? 0 : is::overshoot_keys;
          CHECK(std::all_of(std::min(begin + block.size() + over, begin + room), begin + room,
                            [](Key key) { return key == untouched; }));
          if (owner == self) CHECK(block.empty());
          else CHECK(std::vector<Key>(block.begin(), block.end()) == keys_of(keys, owners, owner));
        }
      }
    }
  }
}

TEST_CASE("is packing: lent memory with too little room for all keys in each part, or not of lines, is refused") {
  const std::vector<Key> keys = random_keys(1000);
  const auto refuses = [&](std::size_t room) {
    LargeBuffer<Key> memory(4 * room);
    is::KeyPacker packer(1024);
    packer.use(memory.span());
    is::KeyCounter own;
    const KeyOwners owners = uneven_owners(4);
    own.reset(owners.range(3));
    CHECK_THROWS_AS(packer.pack(keys, owners, 3, own), std::invalid_argument);
  };
  refuses(lent_room(keys.size()) - 16);
  refuses(lent_room(keys.size()) + 1);
  LargeBuffer<Key> memory(4 * lent_room(keys.size()) + 1);
  is::KeyPacker packer(1024);
  packer.use(memory.span().subspan(1));
  is::KeyCounter own;
  own.reset(uneven_owners(1).range(0));
  CHECK_THROWS_AS(packer.pack(keys, uneven_owners(1), 0, own), std::invalid_argument);
}

TEST_CASE("is packing: a packer that was released has no keys") {
  is::KeyPacker packer(1024);
  is::KeyCounter own;
  own.reset({0, static_cast<std::int64_t>(buckets << shift)});
  packer.pack(random_keys(10), uneven_owners(2), 1, own);
  packer.release();
  CHECK(packer.block(0).empty());
}

TEST_CASE("is packing: a chunk is half of a first-level cache") {
  CHECK(is::chunk_keys_for(32 << 10) == 4096);
  CHECK(is::chunk_keys_for(48 << 10) == 6144);
  CHECK(is::chunk_keys_for(64 << 10) == 8192);
  CHECK(is::chunk_keys_for(30 << 10) == 3072);
  CHECK(is::chunk_keys_for(1 << 10) == 1024);
}

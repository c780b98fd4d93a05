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
  is::KeyPacker packer;
  for (const std::size_t size : {20001, 0, 1, 4095, 4096, 4097}) {
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

TEST_CASE("is packing: into memory that somebody lends, a block is where its owner's part begins") {
  const std::vector<Key> keys = random_keys(1000);
  const KeyOwners owners = uneven_owners(4);
  const std::size_t room = keys.size() + is::overshoot_keys;
  std::vector<Key> memory(4 * room);
  is::KeyPacker packer;
  packer.use(memory);
  is::KeyCounter own;
  own.reset(owners.range(3));
  packer.pack(keys, owners, 3, own);
  for (Rank owner = 0; owner < 3; ++owner) {
    const std::span<const Key> block = packer.block(owner);
    CHECK(block.data() == memory.data() + static_cast<std::size_t>(owner) * room);
    CHECK(std::vector<Key>(block.begin(), block.end()) == keys_of(keys, owners, owner));
  }
}

TEST_CASE("is packing: lent memory with too little room for all keys in each part is refused") {
  const std::vector<Key> keys = random_keys(1000);
  std::vector<Key> memory(4 * (keys.size() + is::overshoot_keys) - 1);
  is::KeyPacker packer;
  packer.use(memory);
  is::KeyCounter own;
  const KeyOwners owners = uneven_owners(4);
  own.reset(owners.range(3));
  CHECK_THROWS_AS(packer.pack(keys, owners, 3, own), std::invalid_argument);
}

TEST_CASE("is packing: a packer that was released has no keys") {
  is::KeyPacker packer;
  is::KeyCounter own;
  own.reset({0, static_cast<std::int64_t>(buckets << shift)});
  packer.pack(random_keys(10), uneven_owners(2), 1, own);
  packer.release();
  CHECK(packer.block(0).empty());
}

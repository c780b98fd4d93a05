#include "kernels/is/packing.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>

using namespace nasvm;
using is::Key;

namespace {

constexpr int shift = 3;
constexpr std::size_t buckets = 8;
const std::vector<Rank> owners{0, 0, 1, 1, 1, 2, 2, 3};

std::vector<Key> random_keys(std::size_t size) {
  std::mt19937 random(3);
  std::vector<Key> keys(size);
  for (Key& key : keys) key = random() % (buckets << shift);
  return keys;
}

std::vector<Key> keys_of(std::span<const Key> keys, Rank owner) {
  std::vector<Key> found;
  std::copy_if(keys.begin(), keys.end(), std::back_inserter(found),
               [&](Key key) { return owners[key >> shift] == owner; });
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

TEST_CASE("is packing: buckets and owners are counted") {
  const std::vector<Key> keys = random_keys(1003);
  is::KeyPacker packer(shift, buckets);
  packer.count_buckets(keys);
  std::vector<std::uint64_t> counts(buckets);
  packer.add_counts_to(counts);
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    CHECK(counts[bucket] == static_cast<std::uint64_t>(std::count_if(
                                keys.begin(), keys.end(), [&](Key key) { return key >> shift == bucket; })));
  }
  std::vector<std::size_t> owned(4);
  packer.add_owned_to(owners, owned);
  for (Rank owner = 0; owner < 4; ++owner) {
    CHECK(owned[static_cast<std::size_t>(owner)] == keys_of(keys, owner).size());
  }
}

TEST_CASE("is packing: every key goes to its owner's block, own keys are counted instead") {
  for (const std::size_t size : {0, 1, 3, 4, 4095, 4096, 4097, 20001}) {
    const std::vector<Key> keys = random_keys(size);
    is::KeyPacker packer(shift, buckets);
    packer.count_buckets(keys);
    std::vector<std::size_t> counts(4);
    packer.add_owned_to(owners, counts);
    constexpr Rank self = 1;
    counts[self] = 0;

    std::vector<Key> packed(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
    std::vector<Key*> blocks(4, packed.data());
    for (std::size_t r = 1; r < 4; ++r) blocks[r] = blocks[r - 1] + counts[r - 1];
    const std::vector<Key*> begins = blocks;
    is::KeyCounter own;
    own.reset({2 << shift, 5 << shift});
    packer.pack(keys, owners, self, blocks, own);

    for (const Rank owner : {0, 2, 3}) {
      const auto r = static_cast<std::size_t>(owner);
      std::vector<Key> block(begins[r], blocks[r]);
      std::sort(block.begin(), block.end());
      CHECK(block == keys_of(keys, owner));
    }
    CHECK(blocks[3] == packed.data() + packed.size());
    const auto counted = std::accumulate(own.counts().begin(), own.counts().end(), 256 * own.wraps().size());
    CHECK(counted == keys_of(keys, self).size());
  }
}

#include "kernels/is/packing.hpp"

#include <algorithm>

namespace nasvm::is {
namespace {

/// Keys that are looked at before the own ones among them are counted: those stay in the first-level cache.
constexpr std::size_t chunk_keys = 4096;
static_assert(chunk_keys % strands == 0);

/// Where each strand puts its next key of each owner.
class Cursors {
 public:
  explicit Cursors(std::size_t owners) : owners_(owners), at_(strands * owners) {}
  Key*& of(std::size_t strand, Rank owner) { return at_[strand * owners_ + static_cast<std::size_t>(owner)]; }
  void put(std::size_t strand, Rank owner, Key key) { *of(strand, owner)++ = key; }

 private:
  std::size_t owners_;
  std::vector<Key*> at_;
};

/// Room for the own keys of one chunk. Rows are a little longer than needed: at a distance of whole pages their
/// stores would seem to concern each other's loads.
using OwnKeys = std::array<std::array<Key, chunk_keys / strands + 80>, strands>;

/// Calls visit(strand, key) for all keys.
template <typename Visit>
void for_each_in_strands(std::span<const Key> keys, const Visit& visit) {
  std::size_t i = 0;
  for (; i + strands <= keys.size(); i += strands) {
    for (std::size_t s = 0; s < strands; ++s) visit(s, keys[i + s]);
  }
  for (std::size_t s = 0; i < keys.size(); ++i, ++s) visit(s, keys[i]);
}

}  // namespace

void KeyPacker::count_buckets(std::span<const Key> keys) {
  for (BucketCounts& counts : counts_) counts.assign(buckets_, 0);
  std::array<std::uint32_t*, strands> counts;
  for (std::size_t s = 0; s < strands; ++s) counts[s] = counts_[s].data();
  for_each_in_strands(keys, [&, shift = shift_](std::size_t s, Key key) { ++counts[s][key >> shift]; });
}

void KeyPacker::add_counts_to(std::span<std::uint64_t> bucket_counts) const {
  for (const BucketCounts& counts : counts_) {
    for (std::size_t bucket = 0; bucket < buckets_; ++bucket) bucket_counts[bucket] += counts[bucket];
  }
}

void KeyPacker::add_owned_to(std::span<const Rank> owners, std::span<std::size_t> keys_of_owner) const {
  for (const BucketCounts& counts : counts_) {
    for (std::size_t bucket = 0; bucket < buckets_; ++bucket) {
      keys_of_owner[static_cast<std::size_t>(owners[bucket])] += counts[bucket];
    }
  }
}

void KeyPacker::pack(std::span<const Key> keys, std::span<const Rank> owners, Rank self, std::span<Key*> blocks,
                     KeyCounter& own_keys) const {
  Cursors cursors(blocks.size());
  for (std::size_t s = 0; s < strands; ++s) {
    for (std::size_t r = 0; r < blocks.size(); ++r) cursors.of(s, static_cast<Rank>(r)) = blocks[r];
    for (std::size_t bucket = 0; bucket < buckets_; ++bucket) {
      if (owners[bucket] != self) blocks[static_cast<std::size_t>(owners[bucket])] += counts_[s][bucket];
    }
  }
  OwnKeys own;
  for (std::size_t begin = 0; begin < keys.size(); begin += chunk_keys) {
    const auto chunk = keys.subspan(begin, std::min(chunk_keys, keys.size() - begin));
    for (std::size_t s = 0; s < strands; ++s) cursors.of(s, self) = own[s].data();
    for_each_in_strands(chunk, [&, owner_of = owners.data(), shift = shift_](std::size_t s, Key key) {
      cursors.put(s, owner_of[key >> shift], key);
    });
    for (std::size_t s = 0; s < strands; ++s) own_keys.count({own[s].data(), cursors.of(s, self)});
  }
}

}  // namespace nasvm::is

#include "kernels/is/packing.hpp"

#include <algorithm>
#include <stdexcept>

#include "kernels/is/splitting.hpp"
#include "vm/windows.hpp"

namespace nasvm::is {

std::size_t chunk_keys_for(std::uint64_t first_level_bytes) {
  constexpr std::size_t multiple = 1024;
  return std::max(multiple, first_level_bytes / 2 / sizeof(Key) / multiple * multiple);
}

void KeyPacker::pack(std::span<const Key> keys, const KeyOwners& owners, Rank self, KeyCounter& own_keys) {
  const std::size_t tasks = owners.bounds().size() - 1;
  make_room(keys.size(), tasks);
  if (!lent_.empty() && way_ == Way::past_cache) return pack_past_cache(keys, owners, self, own_keys);
  const SplitLoop split = split_loop(static_cast<int>(tasks));
  gathered_.reset(chunk_keys_ + overshoot_keys);
  Key*& next_own = next_[static_cast<std::size_t>(self)];
  for (std::size_t begin = 0; begin < keys.size(); begin += chunk_keys_) {
    next_own = gathered_.data();
    split(keys.subspan(begin, std::min(chunk_keys_, keys.size() - begin)), owners, next_);
    own_keys.count({gathered_.data(), next_own});
  }
  next_own = begins_[static_cast<std::size_t>(self)];
}

void KeyPacker::pack_past_cache(std::span<const Key> keys, const KeyOwners& owners, Rank self, KeyCounter& own_keys) {
  const std::size_t tasks = next_.size();
  const SplitLoop split = split_loop(static_cast<int>(tasks));
  // A chunk may be all one owner's, and comes behind what an earlier one has left.
  const std::size_t gathered_keys = chunk_keys_ + line_keys + overshoot_keys;
  gathered_.reset(tasks * gathered_keys);
  std::vector<Key*> ends(tasks);
  const auto gathered_of = [&](std::size_t owner) { return gathered_.data() + owner * gathered_keys; };
  for (std::size_t owner = 0; owner < tasks; ++owner) ends[owner] = gathered_of(owner);
  for (std::size_t begin = 0; begin < keys.size(); begin += chunk_keys_) {
    split(keys.subspan(begin, std::min(chunk_keys_, keys.size() - begin)), owners, ends);
    for (std::size_t owner = 0; owner < tasks; ++owner) {
      const std::span<Key> gathered{gathered_of(owner), ends[owner]};
      ends[owner] = gathered.data();
      if (static_cast<Rank>(owner) == self) {
        own_keys.count(gathered);
        continue;
      }
      const std::span<Key> rest = gathered.last(gathered.size() % line_keys);
      const std::span<Key> lines = gathered.first(gathered.size() - rest.size());
      if (lines.empty()) {
        ends[owner] += rest.size();
        continue;
      }
      copy_lines_past_cache(reinterpret_cast<std::byte*>(next_[owner]),
                            reinterpret_cast<const std::byte*>(lines.data()), lines.size_bytes());
      next_[owner] += lines.size();
      ends[owner] = std::copy(rest.begin(), rest.end(), ends[owner]);
    }
  }
  for (std::size_t owner = 0; owner < tasks; ++owner) {
    next_[owner] = std::copy(gathered_of(owner), ends[owner], next_[owner]);
  }
  order_stores_past_cache();
}

std::span<const Key> KeyPacker::block(Rank owner) const {
  const auto index = static_cast<std::size_t>(owner);
  return next_.empty() ? std::span<const Key>{} : std::span<const Key>{begins_[index], next_[index]};
}

void KeyPacker::release() {
  memory_.release();
  gathered_.release();
  lent_ = {};
  begins_.clear();
  next_.clear();
}

void KeyPacker::make_room(std::size_t keys, std::size_t owners) {
  if (lent_.empty()) memory_.reset(owners * (keys + overshoot_keys));
  const std::span<Key> memory = lent_.empty() ? memory_.span() : lent_;
  const std::size_t room = memory.size() / owners;
  const bool of_lines = room % line_keys == 0 && reinterpret_cast<std::uintptr_t>(memory.data()) % line_bytes == 0;
  if (!lent_.empty() && !of_lines) {
    throw std::invalid_argument("is: the memory for packed keys is not of whole cache lines for each owner");
  }
  if (room < keys + overshoot_keys) throw std::invalid_argument("is: the memory for packed keys has too little room");
  begins_.resize(owners);
  for (std::size_t owner = 0; owner < owners; ++owner) begins_[owner] = memory.data() + owner * room;
  next_ = begins_;
}

}  // namespace nasvm::is

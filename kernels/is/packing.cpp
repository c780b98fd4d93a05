#include "kernels/is/packing.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "kernels/is/splitting.hpp"

namespace nasvm::is {
namespace {

/// Keys that are split before the own ones among them are counted: those stay in the first-level cache.
constexpr std::size_t chunk_keys = 4096;

}  // namespace

void KeyPacker::pack(std::span<const Key> keys, const KeyOwners& owners, Rank self, KeyCounter& own_keys) {
  const std::size_t tasks = owners.bounds().size() - 1;
  make_room(keys.size(), tasks);
  const SplitLoop split = split_loop(static_cast<int>(tasks));
  std::array<Key, chunk_keys + overshoot_keys> own;
  Key*& next_own = next_[static_cast<std::size_t>(self)];
  for (std::size_t begin = 0; begin < keys.size(); begin += chunk_keys) {
    next_own = own.data();
    split(keys.subspan(begin, std::min(chunk_keys, keys.size() - begin)), owners, next_);
    own_keys.count({own.data(), next_own});
  }
  next_own = begins_[static_cast<std::size_t>(self)];
}

std::span<const Key> KeyPacker::block(Rank owner) const {
  const auto index = static_cast<std::size_t>(owner);
  return next_.empty() ? std::span<const Key>{} : std::span<const Key>{begins_[index], next_[index]};
}

void KeyPacker::release() {
  memory_.release();
  lent_ = {};
  begins_.clear();
  next_.clear();
}

void KeyPacker::make_room(std::size_t keys, std::size_t owners) {
  if (lent_.empty()) memory_.reset(owners * (keys + overshoot_keys));
  const std::span<Key> memory = lent_.empty() ? memory_.span() : lent_;
  const std::size_t room = memory.size() / owners;
  if (room < keys + overshoot_keys) throw std::invalid_argument("is: the memory for packed keys has too little room");
  begins_.resize(owners);
  for (std::size_t owner = 0; owner < owners; ++owner) begins_[owner] = memory.data() + owner * room;
  next_ = begins_;
}

}  // namespace nasvm::is

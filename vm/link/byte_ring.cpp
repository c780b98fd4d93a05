#include "vm/link/byte_ring.hpp"

#include <algorithm>
#include <cassert>
#include <stdexcept>

#include "vm/block_copy.hpp"

namespace nasvm::link {

ByteRing::ByteRing(std::size_t capacity)
    : capacity_(capacity), bytes_(std::make_unique_for_overwrite<std::byte[]>(capacity)) {
  if (capacity == 0) throw std::invalid_argument("a link's buffer needs at least one byte");
}

void ByteRing::store(std::uint64_t offset, std::span<const std::byte> bytes) {
  assert(bytes.size() <= capacity_);
  if (bytes.empty()) return;
  const std::size_t at = offset % capacity_;
  const std::size_t first = std::min(bytes.size(), capacity_ - at);
  copy_bytes(bytes_.get() + at, bytes.data(), first);
  copy_bytes(bytes_.get(), bytes.data() + first, bytes.size() - first);
}

void ByteRing::load(std::uint64_t offset, std::span<std::byte> out) const {
  assert(out.size() <= capacity_);
  if (out.empty()) return;
  const std::size_t at = offset % capacity_;
  const std::size_t first = std::min(out.size(), capacity_ - at);
  copy_bytes(out.data(), bytes_.get() + at, first);
  copy_bytes(out.data() + first, bytes_.get(), out.size() - first);
}

std::span<const std::byte> ByteRing::piece(std::uint64_t offset, std::size_t count) const {
  const std::size_t at = offset % capacity_;
  return {bytes_.get() + at, std::min(count, capacity_ - at)};
}

}  // namespace nasvm::link

#pragma once
/// \file
/// A fixed buffer that holds a moving piece of a byte stream, addressed by stream offset.
///
/// The owner sees to it that no more than `capacity()` consecutive bytes are in use at once. Memory is
/// touched only where bytes have been written. Nothing here blocks or allocates after construction.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace nasvm::link {

class ByteRing {
 public:
  explicit ByteRing(std::size_t capacity);

  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  /// Copies `bytes` to the places of the offsets from `offset` on.
  void store(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Copies the bytes from `offset` on into `out`.
  void load(std::uint64_t offset, std::span<std::byte> out) const;
  /// The bytes from `offset` on, at most `count`, as far as they lie in one piece.
  [[nodiscard]] std::span<const std::byte> piece(std::uint64_t offset, std::size_t count) const;

 private:
  std::size_t capacity_;
  std::unique_ptr<std::byte[]> bytes_;
};

}  // namespace nasvm::link

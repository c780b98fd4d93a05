#pragma once
/// \file
/// Working memory of a collective: on the stack while it is short, because a reduction of a few numbers should
/// not wait for the allocator. Not initialised; aligned for every element type.

#include <array>
#include <cstddef>
#include <memory>
#include <span>

namespace nasvm::collective {

class Scratch {
 public:
  explicit Scratch(std::size_t bytes)
      : far_(bytes > near_.size() ? std::make_unique_for_overwrite<std::byte[]>(bytes) : nullptr), bytes_(bytes) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  [[nodiscard]] std::span<std::byte> span() { return {far_ ? far_.get() : near_.data(), bytes_}; }

 private:
  alignas(std::max_align_t) std::array<std::byte, 4096> near_;
  std::unique_ptr<std::byte[]> far_;
  std::size_t bytes_;
};

}  // namespace nasvm::collective

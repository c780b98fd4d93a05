#pragma once
/// \file
/// Memory that several tasks of one host have mapped. It has no name in any file system, and goes with the last of
/// them.

#include <cstddef>
#include <cstdint>
#include <span>

namespace nasvm {

class SharedMemory {
 public:
  SharedMemory() = default;
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  virtual ~SharedMemory() = default;

  /// Where it is in this process: at a page's border, zero at first. A page takes memory when it is first touched.
  [[nodiscard]] virtual std::span<std::byte> bytes() const = 0;
  /// Copies to a place in it that others read, and have read before. What is stored afterwards is seen no earlier.
  virtual void put(std::span<std::byte> place, std::span<const std::byte> data) = 0;
  /// Takes all of its memory and the page tables for it at once, not when it is first touched: its creator on huge
  /// pages where the system has them. What is there stays. False: there is not so much memory.
  [[nodiscard]] virtual bool populate() { return true; }
  /// By which others find it among what its creator has. Of the creator's own, until `hide`.
  [[nodiscard]] virtual std::int64_t number() const = 0;
  /// All who want it have it: nobody else can map it from now on.
  virtual void hide() = 0;
};

}  // namespace nasvm

#pragma once
/// \file
/// SharedFile: a file that all tasks of a program have open together, by what its message system has for that.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace nasvm {

/// All calls block, and throw RunError.
class SharedFile {
 public:
  enum class Access : std::uint8_t { read, write };

  virtual ~SharedFile() = default;

  /// All of `data` at that place of the file. What one task writes, others read after `close` and another opening.
  virtual void write(std::uint64_t position, std::span<const std::byte> data) = 0;
  virtual void read(std::uint64_t position, std::span<std::byte> into) = 0;
  /// Collective. Everything is on disk afterwards.
  virtual void sync() = 0;
  /// Collective. The last call.
  virtual void close() = 0;
};

}  // namespace nasvm

#pragma once
/// \file
/// Files in which a few thousand bytes are many blocks, with contents that tell their positions.

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "fake_disk.hpp"
#include "vm/files/files.hpp"

namespace nasvm::test {

inline constexpr std::size_t block_bytes = 4096;

/// Catch's macros are for one thread.
inline void require(bool condition, const std::string& what) {
  if (!condition) throw std::logic_error(what);
}

/// Hosts of so many tasks: one for all, or one for each.
inline std::vector<int> hosts_of(int tasks, bool one) {
  return one ? std::vector<int>(static_cast<std::size_t>(tasks), 7) : std::vector<int>{};
}

inline files::Options small_blocks(std::size_t disk_blocks, std::size_t data_blocks, bool share,
                                   std::vector<int> hosts = {}) {
  return {.block_bytes = block_bytes,
          .data_bytes = data_blocks * block_bytes,
          .disk_bytes = disk_blocks * block_bytes,
          .batch_bytes = block_bytes,
          .share_memory = share,
          .hosts = std::move(hosts)};
}

inline files::Files::Opening to_write() { return {.access = files::Access::write, .create = true, .truncate = true}; }
inline files::Files::Opening to_update() { return {.access = files::Access::read_write, .create = true}; }

inline std::byte byte_at(std::uint64_t position) {
  return static_cast<std::byte>((position * 2654435761U) >> 24 | 1U);
}

inline std::vector<std::byte> bytes_from(std::uint64_t position, std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = byte_at(position + i);
  return bytes;
}

/// Without printing them when they differ.
inline bool holds(FakeDisk& disk, const std::vector<std::byte>& bytes) { return disk.content("a") == bytes; }

inline void write_at(files::Files& shared, int fd, std::uint64_t position, std::size_t count) {
  shared.seek(fd, static_cast<std::int64_t>(position), files::Files::Whence::set);
  require(shared.write(fd, bytes_from(position, count)) == count, "all is written");
}

inline bool reads_back(files::Files& shared, int fd, std::uint64_t position, std::size_t count) {
  shared.seek(fd, static_cast<std::int64_t>(position), files::Files::Whence::set);
  std::vector<std::byte> bytes(count);
  shared.read(fd, bytes);
  return bytes == bytes_from(position, count);
}

/// The error of `action`, with its code in front: "28 a: ...".
template <typename Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const files::FileError& error) {
    return std::to_string(error.code()) + " " + error.what();
  }
  return "none";
}

}  // namespace nasvm::test

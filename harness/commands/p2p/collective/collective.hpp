#pragma once
/// \file
/// The collectives that `nasvm p2p --collective` measures. A new one is one row in the table (collective.cpp);
/// options, help, tables and tests read it.
///
/// A size is that of the OSU Micro-Benchmarks: the vector of each task for allreduce and reduce (of doubles), the
/// message of broadcast, the block of each pair of tasks for alltoall, the block of each task for allgather; a
/// barrier has none.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "harness/measuring/page_aligned.hpp"
#include "vm/comm.hpp"

namespace nasvm {

/// What a collective works on: `out` is sent, `in` received; one that works in place has it in `in`.
class CollectiveBuffers {
 public:
  /// Zeros: `out_bytes` and `in_bytes` of them.
  CollectiveBuffers(std::size_t out_bytes, std::size_t in_bytes);

  [[nodiscard]] std::span<std::byte> out() { return std::as_writable_bytes(std::span(out_)).first(out_bytes_); }
  [[nodiscard]] std::span<std::byte> in() { return std::as_writable_bytes(std::span(in_)).first(in_bytes_); }
  /// `in` as the numbers that it holds; its length is a multiple of theirs.
  [[nodiscard]] std::span<double> numbers() { return std::span(in_).first(in_bytes_ / sizeof(double)); }

 private:
  std::size_t out_bytes_, in_bytes_;
  PageAligned<double> out_, in_;
};

struct Collective {
  std::string_view name;
  std::string_view title;     ///< in the OSU programs' headings
  std::size_t element_bytes;  ///< sizes are its multiples, and not 0; 0: it moves no data
  /// Bytes of both buffers for each byte of the size, with that many tasks.
  std::uint64_t (*out_factor)(std::uint64_t np);
  std::uint64_t (*in_factor)(std::uint64_t np);
  /// One call; every task makes it. Blocks.
  void (*call)(Comm& comm, CollectiveBuffers& buffers);
  /// Contributions that differ between tasks, blocks and neighbours; and whether what one call then left is right
  /// here.
  void (*fill)(const Comm& comm, CollectiveBuffers& buffers);
  bool (*is_right)(const Comm& comm, CollectiveBuffers& buffers);

  [[nodiscard]] CollectiveBuffers make_buffers(std::uint64_t bytes, int np) const;
  /// Bytes that the buffers of all tasks take together.
  [[nodiscard]] std::uint64_t memory_bytes(std::uint64_t bytes, int np) const;
  /// Of these sizes those that it has: {0} for one that moves no data.
  [[nodiscard]] std::vector<std::uint64_t> sizes_among(std::span<const std::uint64_t> sizes) const;
};

std::span<const Collective> collectives();

/// The collective of that name, or nullptr.
const Collective* find_collective(std::string_view name);

}  // namespace nasvm

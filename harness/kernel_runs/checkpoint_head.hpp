#pragma once
/// \file
/// What a file of checkpoints begins with: a page that says what the rest is, as text. Behind it the kernel's
/// numbers, padded to whole pages, and its array.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/document/fields.hpp"

namespace nasvm {

inline constexpr std::size_t checkpoint_page_bytes = 4096;

struct CheckpointHead {
  std::string kernel;
  char problem_class = 'S';
  std::string layout;
  int iteration = 0;  ///< the last that was done
  int np = 1;         ///< tasks that have written it
  std::uint64_t number_bytes = 0;
  std::uint64_t array_bytes = 0;

  [[nodiscard]] std::uint64_t numbers_begin() const { return checkpoint_page_bytes; }
  [[nodiscard]] std::uint64_t array_begin() const {
    return numbers_begin() +
           (number_bytes + checkpoint_page_bytes - 1) / checkpoint_page_bytes * checkpoint_page_bytes;
  }
  [[nodiscard]] std::uint64_t file_bytes() const { return array_begin() + array_bytes; }
};

/// The page.
std::vector<std::byte> page_of(const CheckpointHead& head);
/// The head of a file of that page. Throws UsageError: it is no checkpoint, or of another version.
CheckpointHead head_of(std::span<const std::byte> page, const std::string& path);
/// Throws UsageError when a file of so many bytes with the head `found` is not what `wanted` can go on from; of that
/// only kernel, class, layout, lengths, and the iteration count, which is the last that can have a checkpoint.
void check_checkpoint(const CheckpointHead& found, std::uint64_t file_bytes, const CheckpointHead& wanted,
                      const std::string& path);

}  // namespace nasvm

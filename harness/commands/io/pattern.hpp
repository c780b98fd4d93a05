#pragma once
/// \file
/// Which bytes of the shared file each task writes and reads, in which order. Adding one is a class in patterns.cpp
/// and a row in its table.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

namespace nasvm {

/// One of the tasks, and the sizes.
struct IoShape {
  int rank = 0;
  int tasks = 1;
  int grid = 0;                    ///< elements in each direction, where there is a grid
  std::uint64_t access_bytes = 0;  ///< of one access: IOR's transfer
  std::uint64_t block_bytes = 0;   ///< of each task: IOR's block; a whole number of accesses
};

class IoPattern {
 public:
  virtual ~IoPattern() = default;

  /// A part of the file, and what is or comes there: to be written or read from its beginning to its end, in
  /// accesses.
  using Visit = std::function<void(std::uint64_t position, std::span<const std::byte> content)>;

  [[nodiscard]] virtual std::uint64_t file_bytes() const = 0;
  /// The parts of all tasks together are the file.
  virtual void for_each_written(const Visit& visit) = 0;
  virtual void for_each_read(const Visit& visit) { for_each_written(visit); }
};

struct IoPatternRow {
  std::string_view name;
  std::string_view description;
  bool has_grid;  ///< else it has blocks
  std::unique_ptr<IoPattern> (*make)(const IoShape& shape);
};

/// The first is the paper's.
std::span<const IoPatternRow> io_patterns();
/// Throws UsageError when there is none of that name.
const IoPatternRow& io_pattern(std::string_view name);

/// The numbers of parts in which a cube is cut in each direction, as equal as they can be, the fewest along the
/// first.
struct Cuts {
  int x = 1;
  int y = 1;
  int z = 1;
  bool operator==(const Cuts&) const = default;
};
Cuts cuts_for(int tasks);

}  // namespace nasvm

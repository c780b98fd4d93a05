#pragma once
/// \file
/// Ways to read and write a file that all tasks share: `nasvm io` measures them side by side. Adding one is a file
/// here and a row in methods.cpp.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "harness/commands/io/order.hpp"

namespace nasvm {

class Task;

/// One task's part. `open_to_write`, `open_to_read`, `preload` and the closing are called by all tasks, each with a
/// barrier behind it. All calls block, and throw RunError.
class IoMethod {
 public:
  virtual ~IoMethod() = default;

  /// A new file of so many bytes.
  virtual void open_to_write(std::uint64_t file_bytes) = 0;
  virtual void write(std::uint64_t position, std::span<const std::byte> data) = 0;
  /// With IoOrder::sync everything is on disk, once all tasks have returned.
  virtual void close_written() = 0;
  virtual void open_to_read() = 0;
  virtual void preload() {}
  virtual void read(std::uint64_t position, std::span<std::byte> into) = 0;
  virtual void close_read() = 0;
  [[nodiscard]] virtual IoCost cost() const { return {}; }
};

struct IoMethodRow {
  std::string_view name;
  std::string_view description;
  std::unique_ptr<IoMethod> (*make)(Task& task, const IoOrder& order);
};

/// The first is the one that the others are held against.
std::span<const IoMethodRow> io_methods();

std::unique_ptr<IoMethod> make_edonio_method(Task& task, const IoOrder& order);
std::unique_ptr<IoMethod> make_posix_method(Task& task, const IoOrder& order);
std::unique_ptr<IoMethod> make_mmap_method(Task& task, const IoOrder& order);

}  // namespace nasvm

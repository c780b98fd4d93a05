#pragma once
/// \file
/// Ways to read and write a file that all tasks share: `nasvm io` measures them side by side. Adding one is a file
/// here and a row in methods.cpp.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "harness/commands/io/order.hpp"
#include "vm/comm.hpp"
#include "vm/system/shared_file.hpp"

namespace nasvm {

class Task;

/// What the methods of one task stand on.
struct IoGround {
  Comm& comm;
  Task* task = nullptr;  ///< of our own machine; null where a message system carries the messages
  /// The message system's shared files (vm/system/task.hpp); empty on our own machine.
  std::function<std::unique_ptr<SharedFile>(const std::string& path, SharedFile::Access access)> open_shared{};
};

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
  std::unique_ptr<IoMethod> (*make)(const IoGround& ground, const IoOrder& order);
  bool needs_one_file;             ///< that all tasks see; else others have the bytes from those who see it
  std::string_view system = {};    ///< the message system that its tasks run over; empty: our own machine
  std::string_view variable = {};  ///< "NAME=VALUE" in their environment
};

/// Needs a folder of its own (IoOptions::mounted).
inline constexpr std::string_view mounted_method = "mounted";

/// The first is the one that the others are held against.
std::span<const IoMethodRow> io_methods();

/// Throws UsageError when there is none of that name.
const IoMethodRow& io_method(std::string_view name);

std::unique_ptr<IoMethod> make_edonio_method(const IoGround& ground, const IoOrder& order);
std::unique_ptr<IoMethod> make_posix_method(const IoGround& ground, const IoOrder& order);
std::unique_ptr<IoMethod> make_mounted_method(const IoGround& ground, const IoOrder& order);
std::unique_ptr<IoMethod> make_mmap_method(const IoGround& ground, const IoOrder& order);
std::unique_ptr<IoMethod> make_mpi_method(const IoGround& ground, const IoOrder& order);
std::unique_ptr<IoMethod> make_auto_method(const IoGround& ground, const IoOrder& order);

}  // namespace nasvm

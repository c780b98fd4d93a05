#pragma once
/// \file
/// The disk side of a shared file: what an owner of blocks asks of it. One thread uses a file; several tasks have the
/// same one open. All calls block until the system has done its part, and throw FileError, which names the file.
///
/// Tests have disks that fill up, fail, and forget what was not synchronised.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vm/files/error.hpp"

namespace nasvm::files {

enum class Access : std::uint8_t { read, write, read_write };

/// How a file is to be opened. It is never truncated by that: the lock comes first.
struct Way {
  Access access = Access::read;
  bool create = false;     ///< where there is none
  bool exclusive = false;  ///< an error where there is one (with `create`)
  int mode = 0666;         ///< of a new one
};

class DiskFile {
 public:
  virtual ~DiskFile() = default;

  /// Fills `into` with what begins at `position`; zeros where nothing was written, and behind the end. FileError with
  /// EIO where the end comes before the first `there` bytes of it: somebody has cut the file.
  virtual void read(std::uint64_t position, std::span<std::byte> into, std::size_t there) = 0;
  void read(std::uint64_t position, std::span<std::byte> into) { read(position, into, 0); }
  /// The same of what the system has in memory, without waiting for the disk. False: it has not got all of that, or
  /// cannot say so, or the file ends before; `into` may have been written to.
  [[nodiscard]] virtual bool read_from_memory(std::uint64_t position, std::span<std::byte> into) = 0;
  /// Writes the parts, one behind the other. An error may leave some of it written.
  virtual void write(std::uint64_t position, std::span<const std::span<const std::byte>> parts) = 0;

  /// One of several reads or writes, and what came of it.
  struct Reading {
    std::uint64_t position = 0;
    std::span<std::byte> into;
    std::size_t there = 0;
    std::optional<FileError> error{};
  };
  struct Writing {
    std::uint64_t position = 0;
    std::vector<std::span<const std::byte>> parts;
    std::optional<FileError> error{};
  };
  /// Each as `read` and `write` do it, in any order; an error of one is its own, and the others go on.
  virtual void read_all(std::span<Reading> readings) {
    for (Reading& one : readings) note_error(one.error, [&] { read(one.position, one.into, one.there); });
  }
  virtual void write_all(std::span<Writing> writings) {
    for (Writing& one : writings) note_error(one.error, [&] { write(one.position, one.parts); });
  }

  /// On disk is, afterwards, what this computer has written to the file, whichever task it was.
  virtual void sync() = 0;
  [[nodiscard]] virtual std::uint64_t size() = 0;
  /// Cuts, or lengthens by zeros; gives back what was reserved behind that.
  virtual void resize(std::uint64_t bytes) = 0;
  /// Takes space for the first so many bytes without changing the size, where the file system can do that.
  virtual void reserve(std::uint64_t bytes) = 0;
  /// This is going to be read soon. Does not wait.
  virtual void expect(std::uint64_t position, std::uint64_t bytes) = 0;

  /// Against other programs that open the file so: together with other readers, or alone. Until the file is closed.
  /// FileError with EBUSY when somebody has it. Where the file system knows no locks nothing happens.
  virtual void lock(Access access) = 0;
  /// The same number for the same file, on all hosts that share it.
  [[nodiscard]] virtual std::uint64_t identity() = 0;
  /// When it was last written to or cut, in nanoseconds, as its file system tells all hosts that share it.
  [[nodiscard]] virtual std::int64_t changed_ns() = 0;

 protected:
  template <typename Action>
  static void note_error(std::optional<FileError>& error, Action action) {
    try {
      action();
    } catch (const FileError& thrown) {
      error = thrown;
    }
  }
};

/// Opens files by their paths.
class Disk {
 public:
  virtual ~Disk() = default;
  [[nodiscard]] virtual std::unique_ptr<DiskFile> open(const std::string& path, const Way& way) = 0;
};

}  // namespace nasvm::files

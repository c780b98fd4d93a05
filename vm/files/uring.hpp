#pragma once
/// \file
/// Several reads and writes of files under way at a time, by io_uring. Worth it past the page cache, where each call
/// waits for the disk (docs/decisions/edonio.md); only there PosixDisk uses it.
///
/// One thread. Where the program was built without liburing, or the kernel refuses, there is none.

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace nasvm::files {

class Uring {
 public:
  /// null: there is none here.
  static std::unique_ptr<Uring> make();
  virtual ~Uring() = default;

  struct Transfer {
    int fd = -1;
    std::uint64_t position = 0;
    std::span<const iovec> parts;
    std::int64_t result = -1;  ///< bytes, or an error below 0; less than all of it is no error
  };
  enum class Direction : std::uint8_t { read, write };
  /// In any order, no more than `at_a_time` under way. Blocks until all are over. With an error of the ring itself
  /// those that did not get to the kernel keep their results, and from then on all do.
  virtual void run(std::span<Transfer> transfers, Direction direction, std::size_t at_a_time) = 0;
};

}  // namespace nasvm::files

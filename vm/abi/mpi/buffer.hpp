#pragma once
/// \file
/// What the program has attached for buffered sends (MPI-4.1, section 3.6): to all of it, to a communicator or to a
/// session. Messages are copied elsewhere; the size of what is attached bounds them.

#include <cstddef>
#include <cstdint>

#include "vm/abi/mpi/constants.hpp"

namespace nasvm::mpi {

struct Request;

struct Buffer {
  void* memory = nullptr;
  std::size_t bytes = 0;
  bool is_attached = false;

  /// The library finds room by itself (MPI_BUFFER_AUTOMATIC).
  [[nodiscard]] bool is_automatic() const { return is_attached && memory == buffer_automatic; }
  [[nodiscard]] bool has_room_for(std::size_t more) const;

  /// Numbers messages as they enter buffers.
  static std::uint64_t next_number();
  /// The first message in it that has not left, of those up to a number; nullptr: none.
  [[nodiscard]] Request* first_message(std::uint64_t up_to) const;
  /// Blocks until those that are in it have left.
  void flush() const;
};

}  // namespace nasvm::mpi

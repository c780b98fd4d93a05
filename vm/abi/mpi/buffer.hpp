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
  std::size_t taken_bytes = 0;  ///< by messages that have not left, as far as has been seen

  /// The library finds room by itself (MPI_BUFFER_AUTOMATIC).
  [[nodiscard]] bool is_automatic() const { return is_attached && memory == buffer_automatic; }
  [[nodiscard]] bool has_room_for(std::size_t more) const {
    return is_automatic() || (is_attached && taken_bytes + more <= bytes);
  }

  /// Numbers messages as they enter buffers.
  static std::uint64_t next_number();
  /// The last message in it that has not left, of those up to a number; nullptr: none. As a rule those before it have
  /// left by then, too. None of the orphans from `end` on is such a message.
  [[nodiscard]] Request* last_message(std::uint64_t up_to, std::size_t& end) const;
  /// Blocks until those that are in it have left.
  void flush() const;
};

}  // namespace nasvm::mpi

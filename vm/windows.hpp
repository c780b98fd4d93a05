#pragma once
/// \file
/// Windows: memory of each task of a Comm that all others have mapped as well. Who would send to a task stores there,
/// where it is wanted, or leaves it in its own window for the other to read, and says so by a message that has only
/// its length in it (Comm::isend_placed): nothing is copied.
///
/// Who may store where, and when, is the program's to know: a window has no order but that of messages. Of several
/// threads that store there past the cache each calls order_stores_past_cache() before one of them sends.
/// Source of the idea: MPI: A Message-Passing Interface Standard 3.1, chapter 11, MPI_Win_allocate_shared.

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "vm/comm.hpp"
#include "vm/shared_memory.hpp"
#include "vm/streaming_copy.hpp"

namespace nasvm {

class Windows {
 public:
  /// Whether memory is taken, on huge pages where the system has them, when windows are opened, or when somebody
  /// touches it.
  enum class Memory { at_once, when_touched };

  /// A window of so many bytes for this task, each task its own number. Collective; blocks until all have mapped all.
  /// Null on all tasks where one of them cannot have it: tasks of other hosts, transports without memory, or, at
  /// once, more than half of the memory that the computer has left.
  [[nodiscard]] static std::unique_ptr<Windows> open(Comm& comm, std::size_t bytes, Memory memory = Memory::at_once);

  /// That task's window, from a page's border on; zero at first.
  [[nodiscard]] std::span<std::byte> of(Rank rank) const { return windows_[static_cast<std::size_t>(rank)]->bytes(); }

 private:
  explicit Windows(std::vector<std::unique_ptr<SharedMemory>> windows) : windows_(std::move(windows)) {}

  std::vector<std::unique_ptr<SharedMemory>> windows_;  ///< by rank
};

}  // namespace nasvm

#pragma once
/// \file
/// The fused engine's transpose: rows go to their new owners while they are being made, chunk by chunk.
///
/// `items` things are divided among the tasks before the transpose (the planes, going to the frequency layout; the
/// y-rows, going back), and each consists of `parts` rows, which are divided among the tasks after it (y-rows;
/// planes). A task makes its items in chunks of `chunk`. Of a finished chunk, the rows of each other task leave as
/// one message (or several, of `message_doubles` each), [item][part], from one of two buffers (which few tasks have
/// in the cache); its own rows have been made in place. After the transpose a task has, for each item of the whole
/// grid, its own parts, contiguous, at place(item).
///
/// Messages: one for each chunk and other task that has parts, or as many as it takes; bytes: those of any transpose
/// of slabs. See chunked_transpose_cost in costs.hpp. Rows are made where they are sent from or wanted, and copied
/// by the message layer alone, with one task by nobody; nor where tasks have windows (vm/windows.hpp): then rows are
/// made where they are wanted. Source of the transpose: White, Alund, Sunderam, section 4.5 and Figure 6.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kernels/common/partition.hpp"
#include "kernels/ft/fused/row_target.hpp"
#include "kernels/ft/problem.hpp"
#include "vm/comm.hpp"

namespace nasvm::ft {

/// What is transposed, and how finely.
struct TransposeShape {
  std::int64_t items = 0;
  std::int64_t parts = 0;
  std::int64_t row_doubles = 0;                          ///< of one part of one item
  std::int64_t chunk = 1;                                ///< items that are made before any of them is sent
  std::int64_t message_doubles = std::int64_t{1} << 40;  ///< longest message
};

/// The shapes of FT's two transposes. Messages have up to 64 KiB P^2: with few tasks they are so short that buffers
/// stay in the cache and no task waits for a grant, with many so long that there are few. A chunk fills one message,
/// but has at least one item for each thread.
TransposeShape to_frequency_shape(const Grid& grid, int tasks, int threads);
TransposeShape to_space_shape(const Grid& grid, int tasks, int threads);

/// Doubles of the memory that this task's parts of all items take, and of the buffers that ChunkedTranspose::run()
/// needs: none for one task alone.
std::int64_t result_doubles(const TransposeShape& shape, int tasks, int rank);
std::int64_t buffers_doubles(const TransposeShape& shape, int tasks, int rank);

class ChunkedTranspose {
 public:
  /// Makes the item (counted in the whole grid), row `part` to targets[part].
  using Make = std::function<void(std::int64_t item, std::span<const RowTarget> targets)>;

  /// No communication. `comm` must outlive it.
  ChunkedTranspose(Comm& comm, const TransposeShape& shape, int threads);

  [[nodiscard]] std::int64_t result_doubles() const { return ft::result_doubles(shape_, tasks_, rank_); }
  /// Where in it the parts of an item begin.
  [[nodiscard]] std::int64_t place(std::int64_t item) const { return place_at(rank_, item); }
  [[nodiscard]] Range own_items() const { return share(shape_.items, tasks_, rank_); }
  [[nodiscard]] Range own_parts() const { return share(shape_.parts, tasks_, rank_); }

  [[nodiscard]] std::int64_t buffers_doubles() const { return ft::buffers_doubles(shape_, tasks_, rank_); }

  /// Has all items of this task made, by the threads of an OpenMP team, and exchanges their rows. Collective; blocks
  /// until `result` is complete and everything sent. `buffers`, on a cache line, is free again then.
  void run(const Make& make, double* result, double* buffers);
  /// The same into memory of all tasks, by rank, that this one can write to. Nobody may read or store there any more
  /// for the transpose before: true for the other one of two results that are used in turns, where each task has
  /// items and parts.
  void run_in_place(const Make& make, std::span<double* const> results);

 private:
  [[nodiscard]] Range chunk_items(int task, std::int64_t chunk) const;
  [[nodiscard]] std::int64_t chunks(int task) const;
  /// Where the parts of an item begin in that task's result.
  [[nodiscard]] std::int64_t place_at(int task, std::int64_t item) const;
  /// Where in a buffer the rows for `task` begin, when its chunk has `items` items.
  [[nodiscard]] std::int64_t outgoing_place(int task, std::int64_t items) const;
  void receive_all(const auto& receive);
  void make_items(Range items, const Make& make, const auto& row_for);
  void send_chunk(std::int64_t chunk, const auto& send, std::vector<Request>& requests);

  Comm& comm_;
  TransposeShape shape_;
  int tasks_;
  int rank_;
  int threads_;
  std::vector<std::int64_t> chunks_before_;  ///< by item
  std::int64_t buffer_doubles_ = 0;          ///< of one buffer: a chunk's rows for other tasks
  std::vector<Request> receives_;
  std::vector<std::vector<Request>> sends_;  ///< for each buffer
};

}  // namespace nasvm::ft

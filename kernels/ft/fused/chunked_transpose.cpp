#include "kernels/ft/fused/chunked_transpose.hpp"

#include <algorithm>

#include "kernels/ft/fused/lanes.hpp"

namespace nasvm::ft {
namespace {

/// After each chunk of the result: items a power of two apart would collide in the caches.
constexpr std::int64_t padding = 17 * block_doubles;
constexpr Tag tag = 0;
constexpr std::int64_t message_bytes = 64 << 10;
/// Chunks that are made or on their way at the same time.
constexpr std::int64_t most_buffers = 2;

TransposeShape with_chunk(TransposeShape shape, int tasks, int threads) {
  if (tasks == 1) return shape;
  const std::int64_t most_parts = largest_share(shape.parts, tasks);
  const std::int64_t item_bytes = most_parts * shape.row_doubles * std::int64_t{sizeof(double)};
  const std::int64_t most_bytes = message_bytes * tasks * tasks;
  const std::int64_t fitting = std::max<std::int64_t>(1, most_bytes / item_bytes);
  shape.message_doubles = most_bytes / std::int64_t{sizeof(double)};
  shape.chunk = (fitting + threads - 1) / threads * threads;
  return shape;
}

std::int64_t buffer_count(const TransposeShape& shape, int tasks, int rank) {
  const std::int64_t items = share(shape.items, tasks, rank).size();
  return std::min(most_buffers, (items + shape.chunk - 1) / shape.chunk);
}

/// Of one buffer: the rows of a chunk that other tasks get.
std::int64_t doubles_of_buffer(const TransposeShape& shape, int tasks, int rank) {
  const std::int64_t items = std::min(shape.chunk, share(shape.items, tasks, rank).size());
  return items * (shape.parts - share(shape.parts, tasks, rank).size()) * shape.row_doubles;
}

/// Calls body(part of `rows`) for one message after the other.
void for_each_message(const TransposeShape& shape, auto rows, const auto& body) {
  const auto longest = static_cast<std::size_t>(shape.message_doubles);
  for (std::size_t begin = 0; begin < rows.size(); begin += longest) {
    body(rows.subspan(begin, std::min(longest, rows.size() - begin)));
  }
}

}  // namespace

TransposeShape to_frequency_shape(const Grid& grid, int tasks, int threads) {
  return with_chunk({grid.nz, grid.ny, 2 * grid.nx}, tasks, threads);
}

TransposeShape to_space_shape(const Grid& grid, int tasks, int threads) {
  return with_chunk({grid.ny, grid.nz, 2 * grid.nx}, tasks, threads);
}

ChunkedTranspose::ChunkedTranspose(Comm& comm, const TransposeShape& shape, int threads)
    : comm_(comm), shape_(shape), tasks_(comm.size()), rank_(comm.rank()), threads_(threads), places_{0} {
  for (int task = 0; task < tasks_; ++task) place_items(task);
  if (tasks_ == 1) return;
  buffer_doubles_ = doubles_of_buffer(shape, tasks_, rank_);
  sends_.resize(static_cast<std::size_t>(buffer_count(shape, tasks_, rank_)));
}

std::int64_t ChunkedTranspose::chunks(int task) const {
  return (share(shape_.items, tasks_, task).size() + shape_.chunk - 1) / shape_.chunk;
}

Range ChunkedTranspose::chunk_items(int task, std::int64_t chunk) const {
  const Range all = share(shape_.items, tasks_, task);
  const std::int64_t begin = all.begin + chunk * shape_.chunk;
  return {begin, std::min(begin + shape_.chunk, all.end)};
}

void ChunkedTranspose::place_items(int task) {
  const std::int64_t item_doubles = own_parts().size() * shape_.row_doubles;
  for (std::int64_t chunk = 0; chunk < chunks(task); ++chunk) {
    const std::int64_t items = chunk_items(task, chunk).size();
    const std::int64_t begin = places_.back();
    for (std::int64_t item = 1; item < items; ++item) places_.push_back(begin + item * item_doubles);
    places_.push_back(begin + items * item_doubles + padding);
  }
}

std::int64_t ChunkedTranspose::outgoing_place(int task, std::int64_t items) const {
  const std::int64_t parts_before = share(shape_.parts, tasks_, task).begin;
  const std::int64_t without_own = parts_before - (task > rank_ ? own_parts().size() : 0);
  return items * without_own * shape_.row_doubles;
}

void ChunkedTranspose::receive_all(double* result) {
  receives_.clear();
  for (int task = 0; task < tasks_; ++task) {
    if (task == rank_ || own_parts().size() == 0) continue;
    for (std::int64_t chunk = 0; chunk < chunks(task); ++chunk) {
      const Range items = chunk_items(task, chunk);
      const std::int64_t doubles = items.size() * own_parts().size() * shape_.row_doubles;
      for_each_message(shape_, std::span(result + place(items.begin), static_cast<std::size_t>(doubles)),
                       [&](auto message) { receives_.push_back(comm_.irecv(message, task, tag)); });
    }
  }
}

void ChunkedTranspose::send_chunk(std::int64_t chunk, const double* buffer, std::vector<Request>& requests) {
  const std::int64_t items = chunk_items(rank_, chunk).size();
  // Each task starts with another neighbour, so that not all send to the same task.
  for (int distance = 1; distance < tasks_; ++distance) {
    const int task = (rank_ + distance) % tasks_;
    const std::int64_t doubles = items * share(shape_.parts, tasks_, task).size() * shape_.row_doubles;
    for_each_message(shape_, std::span(buffer + outgoing_place(task, items), static_cast<std::size_t>(doubles)),
                     [&](auto message) { requests.push_back(comm_.isend(message, task, tag)); });
  }
}

void ChunkedTranspose::point_targets(std::int64_t item, Range chunk, double* buffer, double* result,
                                     std::span<RowTarget> targets) const {
  for (int task = 0; task < tasks_; ++task) {
    const Range parts = share(shape_.parts, tasks_, task);
    double* row = task == rank_ ? result + place(item)
                                : buffer + outgoing_place(task, chunk.size()) +
                                      (item - chunk.begin) * parts.size() * shape_.row_doubles;
    for (std::int64_t part = parts.begin; part < parts.end; ++part, row += shape_.row_doubles) {
      targets[static_cast<std::size_t>(part)] = {row, task == rank_};
    }
  }
}

void ChunkedTranspose::make_items(Range items, double* buffer, const Make& make, double* result) {
#pragma omp parallel num_threads(threads_)
  {
    std::vector<RowTarget> targets(static_cast<std::size_t>(shape_.parts));
#pragma omp for schedule(static)
    for (std::int64_t item = items.begin; item < items.end; ++item) {
      point_targets(item, items, buffer, result, targets);
      make(item, targets);
    }
  }
}

void ChunkedTranspose::run(const Make& make, double* result, double* buffers) {
  if (tasks_ == 1) return make_items(own_items(), nullptr, make, result);
  receive_all(result);
  for (std::int64_t chunk = 0; chunk < chunks(rank_); ++chunk) {
    const std::int64_t turn = chunk % static_cast<std::int64_t>(sends_.size());
    double* const buffer = buffers + turn * buffer_doubles_;
    std::vector<Request>& requests = sends_[static_cast<std::size_t>(turn)];
    comm_.wait_all(requests);
    requests.clear();
    make_items(chunk_items(rank_, chunk), buffer, make, result);
    send_chunk(chunk, buffer, requests);
    // Sockets take and give while the next chunk is made, and the other task need not wait for that.
    comm_.progress();
  }
  for (std::vector<Request>& requests : sends_) comm_.wait_all(requests);
  comm_.wait_all(receives_);
}

}  // namespace nasvm::ft

#include "kernels/ft/fused/chunked_transpose.hpp"

#include <algorithm>

#include "kernels/ft/fused/lanes.hpp"
#include "vm/windows.hpp"

namespace nasvm::ft {
namespace {

/// After each chunk of the result: items a power of two apart would collide in the caches.
constexpr std::int64_t padding = 17 * block_doubles;
constexpr Tag tag = 0;
/// Times P^2: with two tasks 256 KiB, the longest message that waits for no grant unless told otherwise. Not asked of
/// the machine, because sender and receiver divide chunks alike, and traffic() says how many messages there are.
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

std::int64_t chunks_of(const TransposeShape& shape, std::int64_t items) {
  return (items + shape.chunk - 1) / shape.chunk;
}

/// Of an item: the rows that other tasks get.
std::int64_t outgoing_doubles(const TransposeShape& shape, int tasks, int rank) {
  return (shape.parts - share(shape.parts, tasks, rank).size()) * shape.row_doubles;
}

/// Calls body(begin, number of doubles) for one message of so many doubles after the other.
void for_each_message(const TransposeShape& shape, std::int64_t doubles, const auto& body) {
  for (std::int64_t begin = 0; begin < doubles; begin += shape.message_doubles) {
    body(begin, static_cast<std::size_t>(std::min(shape.message_doubles, doubles - begin)));
  }
}

}  // namespace

TransposeShape to_frequency_shape(const Grid& grid, int tasks, int threads) {
  return with_chunk({grid.nz, grid.ny, 2 * grid.nx}, tasks, threads);
}

TransposeShape to_space_shape(const Grid& grid, int tasks, int threads) {
  return with_chunk({grid.ny, grid.nz, 2 * grid.nx}, tasks, threads);
}

std::int64_t buffers_doubles(const TransposeShape& shape, int tasks, int rank) {
  return std::min(most_buffers * shape.chunk, share(shape.items, tasks, rank).size()) *
         outgoing_doubles(shape, tasks, rank);
}

std::int64_t result_doubles(const TransposeShape& shape, int tasks, int rank) {
  // The first tasks have an item more than the others. Not task by task: whoever asks for all ranks would do it for
  // thousands squared.
  const std::int64_t few = shape.items / tasks;
  const std::int64_t with_more = shape.items % tasks;
  const std::int64_t chunks = with_more * chunks_of(shape, few + 1) + (tasks - with_more) * chunks_of(shape, few);
  return shape.items * share(shape.parts, tasks, rank).size() * shape.row_doubles + chunks * padding;
}

ChunkedTranspose::ChunkedTranspose(Comm& comm, const TransposeShape& shape, int threads)
    : comm_(comm), shape_(shape), tasks_(comm.size()), rank_(comm.rank()), threads_(threads) {
  std::int64_t chunks_before = 0;
  for (int task = 0; task < tasks_; ++task) {
    for (std::int64_t chunk = 0; chunk < chunks(task); ++chunk) {
      const std::int64_t items = chunk_items(task, chunk).size();
      chunks_before_.insert(chunks_before_.end(), static_cast<std::size_t>(items), chunks_before++);
    }
  }
  buffer_doubles_ = shape.chunk * outgoing_doubles(shape, tasks_, rank_);
  sends_.resize(static_cast<std::size_t>(std::min(most_buffers, chunks(rank_))));
}

std::int64_t ChunkedTranspose::chunks(int task) const {
  return chunks_of(shape_, share(shape_.items, tasks_, task).size());
}

Range ChunkedTranspose::chunk_items(int task, std::int64_t chunk) const {
  const Range all = share(shape_.items, tasks_, task);
  const std::int64_t begin = all.begin + chunk * shape_.chunk;
  return {begin, std::min(begin + shape_.chunk, all.end)};
}

std::int64_t ChunkedTranspose::place_at(int task, std::int64_t item) const {
  return item * share(shape_.parts, tasks_, task).size() * shape_.row_doubles +
         chunks_before_[static_cast<std::size_t>(item)] * padding;
}

std::int64_t ChunkedTranspose::outgoing_place(int task, std::int64_t items) const {
  const std::int64_t parts_before = share(shape_.parts, tasks_, task).begin;
  const std::int64_t without_own = parts_before - (task > rank_ ? own_parts().size() : 0);
  return items * without_own * shape_.row_doubles;
}

/// receive(task, place in the result, doubles) for each message.
void ChunkedTranspose::receive_all(const auto& receive) {
  receives_.clear();
  for (int task = 0; task < tasks_; ++task) {
    if (task == rank_) continue;
    for (std::int64_t chunk = 0; chunk < chunks(task); ++chunk) {
      const Range items = chunk_items(task, chunk);
      for_each_message(shape_, items.size() * own_parts().size() * shape_.row_doubles,
                       [&](std::int64_t begin, std::size_t doubles) {
                         receives_.push_back(receive(task, place(items.begin) + begin, doubles));
                       });
    }
  }
}

/// send(task, place in a buffer, doubles) for each message.
void ChunkedTranspose::send_chunk(std::int64_t chunk, const auto& send, std::vector<Request>& requests) {
  const std::int64_t items = chunk_items(rank_, chunk).size();
  // Each task starts with another neighbour, so that not all send to the same task.
  for (int distance = 1; distance < tasks_; ++distance) {
    const int task = (rank_ + distance) % tasks_;
    for_each_message(shape_, items * share(shape_.parts, tasks_, task).size() * shape_.row_doubles,
                     [&](std::int64_t begin, std::size_t doubles) {
                       requests.push_back(send(task, outgoing_place(task, items) + begin, doubles));
                     });
  }
}

/// row_for(task, item): where the first of an item's rows for that task is to be put.
void ChunkedTranspose::make_items(Range items, const Make& make, const auto& row_for) {
#pragma omp parallel num_threads(threads_)
  {
    std::vector<RowTarget> targets(static_cast<std::size_t>(shape_.parts));
#pragma omp for schedule(static)
    for (std::int64_t item = items.begin; item < items.end; ++item) {
      for (int task = 0; task < tasks_; ++task) {
        const Range parts = share(shape_.parts, tasks_, task);
        RowTarget target = row_for(task, item);
        for (std::int64_t part = parts.begin; part < parts.end; ++part, target.begin += shape_.row_doubles) {
          targets[static_cast<std::size_t>(part)] = target;
        }
      }
      make(item, targets);
    }
    order_stores_past_cache();
  }
}

void ChunkedTranspose::run(const Make& make, double* result, double* buffers) {
  if (tasks_ == 1) {
    make_items(own_items(), make, [&](int, std::int64_t item) { return RowTarget{result + place(item), true}; });
    return;
  }
  receive_all([&](int task, std::int64_t place, std::size_t doubles) {
    return comm_.irecv(std::span(result + place, doubles), task, tag);
  });
  for (std::int64_t chunk = 0; chunk < chunks(rank_); ++chunk) {
    const Range items = chunk_items(rank_, chunk);
    const std::int64_t turn = chunk % static_cast<std::int64_t>(sends_.size());
    double* const buffer = buffers + turn * buffer_doubles_;
    std::vector<Request>& requests = sends_[static_cast<std::size_t>(turn)];
    comm_.wait_all(requests);
    requests.clear();
    make_items(items, make, [&](int task, std::int64_t item) -> RowTarget {
      if (task == rank_) return {result + place(item), true};
      const std::int64_t item_doubles = share(shape_.parts, tasks_, task).size() * shape_.row_doubles;
      return {buffer + outgoing_place(task, items.size()) + (item - items.begin) * item_doubles, false};
    });
    send_chunk(
        chunk,
        [&](int task, std::int64_t place, std::size_t doubles) {
          return comm_.isend(std::span<const double>(buffer + place, doubles), task, tag);
        },
        requests);
    // Sockets take and give while the next chunk is made, and the other task need not wait for that.
    comm_.progress();
  }
  for (std::vector<Request>& requests : sends_) comm_.wait_all(requests);
  comm_.wait_all(receives_);
}

void ChunkedTranspose::run_in_place(const Make& make, std::span<double* const> results) {
  receive_all([&](int task, std::int64_t, std::size_t doubles) {
    return comm_.irecv_placed(doubles * sizeof(double), task, tag);
  });
  std::vector<Request> requests;
  for (std::int64_t chunk = 0; chunk < chunks(rank_); ++chunk) {
    make_items(chunk_items(rank_, chunk), make, [&](int task, std::int64_t item) -> RowTarget {
      return {results[static_cast<std::size_t>(task)] + place_at(task, item), true};
    });
    send_chunk(
        chunk,
        [&](int task, std::int64_t, std::size_t doubles) {
          return comm_.isend_placed(doubles * sizeof(double), task, tag);
        },
        requests);
  }
  comm_.wait_all(requests);
  comm_.wait_all(receives_);
}

}  // namespace nasvm::ft

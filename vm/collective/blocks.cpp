#include "vm/collective/blocks.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "vm/block_copy.hpp"

namespace nasvm::collective {

Blocks::Blocks(std::span<const std::size_t> bytes) {
  offsets_.reserve(bytes.size() + 1);
  offsets_.push_back(0);
  for (const std::size_t length : bytes) offsets_.push_back(offsets_.back() + length);
}

Blocks Blocks::even(std::size_t total, int ranks, std::size_t unit) {
  const auto count = static_cast<std::size_t>(ranks);
  const std::size_t units = total / unit;
  Blocks blocks;
  blocks.offsets_.reserve(count + 1);
  for (std::size_t block = 0; block < count; ++block) {
    blocks.offsets_.push_back((block * (units / count) + std::min(block, units % count)) * unit);
  }
  blocks.offsets_.push_back(total);
  return blocks;
}

std::size_t Blocks::run_bytes(int first, int blocks) const {
  const int begin = wrap(first);
  const int end = begin + blocks;
  if (end <= count()) return offset(end) - offset(begin);
  return total() - offset(begin) + offset(end - count());
}

void copy_block(std::span<const std::byte> from, std::span<std::byte> to) {
  if (from.data() != to.data()) copy_bytes(to.data(), from.data(), from.size());
}

void check_block_count(const Comm& comm, std::span<const std::size_t> bytes) {
  if (bytes.size() == static_cast<std::size_t>(comm.size())) return;
  throw std::invalid_argument(std::to_string(bytes.size()) + " counts for " + std::to_string(comm.size()) +
                              " ranks; there must be one for each");
}

void check_buffer(std::size_t has_bytes, std::size_t needs_bytes) {
  if (has_bytes >= needs_bytes) return;
  throw std::invalid_argument("buffer of " + std::to_string(has_bytes) + " bytes, but its counts make " +
                              std::to_string(needs_bytes));
}

void exchange(Comm& comm, std::span<const std::byte> out, Rank to, std::span<std::byte> in, Rank from, Tag tag,
              std::uint8_t element_bytes) {
  if (out.empty() && in.empty()) return;
  if (out.empty()) {
    comm.recv_bytes(in, from, tag, element_bytes);
  } else if (in.empty()) {
    comm.send_bytes(out, to, tag, element_bytes);
  } else {
    comm.sendrecv_bytes(out, to, in, from, tag, element_bytes, element_bytes);
  }
}

void ring_allgather(Comm& comm, std::span<std::byte> data, const Blocks& blocks, int shift, Tag tag,
                    std::uint8_t element_bytes) {
  const int ranks = comm.size();
  const int own = comm.rank() + shift;
  const Rank right = (comm.rank() + 1) % ranks;
  const Rank left = (comm.rank() + ranks - 1) % ranks;
  // All receives stand from the start, so that a neighbour who is ahead writes straight to the right place.
  std::vector<Request> incoming(static_cast<std::size_t>(ranks));
  for (int round = 1; round < ranks; ++round) {
    const auto block = blocks.of(data, own - round);
    if (!block.empty()) incoming[static_cast<std::size_t>(round)] = comm.irecv_bytes(block, left, tag, element_bytes);
  }
  for (int round = 1; round < ranks; ++round) {
    const auto block = blocks.of(data, own - round + 1);
    if (!block.empty()) comm.send_bytes(block, right, tag, element_bytes);
    comm.wait(incoming[static_cast<std::size_t>(round)]);
  }
}

}  // namespace nasvm::collective

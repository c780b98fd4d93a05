#include "vm/abi/mpi/blocks.hpp"

namespace nasvm::mpi {

Blocks::Blocks(void* buffer, std::ptrdiff_t count, const Datatype& type, int ranks) : buffer_(buffer), type_(type) {
  counts_.assign(static_cast<std::size_t>(ranks), count);
  for (int rank = 0; rank < ranks; ++rank) places_.push_back(rank * count * type.extent());
  sum_up();
}

Blocks::Blocks(void* buffer, const Numbers& counts, const Numbers& displs, const Datatype& type, int ranks)
    : buffer_(buffer), type_(type) {
  for (int rank = 0; rank < ranks; ++rank) {
    check_data(counts[rank], &type);
    counts_.push_back(counts[rank]);
    places_.push_back(displs[rank] * type.extent());
  }
  sum_up();
}

void Blocks::sum_up() {
  std::size_t total = 0;
  bool dense = type_.is_dense(2);
  std::ptrdiff_t next = places_.empty() ? 0 : places_.front();
  for (std::size_t rank = 0; rank < counts_.size(); ++rank) {
    const std::size_t bytes = type_.bytes * static_cast<std::size_t>(counts_[rank]);
    dense = dense && (bytes == 0 || places_[rank] == next || total == 0);
    if (bytes != 0) next = places_[rank] + static_cast<std::ptrdiff_t>(bytes);
    lengths_.push_back(bytes);
    offsets_.push_back(total);
    total += bytes;
  }
  is_copy_ = !dense;
  if (is_copy_) {
    copy_.resize(total);
    bytes_ = copy_;
    return;
  }
  std::ptrdiff_t first = 0;
  for (std::size_t rank = counts_.size(); rank-- > 0;) {
    if (lengths_[rank] != 0) first = places_[rank];
  }
  if (total != 0) bytes_ = {static_cast<std::byte*>(buffer_) + first + type_.lowest, total};
}

void Blocks::load(int rank) {
  if (is_copy_) pack(type_, place(rank), count(rank), of(rank).data());
}

void Blocks::load() {
  for (int rank = 0; rank < ranks(); ++rank) load(rank);
}

void Blocks::store() {
  if (!is_copy_) return;
  for (int rank = 0; rank < ranks(); ++rank) unpack(type_, place(rank), count(rank), of(rank));
}

}  // namespace nasvm::mpi

#include "vm/transport/shm/shared_piece.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <utility>

#include "vm/memory_file.hpp"
#include "vm/net/fd.hpp"
#include "vm/status.hpp"
#include "vm/streaming_copy.hpp"

namespace nasvm::shm {
namespace {

// Older C libraries do not name them.
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

class SharedPiece final : public SharedMemory {
 public:
  SharedPiece(net::Fd memory, Mapping mapping, std::size_t bytes, std::size_t stream_from)
      : memory_(std::move(memory)), mapping_(std::move(mapping)), bytes_(bytes), stream_from_(stream_from) {}

  std::span<std::byte> bytes() const override { return {mapping_.data(), bytes_}; }
  void put(std::span<std::byte> place, std::span<const std::byte> data) override {
    copy_past_cache_from(stream_from_, place.data(), data.data(), data.size());
  }
  bool populate() override {
    if (memory_) ask_for_huge_pages();
    // Systems before Linux 5.14 do not know it: pages come when they are touched.
    return ::madvise(mapping_.data(), bytes_, MADV_POPULATE_WRITE) == 0 || errno == EINVAL;
  }
  std::int64_t number() const override { return memory_.get(); }
  void hide() override { memory_.reset(); }

 private:
  /// A wish: where it is refused, pages are small. Shared memory mostly has huge ones only for who asks so
  /// (shmem_enabled), and only where there is a page already; others who map it get them as they are.
  void ask_for_huge_pages() const {
    const std::size_t whole = bytes_ / huge_page_bytes * huge_page_bytes;
    for (std::size_t at = 0; at < whole; at += huge_page_bytes) {
      (void)::madvise(mapping_.data() + at, 1, MADV_POPULATE_WRITE);
    }
    (void)::madvise(mapping_.data(), whole, MADV_COLLAPSE);
  }

  net::Fd memory_;  ///< of the creator
  Mapping mapping_;
  std::size_t bytes_;
  std::size_t stream_from_;
};

}  // namespace

std::unique_ptr<SharedMemory> create_shared_piece(std::size_t bytes, std::size_t stream_from) {
  net::Fd memory = make_memory_file("nasvm-shared", bytes);
  if (!memory) return nullptr;
  try {
    Mapping mapping(memory.get(), 0, bytes);
    return std::make_unique<SharedPiece>(std::move(memory), std::move(mapping), bytes, stream_from);
  } catch (const RunError&) {
    return nullptr;
  }
}

std::unique_ptr<SharedMemory> map_shared_piece(const PeerSegment& creator, std::int64_t number, std::size_t bytes,
                                               std::size_t stream_from) {
  try {
    return std::make_unique<SharedPiece>(net::Fd(), creator.map(static_cast<int>(number), bytes), bytes, stream_from);
  } catch (const RunError&) {
    return nullptr;
  }
}

}  // namespace nasvm::shm

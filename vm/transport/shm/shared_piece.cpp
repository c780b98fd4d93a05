#include "vm/transport/shm/shared_piece.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <utility>

#include "vm/net/fd.hpp"
#include "vm/status.hpp"
#include "vm/streaming_copy.hpp"

namespace nasvm::shm {
namespace {

class SharedPiece final : public SharedMemory {
 public:
  SharedPiece(net::Fd memory, Mapping mapping, std::size_t bytes, std::size_t stream_from)
      : memory_(std::move(memory)), mapping_(std::move(mapping)), bytes_(bytes), stream_from_(stream_from) {}

  std::span<std::byte> bytes() const override { return {mapping_.data(), bytes_}; }
  void put(std::span<std::byte> place, std::span<const std::byte> data) override {
    copy_past_cache_from(stream_from_, place.data(), data.data(), data.size());
  }
  std::int64_t number() const override { return memory_.get(); }
  void hide() override { memory_.reset(); }

 private:
  net::Fd memory_;  ///< of the creator
  Mapping mapping_;
  std::size_t bytes_;
  std::size_t stream_from_;
};

}  // namespace

std::unique_ptr<SharedMemory> create_shared_piece(std::size_t bytes, std::size_t stream_from) {
  net::Fd memory(::memfd_create("nasvm-shared", MFD_CLOEXEC));
  if (!memory || ::ftruncate(memory.get(), static_cast<off_t>(bytes)) != 0) return nullptr;
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

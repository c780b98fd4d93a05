#pragma once
/// \file
/// Memory beside the segments that several tasks have mapped (SharedMemory).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "vm/shared_memory.hpp"
#include "vm/transport/shm/segment.hpp"

namespace nasvm::shm {

/// What is put there of `stream_from` bytes or more goes past the cache (vm/streaming_copy.hpp). Null: the system has
/// no memory or descriptors for it.
std::unique_ptr<SharedMemory> create_shared_piece(std::size_t bytes, std::size_t stream_from);
/// What the peer has created as `number`. Null: it cannot be mapped.
std::unique_ptr<SharedMemory> map_shared_piece(const PeerSegment& creator, std::int64_t number, std::size_t bytes,
                                               std::size_t stream_from);

}  // namespace nasvm::shm

#pragma once
/// \file
/// Disk over the system's own calls: pread, pwritev, fsync, open file description locks. Buffered, or past the page
/// cache (O_DIRECT) where the file system allows that and what is written is whole pages.

#include <memory>

#include "vm/files/disk.hpp"

namespace nasvm::files {

/// direct: what lies on whole pages goes past the page cache; the rest, and all of a file whose file system refuses,
/// goes through it.
enum class Caching : std::uint8_t { page_cache, direct };

std::unique_ptr<Disk> make_posix_disk(Caching caching = Caching::page_cache);

}  // namespace nasvm::files

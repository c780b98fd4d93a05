#pragma once
/// \file
/// The system's page cache, of one file.

#include <cstdint>
#include <string>

namespace nasvm {

/// Has the system forget what it has of the file in memory, after it has brought that to disk. Returns how many bytes
/// it keeps all the same: all where the file system lives in memory, none where there is no such file. Blocks. Throws
/// RunError.
std::uint64_t drop_from_page_cache(const std::string& path);

}  // namespace nasvm

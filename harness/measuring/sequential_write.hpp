#pragma once
/// \file
/// How fast a disk takes one long sequence: what no way of writing a file is expected to beat.

#include <cstdint>
#include <string>

namespace nasvm {

/// Seconds in which a new file of so many bytes was written from its beginning to its end, in pieces of 8 MB, and
/// brought to disk (fsync). Its name is gone before. Blocks. Throws RunError, also where there is something of that
/// name: that stays as it is.
double sequential_write_s(const std::string& path, std::uint64_t bytes);

}  // namespace nasvm

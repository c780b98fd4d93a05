#pragma once
/// \file
/// Copying past this core's cache: for memory whose lines other cores have read, and are going to read again. A usual
/// store has to take each line away from them at first.

#include <cstddef>

namespace nasvm {

/// Copies `bytes` bytes that do not overlap. What is stored afterwards is seen no earlier. Of processors without such
/// stores, a usual copy.
void copy_past_cache(std::byte* to, const std::byte* from, std::size_t bytes);

}  // namespace nasvm

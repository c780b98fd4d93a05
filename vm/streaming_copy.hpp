#pragma once
/// \file
/// Copying past this core's cache: for memory whose lines other cores have read, and are going to read again. A usual
/// store has to take each line away from them at first.

#include <cstddef>

#include "vm/block_copy.hpp"

namespace nasvm {

/// Copies `bytes` bytes that do not overlap. What is stored afterwards is seen no earlier. Of processors without such
/// stores, a usual copy.
void copy_past_cache(std::byte* to, const std::byte* from, std::size_t bytes);

/// The same of whole lines to the border of one; but until order_stores_past_cache() what is stored afterwards may be
/// seen earlier.
void copy_lines_past_cache(std::byte* to, const std::byte* from, std::size_t bytes);

/// What this thread has stored past its cache so far is seen before what it stores afterwards. copy_past_cache does
/// that by itself; who copies lines, or uses such instructions in loops of its own, calls it before it tells others.
void order_stores_past_cache();

/// A usual copy, but of `least` bytes and more one past the cache.
inline void copy_past_cache_from(std::size_t least, std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes >= least) {
    copy_past_cache(to, from, bytes);
  } else {
    copy_bytes(to, from, bytes);
  }
}

}  // namespace nasvm

#pragma once
/// \file
/// Memory for large fields that are written before they are read: not initialised, so that the threads which use it touch
/// it first, and on huge pages where the system has them, for fewer address translations.

#include <cstddef>

namespace nasvm {

/// So many bytes, aligned to the cache line, from 2 MB on to huge pages. nullptr when there is not so much memory. To be
/// given back by std::free.
[[nodiscard]] void* allocate_large(std::size_t bytes) noexcept;

}  // namespace nasvm

#pragma once
/// \file
/// Whether the tests run under a sanitizer, for those that look at what it changes: memory, speed.

namespace nasvm::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace nasvm::test

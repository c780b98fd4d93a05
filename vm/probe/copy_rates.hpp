#pragma once
/// \file
/// How fast this computer copies messages from one task to another: twice, through a small ring that both have in
/// their caches or past the sender's cache, by two cores at the same time; or once, by the kernel, out of the
/// sender's memory (process_vm_readv).
///
/// Which is faster, and from what length on, depends on the processor: docs/transports/shm.md, "Asking the machine".
/// Daemons measure it when they start and leave it in their tasks' environment. Rates: GB/s, 1 GB = 10^9 bytes.

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nasvm {

/// Of messages of one length; 0: not known.
struct CopyRate {
  std::size_t bytes = 0;
  double small_ring = 0;  ///< through one of small_ring_bytes
  double large_ring = 0;  ///< through one of large_ring_bytes
  double fetched = 0;     ///< once, by the receiver
  double streamed = 0;    ///< through one of large_ring_bytes, which the sender fills past its cache

  bool operator==(const CopyRate&) const = default;
};
using CopyRates = std::vector<CopyRate>;  ///< lengths ascend

inline constexpr std::size_t small_ring_bytes = 64 * 1024;
inline constexpr std::size_t large_ring_bytes = 256 * 1024;

/// Measures some lengths: the best of several messages each, freshly written by their sender. Takes a few
/// milliseconds, `longest` at most: what is not measured by then is not known, nor anything where this process may
/// use one core only or has no memory for it. Starts two threads, which end before it returns. Never throws.
CopyRates measure_copy_rates(std::chrono::milliseconds longest);

/// As text, "65536/7.1/9/12.9/15.3,...", and back; empty for a text that is none.
std::string to_text(const CopyRates& rates);
CopyRates copy_rates_of(std::string_view text);

/// The variable in which tasks find them; a user may set it, and then daemons measure nothing.
inline constexpr const char* copy_rates_variable = "NASVM_COPY_RATES";
/// Of this process's environment; none where it has none.
CopyRates copy_rates_in_environment();
/// Sets the variable to what it measures within `longest`, or twice that if it finds nothing, for this process and
/// those that it starts, unless it is set.
void put_copy_rates_into_environment(std::chrono::milliseconds longest);

}  // namespace nasvm

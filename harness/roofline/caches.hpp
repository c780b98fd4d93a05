#pragma once
/// \file
/// The data caches of this host's first processor core.

#include <cstdint>
#include <string_view>
#include <vector>

namespace nasvm {

struct Cache {
  int level = 1;  ///< 1, 2, 3
  std::uint64_t bytes = 0;
  int shared_by = 1;  ///< hardware threads that use it together

  bool operator==(const Cache&) const = default;
};

/// From the nearest to the farthest, as Linux tells (/sys/devices/system/cpu); where it does not, 32 kB and 1 MB for
/// each core.
std::vector<Cache> local_caches();

/// Bytes of "48K", "1M", "512"; 0 when it is something else.
std::uint64_t cache_bytes(std::string_view text);

/// How many are in a list such as "0-3,8".
int count_of_list(std::string_view text);

}  // namespace nasvm

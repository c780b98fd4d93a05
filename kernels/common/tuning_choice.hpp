#pragma once
/// \file
/// What a kernel has chosen for the machine that it runs on, and why: by the processor, the sizes of caches, or a
/// trial. For people: `nasvm info` and the result document have it (docs/results.md). Each kernel's are in its
/// `choices`.

#include <cstdint>
#include <string>
#include <vector>

namespace nasvm {

struct TuningChoice {
  std::string what;    ///< "tile columns"
  std::string chosen;  ///< "2048"
  std::string why;     ///< "7/12 of a first-level cache of 32 KiB"

  bool operator==(const TuningChoice&) const = default;
};

using TuningChoices = std::vector<TuningChoice>;

/// "32 KiB", "1.5 MiB": three digits, KiB below 1 MiB.
std::string cache_size_text(double bytes);

}  // namespace nasvm

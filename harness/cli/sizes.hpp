#pragma once
/// \file
/// Message sizes of the command line, as the OSU Micro-Benchmarks have them.

#include <cstdint>
#include <string>
#include <vector>

namespace nasvm {

/// Sizes of "MIN:MAX", "MAX", "MIN:" (up to 4M) with endings k, M, G (powers of 1024): MIN, then its doubles up to
/// MAX; after 0 comes 1. One number is the last size, also where doubling misses it. Throws UsageError.
std::vector<std::uint64_t> parse_sizes(const std::string& text);

/// The same, or with a comma just the sizes of the list: "1k,64k,2M", or "64k,". Throws UsageError.
std::vector<std::uint64_t> parse_sizes_or_list(const std::string& text);

/// The same, but one number is just that size. Throws UsageError.
std::vector<std::uint64_t> parse_size_or_sizes(const std::string& text);

}  // namespace nasvm

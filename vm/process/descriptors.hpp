#pragma once
/// \file
/// How many files this process may have open.

#include <cstddef>

namespace nasvm::process {

/// Raises the limit to the user's maximum where it is below `wanted`, and returns what it is then. Programs that are
/// started inherit it.
std::size_t raise_descriptor_limit(std::size_t wanted);

}  // namespace nasvm::process

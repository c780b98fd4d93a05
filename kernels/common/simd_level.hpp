#pragma once
/// \file
/// For which processors the kernels that are running were compiled (docs/decisions/simd-levels.md).

#include <string_view>

namespace nasvm {

/// The level of the x86-64 psABI ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"), or the name of another
/// architecture ("aarch64"). A build for one machine may use more than its level says.
std::string_view simd_level();

}  // namespace nasvm

#pragma once
/// \file
/// Whether tasks are bound to cores.

#include <array>
#include <string_view>

namespace nasvm {

/// core: each task to cores of its own, where there are enough that nobody has; none: where the system puts it.
enum class Binding { core, none };

/// In the order of Binding.
inline constexpr std::array<std::string_view, 2> binding_names{"core", "none"};

}  // namespace nasvm

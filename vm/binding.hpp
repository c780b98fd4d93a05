#pragma once
/// \file
/// Whether tasks are bound to cores.

namespace nasvm {

/// core: each task to cores of its own, where there are enough that nobody has; none: where the system puts it.
enum class Binding { core, none };

}  // namespace nasvm

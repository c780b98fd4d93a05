#pragma once
/// \file
/// What tasks do for `nasvm hosts --methods`: say by which transport they reach each other.

#include <string>
#include <string_view>

#include "vm/task.hpp"

namespace nasvm {

inline constexpr std::string_view order_kind_methods = "methods";

/// The order that asks for them: nothing but its kind.
std::string methods_order();

/// The text of this task's Methods.
std::string describe_methods(Task& task);

}  // namespace nasvm

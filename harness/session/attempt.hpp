#pragma once
/// \file
/// Going on after an error.

#include <exception>

namespace nasvm {

/// Does what can still be done after an error, keeping the first one.
template <typename Action>
void attempt(std::exception_ptr& first, Action action) {
  try {
    action();
  } catch (...) {
    if (!first) first = std::current_exception();
  }
}

}  // namespace nasvm

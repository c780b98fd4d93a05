#pragma once
/// \file
/// What endpoints over message systems say of a receive that is `abandoned` because its message was longer.

#include <fmt/format.h>

#include "vm/endpoint.hpp"
#include "vm/status.hpp"

namespace nasvm {

/// Throws RunError. The receive's status says whose message it was.
[[noreturn]] inline void complain_of_length(const Operation& receive) {
  throw RunError(fmt::format("a message from rank {} (tag {}) does not fit its receive buffer of {} bytes",
                             receive.status.source, receive.status.tag, receive.bytes));
}

}  // namespace nasvm

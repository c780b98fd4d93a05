#pragma once
/// \file
/// What endpoints say of a receive that is `abandoned` because its message was longer.

#include <fmt/format.h>

#include "vm/endpoint.hpp"
#include "vm/status.hpp"

namespace nasvm {

/// Throws RunError. The receive's status says whose message it was, and how long where that is known: some MPIs tell
/// of no more than there was room for.
[[noreturn, gnu::cold]] inline void complain_of_length(const Operation& receive) {
  const Status& message = receive.status;
  const bool is_known = message.bytes > receive.bytes;
  throw RunError(fmt::format("a message{} from rank {} (tag {}) does not fit its receive buffer of {} bytes",
                             is_known ? fmt::format(" of {} bytes", message.bytes) : "", message.source, message.tag,
                             receive.bytes));
}

}  // namespace nasvm

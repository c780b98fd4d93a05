#pragma once
/// \file
/// What endpoints say of a receive that is `abandoned` because its message was longer.

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "vm/endpoint.hpp"
#include "vm/status.hpp"

namespace nasvm {

class TooShort : public RunError {
 public:
  /// The receive's status says whose message it was, and how long where that is known: some MPIs tell of no more than
  /// there was room for.
  explicit TooShort(const Operation& receive)
      : RunError(text_of(receive, fmt::format(" (tag {})", receive.status.tag))),
        without_tag_(text_of(receive, "")) {}

  /// The text for messages of collectives, whose tags nobody has chosen.
  [[nodiscard]] const std::string& without_tag() const { return without_tag_; }

 private:
  static std::string text_of(const Operation& receive, std::string_view tag) {
    const Status& message = receive.status;
    const bool is_known = message.bytes > receive.bytes;
    return fmt::format("a message{} from rank {}{} does not fit its receive buffer of {} bytes",
                       is_known ? fmt::format(" of {} bytes", message.bytes) : "", message.source, tag,
                       receive.bytes);
  }

  std::string without_tag_;
};

/// Throws TooShort.
[[noreturn, gnu::cold]] inline void complain_of_length(const Operation& receive) { throw TooShort(receive); }

}  // namespace nasvm

#pragma once
/// \file
/// What endpoints say of a receive that is `abandoned` because its message was longer.

#include <string>

#include <fmt/format.h>

#include "vm/endpoint.hpp"
#include "vm/status.hpp"

namespace nasvm {

class TooShort : public RunError {
 public:
  /// The receive's status says whose message it was, and how long where that is known: some MPIs tell of no more than
  /// there was room for.
  explicit TooShort(const Operation& receive)
      : RunError(text_of(receive)), without_tag_(collective_text_of(receive)) {}

  /// The text for messages of collectives: nobody has chosen their tags, data may travel in pieces, and either of the
  /// two may be wrong.
  [[nodiscard]] const std::string& without_tag() const { return without_tag_; }

 private:
  static bool has_length(const Operation& receive) { return receive.status.bytes > receive.bytes; }

  static std::string text_of(const Operation& receive) {
    const Status& message = receive.status;
    return fmt::format("a message{} from rank {} (tag {}) does not fit its receive buffer of {} bytes",
                       has_length(receive) ? fmt::format(" of {} bytes", message.bytes) : "", message.source,
                       message.tag, receive.bytes);
  }

  static std::string collective_text_of(const Operation& receive) {
    const Status& message = receive.status;
    return fmt::format(
        "the counts of this task and of rank {} differ: {} came where {} bytes were expected", message.source,
        has_length(receive) ? fmt::format("a piece of {}", message.bytes) : "a longer piece", receive.bytes);
  }

  std::string without_tag_;
};

/// Throws TooShort.
[[noreturn, gnu::cold]] inline void complain_of_length(const Operation& receive) { throw TooShort(receive); }

}  // namespace nasvm

#include "vm/too_short.hpp"

#include <fmt/format.h>

#include "vm/collective/tags.hpp"

namespace nasvm {
namespace {

bool has_length(const Operation& receive) { return receive.status.bytes > receive.bytes; }

std::string collective_text_of(const Operation& receive) {
  const Status& message = receive.status;
  return fmt::format(
      "the counts of this task and of rank {} differ: {} came where {} bytes were expected", message.source,
      has_length(receive) ? fmt::format("a piece of {}", message.bytes) : "a longer piece", receive.bytes);
}

std::string text_of(const Operation& receive) {
  const Status& message = receive.status;
  if (is_of_collective(receive.context)) {
    return fmt::format("collectives do not match: in {} {}", collective::name_of(message.tag),
                       collective_text_of(receive));
  }
  return fmt::format("a message{} from rank {} (tag {}) does not fit its receive buffer of {} bytes",
                     has_length(receive) ? fmt::format(" of {} bytes", message.bytes) : "", message.source,
                     message.tag, receive.bytes);
}

}  // namespace

TooShort::TooShort(const Operation& receive)
    : RunError(text_of(receive)), collective_text_(collective_text_of(receive)) {}

}  // namespace nasvm

#include "harness/session/order.hpp"

namespace nasvm {

void describe_kind(Fields& fields, std::string_view kind) {
  std::string text(kind);
  fields.text("kind", text);
}

std::string order_kind(std::string_view text) {
  std::string kind;
  from_text(text, [&kind](Fields& fields) { fields.text("kind", kind); });
  return kind;
}

}  // namespace nasvm

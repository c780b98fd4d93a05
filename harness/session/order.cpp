#include "harness/session/order.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "vm/status.hpp"

namespace nasvm {
namespace {

/// As it is after its journey: what is no UTF-8 has been replaced.
std::string arrived(std::string text) {
  const auto describe_text = [&text](Fields& fields) { fields.text("text", text); };
  from_text(to_text(describe_text), describe_text);
  return text;
}

}  // namespace

void describe_kind(Fields& fields, std::string_view kind) {
  std::string text(kind);
  fields.text("kind", text);
}

void check_order_text(const std::string& name, const std::string& text) {
  const std::string after = arrived(text);
  if (after == text) return;
  throw UsageError(
      fmt::format("{}: \"{}\" is not UTF-8, in which tasks are told of it; give it in UTF-8", name, after));
}

std::string order_kind(std::string_view text) try {
  std::string kind;
  from_text(text, [&kind](Fields& fields) { fields.text("kind", kind); });
  return kind;
} catch (const nlohmann::json::parse_error&) {
  return "";
}

}  // namespace nasvm

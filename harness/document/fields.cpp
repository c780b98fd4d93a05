#include "harness/document/fields.hpp"

namespace nasvm {

void Fields::count(const char* name, std::int64_t& value, Need need) {
  auto whole = static_cast<std::uint64_t>(value);
  count(name, whole, need);
  value = static_cast<std::int64_t>(whole);
}

void Fields::named_texts(const char* name, std::map<std::string, std::string>& values) {
  NamedTexts texts(values.begin(), values.end());
  named_texts(name, texts);
  values = {texts.begin(), texts.end()};
}

}  // namespace nasvm

#include <concepts>
#include <type_traits>
#include <utility>

#include "vm/protocol/protocol.hpp"

namespace nasvm::protocol {
namespace {

std::string form_of(bool) { return "true or false"; }
std::string form_of(std::integral auto) { return "integer"; }
std::string form_of(const std::string&) { return "text"; }
std::string form_of(const DescriptorTable&) { return "object of texts"; }
std::string form_of(Tid) { return "tid"; }
std::string form_of(Exit) { return "exit status"; }
template <typename Struct>
requires std::is_class_v<Struct> std::string form_of(const Struct&) { return "object"; }
template <typename Element>
std::string form_of(const std::vector<Element>&) {
  return "list of " + form_of(Element{}) + "s";
}

/// Writes a table row for each field, and for those of parts below it.
class Rows {
 public:
  Rows(std::string& page, std::string prefix) : page_(page), prefix_(std::move(prefix)) {}

  void operator()(const char* name, const auto& value, const char* meaning) {
    page_ += "| `" + prefix_ + name + "` | " + form_of(value) + " | " + meaning + " |\n";
    parts_of(value, prefix_ + name);
  }

 private:
  template <typename Part>
  void parts_of(const Part& part, const std::string& name) {
    if constexpr (requires(Rows & rows) { Part::fields(part, rows); }) {
      Rows rows(page_, name + ".");
      Part::fields(part, rows);
    }
  }
  template <typename Element>
  void parts_of(const std::vector<Element>&, const std::string& name) {
    parts_of(Element{}, name + "[]");
  }

  std::string& page_;
  std::string prefix_;
};

template <typename Content>
void append_section(std::string& page) {
  page += "### " + std::string(Content::type) + "\n\n*" + std::string(Content::route) + "*, " +
          std::string(Content::meaning) + ".\n\n";
  std::string rows;
  Rows field(rows, "");
  const Content content;
  Content::fields(content, field);
  if (!rows.empty()) page += "| field | form | meaning |\n|---|---|---|\n" + rows + "\n";
}

template <std::size_t... index>
void append_messages(std::string& page, std::index_sequence<index...>) {
  (append_section<std::variant_alternative_t<index, Message>>(page), ...);
}

}  // namespace

std::string documentation() {
  std::string page;
  append_section<Bootstrap>(page);
  append_messages(page, std::make_index_sequence<std::variant_size_v<Message>>());
  return page;
}

}  // namespace nasvm::protocol

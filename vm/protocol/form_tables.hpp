#pragma once
/// \file
/// Tables for people of structs that describe their fields: how docs/protocol.md lists messages.

#include <concepts>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "vm/message.hpp"
#include "vm/protocol/member.hpp"
#include "vm/status.hpp"

namespace nasvm::protocol::form {

inline std::string form_of(bool) { return "true or false"; }
std::string form_of(std::integral auto) { return "integer"; }
inline std::string form_of(const std::string&) { return "text"; }
inline std::string form_of(const DescriptorTable&) { return "object of texts"; }
inline std::string form_of(Tid) { return "tid"; }
inline std::string form_of(Exit) { return "exit status"; }
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

template <typename Message, std::size_t... index>
void append_sections(std::string& page, std::index_sequence<index...>) {
  (append_section<std::variant_alternative_t<index, Message>>(page), ...);
}

/// A section for each message of a variant.
template <typename Message>
void append_messages(std::string& page) {
  append_sections<Message>(page, std::make_index_sequence<std::variant_size_v<Message>>());
}

}  // namespace nasvm::protocol::form

#pragma once
/// \file
/// The JSON form of structs that describe their fields, and of sets of messages made of them. Includes the JSON
/// library, which takes seconds to compile: for the one source file of each set of messages.

#include <concepts>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "vm/message.hpp"
#include "vm/protocol/member.hpp"
#include "vm/status.hpp"

namespace nasvm::protocol::form {

using Json = nlohmann::json;

/// A text that is refused: where in it, and what is wrong there.
[[noreturn]] inline void complain(const std::string& where, const std::string& what) {
  throw RunError("a control message is not what the protocol expects (" + where + ": " + what +
                 "): are all programs of the same version?");
}

// --- writing ----------------------------------------------------------------------------------------------------

template <typename Struct>
requires std::is_class_v<Struct> Json written(const Struct& content);

inline Json written(bool value) { return value; }
Json written(std::integral auto value) { return value; }
inline Json written(const std::string& value) { return value; }
inline Json written(const DescriptorTable& value) { return value; }
inline Json written(Tid value) { return value.value; }
inline Json written(Exit value) { return static_cast<int>(value); }

template <typename Element>
Json written(const std::vector<Element>& list) {
  Json json = Json::array();
  for (const Element& element : list) json.push_back(written(element));
  return json;
}

template <typename Struct>
requires std::is_class_v<Struct> Json written(const Struct& content) {
  Json json = Json::object();
  const auto field = [&](const char* name, const auto& value, const char*) { json[name] = written(value); };
  Struct::fields(content, field);
  return json;
}

inline std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// --- reading ----------------------------------------------------------------------------------------------------

template <typename Struct>
requires std::is_class_v<Struct>
void read(const Json& json, Struct& content, const std::string& where);

inline void read(const Json& json, bool& value, const std::string& where) {
  if (!json.is_boolean()) complain(where, "not true or false");
  value = json.get<bool>();
}

template <std::integral Integer>
void read(const Json& json, Integer& value, const std::string& where) {
  const bool fits = json.is_number_unsigned()
                        ? std::in_range<Integer>(json.get<std::uint64_t>())
                        : json.is_number_integer() && std::in_range<Integer>(json.get<std::int64_t>());
  if (!fits) complain(where, "not a number that can stand here");
  value = json.get<Integer>();
}

inline void read(const Json& json, std::string& value, const std::string& where) {
  if (!json.is_string()) complain(where, "not a text");
  value = json.get<std::string>();
}

inline void read(const Json& json, DescriptorTable& value, const std::string& where) {
  if (!json.is_object()) complain(where, "not an object");
  value.clear();
  for (const auto& [name, entry] : json.items()) read(entry, value[name], where + "." + name);
}

inline void read(const Json& json, Tid& value, const std::string& where) { read(json, value.value, where); }

inline void read(const Json& json, Exit& value, const std::string& where) {
  int number = 0;
  read(json, number, where);
  if (number < static_cast<int>(Exit::ok) || number > static_cast<int>(Exit::undecided)) {
    complain(where, "not an exit status");
  }
  value = static_cast<Exit>(number);
}

template <typename Element>
void read(const Json& json, std::vector<Element>& list, const std::string& where) {
  if (!json.is_array()) complain(where, "not a list");
  list.clear();
  for (std::size_t index = 0; index < json.size(); ++index) {
    read(json[index], list.emplace_back(), where + "[" + std::to_string(index) + "]");
  }
}

template <typename Struct>
requires std::is_class_v<Struct>
void read(const Json& json, Struct& content, const std::string& where) {
  if (!json.is_object()) complain(where, "not an object");
  const auto field = [&](const char* name, auto& value, const char*) {
    const auto found = json.find(name);
    if (found == json.end()) complain(where + "." + name, "missing");
    read(*found, value, where + "." + name);
  };
  Struct::fields(content, field);
}

/// Reads `json` as the alternative whose type it names; false when there is none.
template <typename Message, std::size_t index = 0>
bool read_alternative(const Json& json, const std::string& type, Message& message) {
  if constexpr (index == std::variant_size_v<Message>) {
    return false;
  } else {
    if (type != std::variant_alternative_t<index, Message>::type) {
      return read_alternative<Message, index + 1>(json, type, message);
    }
    read(json, message.template emplace<index>(), type);
    return true;
  }
}

// --- sets of messages -------------------------------------------------------------------------------------------

/// The JSON form of a message, one of a variant of described structs with a type, without line breaks.
template <typename Message>
std::string text_of_message(const Message& message) {
  return std::visit(
      [](const auto& content) {
        Json json = written(content);
        json["type"] = content.type;
        return text_of(json);
      },
      message);
}

/// Throws RunError, naming type and field.
template <typename Message>
Message message_of_text(std::span<const std::byte> text) {
  const char* begin = reinterpret_cast<const char*>(text.data());
  const Json json = Json::parse(begin, begin + text.size(), nullptr, false);
  if (!json.is_object()) complain("text", "not a JSON object");
  std::string type;
  const auto found = json.find("type");
  if (found == json.end()) complain("type", "missing");
  read(*found, type, "type");
  Message message;
  if (!read_alternative(json, type, message)) complain("type", "\"" + type + "\" is not known");
  return message;
}

}  // namespace nasvm::protocol::form

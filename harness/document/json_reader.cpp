#include "harness/document/json_reader.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "vm/status.hpp"

namespace nasvm {
namespace {

const Json empty_object = Json::object();
const Json empty_array = Json::array();

constexpr double largest_exact = 9007199254740992.0;  // 2^53: up to here a double holds every whole number

bool is_whole(const Json& value) {
  if (value.is_number_integer()) return true;
  if (!value.is_number_float()) return false;
  const double number = value.get<double>();
  return std::trunc(number) == number && std::abs(number) <= largest_exact;
}

}  // namespace

std::string JsonReader::place_of(const std::string& name) const {
  if (name.empty()) return place_;
  return place_.empty() ? name : place_ + "." + name;
}

void JsonReader::fail(const std::string& name, const std::string& problem) const {
  throw UsageError(fmt::format("{}: {} {}", document_, place_of(name), problem));
}

const Json* JsonReader::find(const std::string& name) const {
  if (!value_->is_object()) fail("", "is not an object");
  const auto found = value_->find(name);
  return found == value_->end() || found->is_null() ? nullptr : &*found;
}

template <typename Read, typename T>
T JsonReader::member(const std::string& name, const std::optional<T>& otherwise, Read read) const {
  const Json* found = find(name);
  if (found != nullptr) return read(*found);
  if (!otherwise) fail(name, "is missing");
  return *otherwise;
}

std::string JsonReader::text(const std::string& name, std::optional<std::string> otherwise) const {
  return member(name, otherwise, [&](const Json& value) {
    if (!value.is_string()) fail(name, "is not a text");
    return value.get<std::string>();
  });
}

int JsonReader::integer(const std::string& name, std::optional<int> otherwise) const {
  return member(name, otherwise, [&](const Json& value) {
    const bool fits =
        is_whole(value) && value.get<double>() >= 0 && value.get<double>() <= std::numeric_limits<int>::max();
    if (!fits) fail(name, "is not a whole number from 0 up");
    return static_cast<int>(value.get<double>());
  });
}

std::uint64_t JsonReader::count(const std::string& name, std::optional<std::uint64_t> otherwise) const {
  return member(name, otherwise, [&](const Json& value) {
    if (value.is_number_unsigned()) return value.get<std::uint64_t>();
    if (!is_whole(value) || value.get<double>() < 0) fail(name, "is not a whole number from 0 up");
    return static_cast<std::uint64_t>(value.get<double>());
  });
}

double JsonReader::real(const std::string& name, std::optional<double> otherwise) const {
  return member(name, otherwise, [&](const Json& value) {
    if (!value.is_number()) fail(name, "is not a number");
    return value.get<double>();
  });
}

bool JsonReader::boolean(const std::string& name) const {
  return member(name, std::optional<bool>{}, [&](const Json& value) {
    if (!value.is_boolean()) fail(name, "is not true or false");
    return value.get<bool>();
  });
}

JsonReader JsonReader::object(const std::string& name) const {
  const Json* found = find(name);
  if (found != nullptr && !found->is_object()) fail(name, "is not an object");
  return {found == nullptr ? empty_object : *found, document_, place_of(name)};
}

JsonReader JsonReader::array(const std::string& name) const {
  const Json* found = find(name);
  if (found != nullptr && !found->is_array()) fail(name, "is not an array");
  return {found == nullptr ? empty_array : *found, document_, place_of(name)};
}

std::vector<JsonReader> JsonReader::elements() const {
  std::vector<JsonReader> all;
  for (std::size_t i = 0; i < value_->size(); ++i) {
    all.push_back({(*value_)[i], document_, fmt::format("{}[{}]", place_, i)});
  }
  return all;
}

std::vector<std::pair<std::string, JsonReader>> JsonReader::members() const {
  std::vector<std::pair<std::string, JsonReader>> all;
  for (const auto& item : value_->items()) {
    all.emplace_back(item.key(), JsonReader(item.value(), document_, place_of(item.key())));
  }
  return all;
}

std::string JsonReader::as_text() const {
  if (!value_->is_string()) fail("", "is not a text");
  return value_->get<std::string>();
}

}  // namespace nasvm

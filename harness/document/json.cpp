/// \file
/// Records as JSON: the one writer and the one reader.

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/document/document.hpp"
#include "harness/text.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

/// Members keep the order in which they were written.
using Json = nlohmann::ordered_json;

constexpr double largest_exact = 9007199254740992.0;  // 2^53: up to here a double holds every whole number

/// Every document has this list, also without records (contract).
constexpr std::string_view usual_section = "runs";

class Writer final : public Fields {
 public:
  explicit Writer(Json& object) : object_(object) {}
  using Fields::choice;
  using Fields::count;
  using Fields::named_texts;

  void text(const char* name, std::string& value, Need, Shown shown) override {
    object_[name] = shown == Shown::withheld ? Json() : Json(value);
  }
  void letter(const char* name, char& value) override { object_[name] = std::string(1, value); }
  void boolean(const char* name, bool& value, Need) override { object_[name] = value; }
  void integer(const char* name, int& value, Need, int) override { object_[name] = value; }
  void count(const char* name, std::uint64_t& value, Need) override { object_[name] = value; }
  void real(const char* name, double& value, Need, Shown shown) override {
    object_[name] = shown == Shown::withheld ? Json() : Json(value);
  }
  void choice(const char* name, std::size_t& position, const Choices& choices) override {
    object_[name] = choices.written[position];
  }
  bool has(const char*, bool known) override { return known; }
  void texts(const char* name, std::vector<std::string>& values) override { object_[name] = values; }
  void counts(const char* name, std::vector<std::uint64_t>& values) override { object_[name] = values; }
  void named_texts(const char* name, NamedTexts& values) override {
    Json& members = object_[name] = Json::object();
    for (const auto& [key, value] : values) members[key] = value;
  }
  void object(const char* name, const Describe& describe) override { object_[name] = written(describe); }
  void elements(const char* name, std::size_t count, const DescribeElement& describe) override {
    Json& list = object_[name] = Json::array();
    for (std::size_t i = 0; i < count; ++i) {
      list.push_back(written([&](Fields& fields) { describe(fields, i); }));
    }
  }
  void members(const char* name, const std::vector<std::string>& names, const DescribeMember& describe) override {
    Json& members = object_[name] = Json::object();
    for (const std::string& key : names) {
      members[key] = written([&](Fields& fields) { describe(fields, key); });
    }
  }

  static Json written(const Describe& describe) {
    Json object = Json::object();
    Writer writer(object);
    describe(writer);
    return object;
  }

 private:
  Json& object_;
};

bool is_whole(const Json& value) {
  if (value.is_number_integer()) return true;
  if (!value.is_number_float()) return false;
  const double number = value.get<double>();
  return std::trunc(number) == number && std::abs(number) <= largest_exact;
}

/// Reads an object and says where a wrong value stands. Refers to the object, which must outlive it. A null counts as
/// missing.
class Reader final : public Fields {
 public:
  Reader(const Json& object, std::string document, std::string place = "")
      : object_(object), document_(std::move(document)), place_(std::move(place)) {
    if (!object_.is_object()) fail(place_, "is not an object");
  }
  using Fields::choice;
  using Fields::count;
  using Fields::named_texts;

  void text(const char* name, std::string& value, Need need, Shown) override {
    if (const Json* found = find(name, need)) value = text_of(*found, place_of(name));
  }
  void letter(const char* name, char& value) override {
    std::string all;
    text(name, all, Need::required, Shown::everywhere);
    if (all.size() != 1) fail(place_of(name), "should be one letter");
    value = all[0];
  }
  void boolean(const char* name, bool& value, Need need) override {
    const Json* found = find(name, need);
    if (found == nullptr) return;
    if (!found->is_boolean()) fail(place_of(name), "is not true or false");
    value = found->get<bool>();
  }
  void integer(const char* name, int& value, Need need, int least) override {
    const Json* found = find(name, need);
    if (found == nullptr) return;
    const bool fits =
        is_whole(*found) && found->get<double>() >= least && found->get<double>() <= std::numeric_limits<int>::max();
    if (!fits) fail(place_of(name), "is not a whole number from " + std::to_string(least) + " up");
    value = static_cast<int>(found->get<double>());
  }
  void count(const char* name, std::uint64_t& value, Need need) override {
    if (const Json* found = find(name, need)) value = count_of(*found, place_of(name));
  }
  void real(const char* name, double& value, Need need, Shown) override {
    const Json* found = find(name, need);
    if (found == nullptr) return;
    if (!found->is_number() || found->get<double>() < 0) fail(place_of(name), "is not a number from 0 up");
    value = found->get<double>();
  }
  void choice(const char* name, std::size_t& position, const Choices& choices) override {
    std::string chosen(choices.written.front());
    text(name, chosen, Need::optional, Shown::everywhere);
    const auto found = std::ranges::find(choices.written, chosen);
    if (found == choices.written.end()) {
      fail(place_of(name), "should be " + joined(choices.written.first(choices.written.size() - 1)) + " or " +
                               std::string(choices.written.back()));
    }
    position = static_cast<std::size_t>(found - choices.written.begin());
  }
  bool has(const char* name, bool) override { return find(name, Need::optional) != nullptr; }
  void texts(const char* name, std::vector<std::string>& values) override {
    values.clear();
    for_each_element(name, [&](const Json& value, std::size_t, const std::string& place) {
      values.push_back(text_of(value, place));
    });
  }
  void counts(const char* name, std::vector<std::uint64_t>& values) override {
    values.clear();
    for_each_element(name, [&](const Json& value, std::size_t, const std::string& place) {
      values.push_back(count_of(value, place));
    });
  }
  void named_texts(const char* name, NamedTexts& values) override {
    values.clear();
    for_each_member(name, [&](const std::string& key, const Json& value, const std::string& place) {
      values.emplace_back(key, text_of(value, place));
    });
  }
  void object(const char* name, const Describe& describe) override {
    static const Json nothing = Json::object();
    const Json* found = find(name, Need::optional);
    Reader reader(found == nullptr ? nothing : *found, document_, place_of(name));
    describe(reader);
  }
  void elements(const char* name, std::size_t count, const DescribeElement& describe) override {
    for_each_element(name, [&](const Json& value, std::size_t position, const std::string& place) {
      Reader reader(value, document_, place);
      describe(reader, count + position);
    });
  }
  void members(const char* name, const std::vector<std::string>&, const DescribeMember& describe) override {
    for_each_member(name, [&](const std::string& key, const Json& value, const std::string& place) {
      Reader reader(value, document_, place);
      describe(reader, key);
    });
  }

 private:
  [[nodiscard]] std::string place_of(const std::string& name) const {
    return place_.empty() ? name : place_ + "." + name;
  }
  [[noreturn]] void fail(const std::string& place, const std::string& problem) const {
    throw UsageError(fmt::format("{}: {} {}", document_, place, problem));
  }
  [[nodiscard]] const Json* find(const char* name, Need need) const {
    const auto found = object_.find(name);
    if (found != object_.end() && !found->is_null()) return &*found;
    if (need == Need::required) fail(place_of(name), "is missing");
    return nullptr;
  }
  [[nodiscard]] std::string text_of(const Json& value, const std::string& place) const {
    if (!value.is_string()) fail(place, "is not a text");
    return value.get<std::string>();
  }
  [[nodiscard]] std::uint64_t count_of(const Json& value, const std::string& place) const {
    if (value.is_number_unsigned()) return value.get<std::uint64_t>();
    if (!is_whole(value) || value.get<double>() < 0) fail(place, "is not a whole number from 0 up");
    return static_cast<std::uint64_t>(value.get<double>());
  }
  template <typename Action>
  void for_each_element(const char* name, Action action) const {
    const Json* found = find(name, Need::optional);
    if (found == nullptr) return;
    if (!found->is_array()) fail(place_of(name), "is not an array");
    for (std::size_t i = 0; i < found->size(); ++i) {
      action((*found)[i], i, fmt::format("{}[{}]", place_of(name), i));
    }
  }
  template <typename Action>
  void for_each_member(const char* name, Action action) const {
    const Json* found = find(name, Need::optional);
    if (found == nullptr) return;
    if (!found->is_object()) fail(place_of(name), "is not an object");
    for (const auto& item : found->items()) {
      action(item.key(), item.value(), place_of(name) + "." + item.key());
    }
  }

  const Json& object_;
  std::string document_;
  std::string place_;
};

std::string scalar_text(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// Objects and arrays without structure inside take one line, all others one line for each member.
void write(const Json& value, const std::string& indent, std::string& out) {
  if (!value.is_structured()) {
    out += scalar_text(value);
    return;
  }
  const bool flat = std::none_of(value.begin(), value.end(), [](const Json& child) { return child.is_structured(); });
  const std::string deeper = indent + "  ";
  const std::string line_end = flat ? "" : "\n" + indent;
  std::string separator = flat ? "" : "\n" + deeper;
  out += value.is_object() ? "{" : "[";
  for (const auto& member : value.items()) {
    out += separator;
    if (value.is_object()) out += scalar_text(member.key()) + ": ";
    write(member.value(), deeper, out);
    separator = flat ? ", " : ",\n" + deeper;
  }
  out += line_end + (value.is_object() ? "}" : "]");
}

std::string json_text(const Describe& describe) {
  std::string text;
  write(Writer::written(describe), "", text);
  return text + "\n";
}

void describe_list(Fields& fields, RecordList& list) {
  fields.elements(std::string(list.section()).c_str(), list.size(),
                  [&](Fields& inner, std::size_t position) { list.describe_at(position, inner); });
}

/// What stands before the lists of records.
void describe_envelope(Fields& fields, Document& document) {
  fields.text("created", document.created, Need::optional);
  fields.texts("command", document.command);
  fields.part("machine", document.machine);
  fields.part("build", document.build);
  if (fields.has("whole_launches", document.whole_launches))
    fields.boolean("whole_launches", document.whole_launches);
  fields.part("interrupted", document.interrupted);
}

void write_lists(Fields& fields, const Document& document) {
  if (RecordList* usual = document.find(usual_section)) describe_list(fields, *usual);
  else fields.elements(std::string(usual_section).c_str(), 0, {});
  for (const auto& list : document.lists()) {
    if (list->size() > 0 && list->section() != usual_section) describe_list(fields, *list);
  }
}

}  // namespace

std::string to_json(const Document& document) {
  return json_text([&](Fields& fields) {
    std::string schema(result_schema);
    fields.text("schema", schema);
    describe_envelope(fields, const_cast<Document&>(document));
    write_lists(fields, document);
  });
}

std::string to_json(const BuildRecord& build, const MachineRecord& machine, const Describe& more) {
  return json_text([&](Fields& fields) {
    fields.object("build", description_of(build));
    fields.object("machine", description_of(machine));
    more(fields);
  });
}

std::string json_library_version() {
  return fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                     NLOHMANN_JSON_VERSION_PATCH);
}

Document from_json(std::string_view text, const std::string& name, std::span<const RecordType> types) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw UsageError(fmt::format("{}: not JSON; expected a result document of nasvm", name));
  const std::string expected = fmt::format("expected a result document with \"schema\": \"{}\"", result_schema);
  if (!json.is_object()) throw UsageError(fmt::format("{}: not a JSON object; {}", name, expected));
  Reader reader(json, name);
  std::string schema;
  reader.text("schema", schema, Need::optional, Shown::everywhere);
  if (schema != result_schema) throw UsageError(fmt::format("{}: schema is '{}'; {}", name, schema, expected));
  Document document;
  describe_envelope(reader, document);
  for (const RecordType& type : types) {
    std::unique_ptr<RecordList> list = type.make();
    describe_list(reader, *list);
    if (list->size() > 0) document.add(std::move(list));
  }
  return document;
}

std::string to_text(const Describe& record) { return scalar_text(Writer::written(record)); }

std::string to_indented_json(const Describe& record) {
  return Writer::written(record).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void from_json(std::string_view text, const std::string& name, const Describe& record) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw UsageError(fmt::format("{}: not JSON", name));
  Reader reader(json, name);
  record(reader);
}

void from_text(std::string_view text, const Describe& record) {
  const Json json = Json::parse(text);
  Reader reader(json, "message of a task");
  record(reader);
}

}  // namespace nasvm

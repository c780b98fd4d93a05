#pragma once
/// \file
/// The fields of a record, described once. A record is a plain struct beside which stands one function
///
///     void describe(Fields& fields, Sample& sample) {
///       fields.text("kernel", sample.kernel);
///       fields.real("time_s", sample.time_s, Need::optional);
///     }
///
/// It names every field with its type in the order of the document. Whoever walks through it is a Fields: the writer
/// and the reader of JSON (json.cpp), the writer of cells for CSV (csv.cpp). Writers change nothing.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace nasvm {

/// May a field be missing (or null) when the record is read? Then it stays as the record was made.
enum class Need { required, optional };

/// Where a field shows that is not always meant, such as a result: nowhere but in the document when it is `kept`, as
/// null or an empty cell when it is `withheld`. What did not verify has no speed.
enum class Shown { everywhere, kept, withheld };

constexpr Shown withheld_unless(bool good) { return good ? Shown::everywhere : Shown::withheld; }
/// Of a figure that is never 0, where that says that nobody told.
constexpr Shown shown_if_known(Shown others, double value) {
  return others == Shown::everywhere && value == 0 ? Shown::withheld : others;
}
/// Of a figure that is known of enough measurements only; older documents have one of fewer, and keep it.
constexpr Shown shown_if_enough(Shown others, bool is_known, bool are_enough) {
  if (others != Shown::everywhere) return others;
  if (!is_known) return Shown::withheld;
  return are_enough ? Shown::everywhere : Shown::kept;
}
constexpr Shown kept_unless(bool good) { return good ? Shown::everywhere : Shown::kept; }

/// The values of an enumeration, in its order, as documents and as tables spell them.
struct Choices {
  std::span<const std::string_view> written;
  std::span<const std::string_view> printed = written;
};

/// Texts by name, in their order.
using NamedTexts = std::vector<std::pair<std::string, std::string>>;

class Fields {
 public:
  virtual ~Fields() = default;

  virtual void text(const char* name, std::string& value, Need need = Need::required,
                    Shown shown = Shown::everywhere) = 0;
  /// A text of one character.
  virtual void letter(const char* name, char& value) = 0;
  virtual void boolean(const char* name, bool& value, Need need = Need::required) = 0;
  /// Whole numbers from 0, or another least one, up.
  virtual void integer(const char* name, int& value, Need need = Need::required, int least = 0) = 0;
  virtual void count(const char* name, std::uint64_t& value, Need need = Need::required) = 0;
  void count(const char* name, std::int64_t& value, Need need = Need::required);
  virtual void real(const char* name, double& value, Need need = Need::required, Shown shown = Shown::everywhere) = 0;
  /// The position of one of the choices; the first when it is missing.
  virtual void choice(const char* name, std::size_t& position, const Choices& choices) = 0;
  template <typename Enumeration>
  requires std::is_enum_v<Enumeration>
  void choice(const char* name, Enumeration& value, const Choices& choices) {
    auto position = static_cast<std::size_t>(value);
    choice(name, position, choices);
    value = static_cast<Enumeration>(position);
  }

  /// Is this field there? A writer leaves it out unless it is known, a reader looks for it in the document. For what
  /// older documents do not have and some machines do not tell.
  virtual bool has(const char* name, bool known) = 0;
  void text_if_known(const char* name, std::string& value) {
    if (has(name, !value.empty())) text(name, value, Need::optional);
  }
  void count_if_known(const char* name, std::uint64_t& value) {
    if (has(name, value != 0)) count(name, value, Need::optional);
  }

  /// May be missing, as all that follow: then they are empty, and parts are as they were made.
  virtual void texts(const char* name, std::vector<std::string>& values) = 0;
  virtual void counts(const char* name, std::vector<std::uint64_t>& values) = 0;
  virtual void named_texts(const char* name, NamedTexts& values) = 0;
  void named_texts(const char* name, std::map<std::string, std::string>& values);

  /// Another record inside.
  template <typename Part>
  void part(const char* name, Part& part) {
    object(name, [&part](Fields& fields) { describe(fields, part); });
  }
  /// One that may be unknown.
  template <typename Part>
  void part(const char* name, std::optional<Part>& part) {
    if (!has(name, part.has_value())) return;
    if (!part) part.emplace();
    this->part(name, *part);
  }
  /// Several of them.
  template <typename Part>
  void list(const char* name, std::vector<Part>& parts) {
    elements(name, parts.size(), [&parts](Fields& fields, std::size_t position) {
      if (position == parts.size()) parts.emplace_back();
      describe(fields, parts[position]);
    });
  }
  /// Several of them by name.
  template <typename Part>
  void named(const char* name, std::map<std::string, Part>& parts) {
    std::vector<std::string> names;
    for (const auto& [key, part] : parts) names.push_back(key);
    members(name, names, [&parts](Fields& fields, const std::string& key) { describe(fields, parts[key]); });
  }

  using DescribeElement = std::function<void(Fields& fields, std::size_t position)>;
  using DescribeMember = std::function<void(Fields& fields, const std::string& name)>;
  virtual void object(const char* name, const std::function<void(Fields&)>& describe) = 0;
  /// There are `count` elements; a reader asks for more, one after the other.
  virtual void elements(const char* name, std::size_t count, const DescribeElement& describe) = 0;
  /// There are members of these names; a reader asks for others.
  virtual void members(const char* name, const std::vector<std::string>& names, const DescribeMember& describe) = 0;
};

/// What is to be described, whatever its type. Refers to it.
using Describe = std::function<void(Fields&)>;

/// For writers: they change nothing.
template <typename Record>
Describe description_of(const Record& record) {
  return [&record](Fields& fields) { describe(fields, const_cast<Record&>(record)); };
}

/// Any record as JSON in one line, and back: what console and tasks tell each other.
std::string to_text(const Describe& record);
void from_text(std::string_view text, const Describe& record);

/// Of a file, or whatever `name` names in errors. Throws UsageError: not JSON, or not as described.
void from_json(std::string_view text, const std::string& name, const Describe& record);

/// JSON text with a line for each member, for people; ends in a newline.
std::string to_indented_json(const Describe& record);

template <typename Record>
std::string text_of_record(const Record& record) {
  return to_text(description_of(record));
}

template <typename Record>
Record record_of_text(std::string_view text) {
  Record record;
  from_text(text, [&record](Fields& fields) { describe(fields, record); });
  return record;
}

}  // namespace nasvm

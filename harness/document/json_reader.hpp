#pragma once
/// \file
/// Reads values out of a JSON document and says where a wrong one stands: "a.json: runs[3].np is not a whole number".

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace nasvm {

/// Members keep the order in which they were written.
using Json = nlohmann::ordered_json;

/// One value of a document and its place in it. Refers to the document, which must outlive it. Everything wrong is
/// a UsageError; a member without a default must be there. A null counts as missing.
class JsonReader {
 public:
  JsonReader(const Json& value, std::string document) : value_(&value), document_(std::move(document)) {}

  [[nodiscard]] std::string text(const std::string& name, std::optional<std::string> otherwise = {}) const;
  [[nodiscard]] int integer(const std::string& name, std::optional<int> otherwise = {}) const;
  [[nodiscard]] std::uint64_t count(const std::string& name, std::optional<std::uint64_t> otherwise = {}) const;
  [[nodiscard]] double real(const std::string& name, std::optional<double> otherwise = {}) const;
  [[nodiscard]] bool boolean(const std::string& name) const;
  /// The member; an empty one where there is none.
  [[nodiscard]] JsonReader object(const std::string& name) const;
  [[nodiscard]] JsonReader array(const std::string& name) const;

  [[nodiscard]] std::vector<JsonReader> elements() const;
  [[nodiscard]] std::vector<std::pair<std::string, JsonReader>> members() const;
  [[nodiscard]] std::string as_text() const;

  /// Throws the UsageError for the member `name` ("" for this value itself).
  [[noreturn]] void fail(const std::string& name, const std::string& problem) const;

 private:
  JsonReader(const Json& value, std::string document, std::string place)
      : value_(&value), document_(std::move(document)), place_(std::move(place)) {}
  [[nodiscard]] const Json* find(const std::string& name) const;
  [[nodiscard]] std::string place_of(const std::string& name) const;
  template <typename Read, typename T>
  T member(const std::string& name, const std::optional<T>& otherwise, Read read) const;

  const Json* value_;
  std::string document_;
  std::string place_;
};

}  // namespace nasvm

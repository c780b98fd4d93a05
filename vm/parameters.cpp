#include "vm/parameters.hpp"

#include <fmt/format.h>
#include <pwd.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "vm/names.hpp"
#include "vm/status.hpp"

namespace nasvm {

std::uint64_t value_of(const Parameters& parameters, std::string_view name, std::uint64_t otherwise) {
  const auto found = parameters.find(name);
  return found == parameters.end() ? otherwise : found->second;
}

std::uint64_t parse_count(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  constexpr std::string_view units = "kKmMgG";
  const std::size_t place = unit.empty() ? 0 : units.find(unit);
  const int shift = unit.empty() ? 0 : 10 * (static_cast<int>(place) / 2 + 1);
  if (error != std::errc() || unit.size() > 1 || place == std::string_view::npos ||
      value > ~std::uint64_t{0} >> shift) {
    throw std::invalid_argument(std::string(text));
  }
  return value << shift;
}

void parse_parameter(std::string_view text, std::string_view owner, std::span<const ParameterRow> rows,
                     Parameters& parameters) {
  const std::size_t equals = std::min(text.find('='), text.size());
  const std::string_view name = text.substr(0, equals);
  const auto row = std::ranges::find(rows, name, &ParameterRow::name);
  if (row == rows.end()) {
    const auto known = names_of(rows);
    throw UsageError(fmt::format("{} has no parameter \"{}\"{}; it has: {}", owner, name, hint(name, known),
                                 fmt::join(known, ", ")));
  }
  if (parameters.contains(name)) {
    throw UsageError(fmt::format("parameter {} of {} is given twice: leave one out", name, owner));
  }
  const std::string_view given = equals == text.size() ? std::string_view() : text.substr(equals + 1);
  if (row->kind == ParameterKind::word) {
    const auto word = std::ranges::find(row->words, given);
    if (word == row->words.end()) {
      throw UsageError(fmt::format("\"{}\" of {} is none of: {}{}", text, owner, fmt::join(row->words, ", "),
                                   hint(given, row->words)));
    }
    parameters[std::string(name)] = static_cast<std::uint64_t>(word - row->words.begin());
    return;
  }
  if (row->kind == ParameterKind::user) {
    const passwd* user = ::getpwnam(std::string(given).c_str());
    if (user == nullptr) throw UsageError(fmt::format("\"{}\" of {}: there is no such user", text, owner));
    parameters[std::string(name)] = user->pw_uid;
    return;
  }
  try {
    const std::uint64_t value = parse_count(given);
    if (value < row->least || value > row->most) throw std::invalid_argument("range");
    parameters[std::string(name)] = value;
  } catch (const std::invalid_argument&) {
    throw UsageError(fmt::format("\"{}\" of {} is not a number from {} to {} (4096, 64k, 2M, 1G)", text, owner,
                                 row->least, row->most));
  }
}

namespace {

/// Cuts `text` at every `separator`.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace

std::vector<OrderEntry> split_order(std::string_view order) {
  std::vector<OrderEntry> entries;
  for (const std::string_view entry : split(order, '+')) {
    const auto parts = split(entry, ':');
    entries.push_back({parts[0], {parts.begin() + 1, parts.end()}});
  }
  return entries;
}

Parameters parse_parameters(const OrderEntry& entry, std::span<const ParameterRow> rows, std::string_view kind) {
  Parameters parameters;
  const std::string owner = fmt::format("{} {}", kind, entry.name);
  for (const std::string_view text : entry.parameters) parse_parameter(text, owner, rows, parameters);
  return parameters;
}

std::string describe_parameters(std::string_view owner, std::span<const ParameterRow> rows) {
  std::string text;
  for (const ParameterRow& row : rows) {
    text += fmt::format("  {:<17}  {}\n", fmt::format("{}:{}=", owner, row.name), row.description);
  }
  return text;
}

}  // namespace nasvm

#include "vm/transport/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "vm/status.hpp"
#include "vm/transport/daemon/daemon_transport.hpp"
#include "vm/transport/direct/direct_transport.hpp"

namespace nasvm {
namespace {

constexpr std::array table{
    TransportRow{"direct", "a TCP connection between each pair of tasks (fsend/frecv)", make_direct_transport,
                 direct_parameters},
    TransportRow{"daemon", "through the daemons, store and forward (PVM's default route)", make_daemon_transport,
                 daemon_parameters},
};

/// `auto`: the table's own order.
constexpr std::string_view automatic = "auto";

std::string known_names() {
  std::string names;
  for (const TransportRow& row : table) names += std::string(row.name) + ", ";
  return names + std::string(automatic);
}

}  // namespace

std::span<const TransportRow> transports() { return table; }

const TransportRow* find_transport(std::string_view name) {
  const auto found = std::ranges::find(table, name, &TransportRow::name);
  return found == table.end() ? nullptr : &*found;
}

std::span<const std::string_view> transport_names() {
  static const auto names = [] {
    std::array<std::string_view, table.size()> all;
    std::ranges::transform(table, all.begin(), &TransportRow::name);
    return all;
  }();
  return names;
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

TransportChoice parse_choice(std::string_view text) {
  const auto parts = split(text, ':');
  TransportChoice choice{find_transport(parts[0]), {}};
  if (choice.row == nullptr) {
    throw UsageError("unknown transport \"" + std::string(parts[0]) + "\"; known: " + known_names() +
                     " (join with + for an order of preference)");
  }
  for (const std::string_view parameter : std::span(parts).subspan(1)) {
    parse_parameter(parameter, choice.row->name, choice.row->parameters, choice.parameters);
  }
  return choice;
}

}  // namespace

std::vector<TransportChoice> parse_transport_order(std::string_view order) {
  std::vector<TransportChoice> choices;
  if (order == automatic) {
    for (const TransportRow& row : table) choices.push_back({&row, {}});
    return choices;
  }
  for (const std::string_view part : split(order, '+')) {
    TransportChoice choice = parse_choice(part);
    if (std::ranges::find(choices, choice.row, &TransportChoice::row) != choices.end()) {
      throw UsageError("transport \"" + std::string(choice.row->name) + "\" stands twice in \"" + std::string(order) +
                       "\"");
    }
    choices.push_back(std::move(choice));
  }
  return choices;
}

std::string describe_parameters() {
  std::string text;
  for (const TransportRow& row : table) {
    for (const ParameterRow& parameter : row.parameters) {
      text += fmt::format("  {:<18} {}\n", fmt::format("{}:{}=", row.name, parameter.name), parameter.description);
    }
  }
  return text;
}

}  // namespace nasvm

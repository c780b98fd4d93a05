#include "vm/transport/table.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "vm/status.hpp"
#include "vm/transport/daemon/daemon_transport.hpp"
#include "vm/transport/direct/direct_transport.hpp"

namespace nasvm {
namespace {

constexpr std::array table{
    TransportRow{"direct", "a TCP connection between each pair of tasks (fsend/frecv)", make_direct_transport},
    TransportRow{"daemon", "through the daemons, store and forward (PVM's default route)", make_daemon_transport},
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

std::vector<std::string_view> parse_transport_order(std::string_view order) {
  std::vector<std::string_view> names;
  if (order == automatic) {
    for (const TransportRow& row : table) names.push_back(row.name);
    return names;
  }
  for (std::size_t begin = 0; begin <= order.size();) {
    const std::size_t end = std::min(order.find('+', begin), order.size());
    const std::string_view name = order.substr(begin, end - begin);
    const TransportRow* row = find_transport(name);
    if (row == nullptr) {
      throw UsageError("unknown transport \"" + std::string(name) + "\"; known: " + known_names() +
                       " (join with + for an order of preference)");
    }
    if (std::ranges::find(names, row->name) != names.end()) {
      throw UsageError("transport \"" + std::string(name) + "\" stands twice in \"" + std::string(order) + "\"");
    }
    names.push_back(row->name);
    begin = end + 1;
  }
  return names;
}

}  // namespace nasvm

#include "vm/transport/table.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <string>

#include <fmt/format.h>

#include "vm/names.hpp"
#include "vm/status.hpp"
#include "vm/transport/daemon/daemon_transport.hpp"
#include "vm/transport/direct/direct_transport.hpp"
#include "vm/transport/shm/shm_transport.hpp"

namespace nasvm {
namespace {

constexpr std::array table{
    TransportRow{"shm", "shared memory between the tasks of one computer", make_shm_transport, shm_parameters},
    TransportRow{"direct", "a TCP connection between each pair of tasks (fsend/frecv)", make_direct_transport,
                 direct_parameters, TransportRole::unpacked},
    TransportRow{"daemon", "through the daemons, store and forward (PVM's default route)", make_daemon_transport,
                 daemon_parameters, TransportRole::packed, Carriers::daemons},
};

/// `auto`: the table's own order.
constexpr std::string_view automatic = "auto";

std::vector<std::string_view> known_names(std::span<const std::string_view> beside) {
  std::vector<std::string_view> names = names_of(table);
  names.insert(names.end(), beside.begin(), beside.end());
  names.push_back(automatic);
  return names;
}

TransportChoice parse_choice(const OrderEntry& entry, std::span<const std::string_view> beside) {
  if (entry.name == automatic) {
    throw UsageError(
        "transport auto is a whole order by itself: nothing is joined with it, and it has no parameters");
  }
  const TransportRow* row = find_transport(entry.name);
  if (row == nullptr) {
    throw UsageError(unknown_name("transport", entry.name, known_names(beside)) +
                     " (join with + for an order of preference)");
  }
  return {row, parse_parameters(entry, row->parameters)};
}

}  // namespace

std::span<const TransportRow> transports() { return table; }

const TransportRow* find_transport(std::string_view name) {
  const auto found = std::ranges::find(table, name, &TransportRow::name);
  return found == table.end() ? nullptr : &*found;
}

const TransportRow& transport_for(TransportRole role) {
  const auto found = std::ranges::find(table, role, &TransportRow::role);
  assert(found != table.end() && "every role is some row's");
  return *found;
}

std::span<const std::string_view> transport_names() {
  static const auto names = [] {
    std::array<std::string_view, table.size()> all;
    std::ranges::transform(table, all.begin(), &TransportRow::name);
    return all;
  }();
  return names;
}

std::vector<TransportChoice> parse_transport_order(std::string_view order, std::span<const std::string_view> beside) {
  std::vector<TransportChoice> choices;
  if (order == automatic) {
    for (const TransportRow& row : table) choices.push_back({&row, {}});
    return choices;
  }
  for (const OrderEntry& entry : split_order(order)) {
    TransportChoice choice = parse_choice(entry, beside);
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
  for (const TransportRow& row : table) text += describe_parameters(row.name, row.parameters);
  return text;
}

}  // namespace nasvm

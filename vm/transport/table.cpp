#include "vm/transport/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "vm/status.hpp"
#include "vm/system/mpi/mpi_parameters.hpp"
#include "vm/system/pvm/pvm_parameters.hpp"
#include "vm/transport/daemon/daemon_transport.hpp"
#include "vm/transport/direct/direct_transport.hpp"
#include "vm/transport/shm/shm_transport.hpp"

namespace nasvm {
namespace {

constexpr std::array table{
    TransportRow{"shm", "shared memory between the tasks of one computer", make_shm_transport, shm_parameters},
    TransportRow{"direct", "a TCP connection between each pair of tasks (fsend/frecv)", make_direct_transport,
                 direct_parameters},
    TransportRow{"daemon", "through the daemons, store and forward (PVM's default route)", make_daemon_transport,
                 daemon_parameters},
};

constexpr std::array systems{
    TransportRow{"mpi", "Open MPI, started by mpirun: the yardstick, and the engine for big machines", nullptr,
                 mpi_parameters},
    TransportRow{"pvm", "PVM 3.4, the system that the papers measure: the yardstick for daemon and direct", nullptr,
                 pvm_parameters},
};

/// `auto`: the table's own order.
constexpr std::string_view automatic = "auto";

std::string known_names() {
  std::string names;
  for (const TransportRow& row : table) names += std::string(row.name) + ", ";
  for (const TransportRow& row : systems) names += std::string(row.name) + ", ";
  return names + std::string(automatic);
}

}  // namespace

std::span<const TransportRow> transports() { return table; }
std::span<const TransportRow> message_systems() { return systems; }

const TransportRow* find_transport(std::string_view name) {
  const auto found = std::ranges::find(table, name, &TransportRow::name);
  if (found != table.end()) return &*found;
  const auto system = std::ranges::find(systems, name, &TransportRow::name);
  return system == systems.end() ? nullptr : &*system;
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
  if (parts[0] == automatic) {
    throw UsageError(
        "transport auto is a whole order by itself: nothing is joined with it, and it has no parameters");
  }
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
  const auto system =
      std::ranges::find_if(choices, [](const TransportChoice& choice) { return choice.row->make == nullptr; });
  if (system != choices.end() && choices.size() > 1) {
    throw UsageError("transport " + std::string(system->row->name) + " cannot be part of \"" + std::string(order) +
                     "\": it carries a whole program by itself and stands alone");
  }
  return choices;
}

std::string_view message_system_of(std::string_view order) {
  const TransportRow& first = *parse_transport_order(order).front().row;
  return first.make == nullptr ? first.name : std::string_view();
}

std::string describe_parameters() {
  std::string text;
  for (const auto rows : {transports(), message_systems()}) {
    for (const TransportRow& row : rows) {
      for (const ParameterRow& parameter : row.parameters) {
        text += fmt::format("  {:<18} {}\n", fmt::format("{}:{}=", row.name, parameter.name), parameter.description);
      }
    }
  }
  return text;
}

}  // namespace nasvm

#include "vm/system/table.hpp"

#include <algorithm>
#include <array>

#include "vm/status.hpp"
#include "vm/system/mpi/mpi_parameters.hpp"
#include "vm/system/mpi/mpirun.hpp"
#include "vm/system/pvm/pvm_parameters.hpp"
#include "vm/system/pvm/pvmd.hpp"
#include "vm/transport/table.hpp"

namespace nasvm {
namespace {

constexpr std::array table{
    SystemRow{"mpi", "Open MPI, started by mpirun: the yardstick, and the engine for big machines",
              "libopenmpi-dev and openmpi-bin", mpi_starter, mpi_parameters},
    SystemRow{"pvm", "PVM 3.4, the system that the papers measure: the yardstick for daemon and direct",
              "pvm-dev and pvm", pvm_starter, pvm_parameters},
};

constexpr auto names = [] {
  std::array<std::string_view, table.size()> all;
  std::ranges::transform(table, all.begin(), &SystemRow::name);
  return all;
}();

bool names_a_system(const OrderEntry& entry) { return find_system(entry.name) != nullptr; }

}  // namespace

std::span<const SystemRow> message_systems() { return table; }

const SystemRow* find_system(std::string_view name) {
  const auto found = std::ranges::find(table, name, &SystemRow::name);
  return found == table.end() ? nullptr : &*found;
}

std::optional<SystemChoice> system_of(std::string_view order) {
  const std::vector<OrderEntry> entries = split_order(order);
  const auto system = std::ranges::find_if(entries, names_a_system);
  if (system == entries.end()) {
    (void)parse_transport_order(order, names);
    return std::nullopt;
  }
  if (entries.size() > 1) {
    throw UsageError("transport " + std::string(system->name) + " cannot be part of \"" + std::string(order) +
                     "\": it carries a whole program by itself and stands alone");
  }
  const SystemRow* row = find_system(system->name);
  return SystemChoice{row, parse_parameters(*system, row->parameters)};
}

bool is_message_system(std::string_view order) { return system_of(order).has_value(); }

std::string describe_system_parameters() {
  std::string text;
  for (const SystemRow& row : table) text += describe_parameters(row.name, row.parameters);
  return text;
}

}  // namespace nasvm

#pragma once
/// \file
/// The table of transports: name, what it is, how it is made. A new transport is a new folder and one row here
/// (table.cpp); the command line, the tests and the documentation read this table.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vm/transport/parameters.hpp"
#include "vm/transport/transport.hpp"

namespace nasvm {

struct TransportRow {
  std::string_view name;
  std::string_view description;
  std::unique_ptr<Transport> (*make)(const TransportContext&);
  std::span<const ParameterRow> parameters;
};

std::span<const TransportRow> transports();
/// Message systems that carry whole programs by themselves: started by a launcher of their own, not part of `auto`,
/// not joined with others, and without a Transport (`make` is null).
std::span<const TransportRow> message_systems();
/// The message system that the order names; empty when it names transports. Throws as parse_transport_order does.
std::string_view message_system_of(std::string_view order);
/// In both tables; null when it is in neither.
const TransportRow* find_transport(std::string_view name);

/// The names in the table, for messages and --help.
std::span<const std::string_view> transport_names();

/// One transport of an order of preference, with what the user set of its parameters.
struct TransportChoice {
  const TransportRow* row = nullptr;
  Parameters parameters;
};

/// Reads an order of preference: "auto", "direct", "direct:spin=0+daemon". Throws UsageError for an unknown or
/// repeated transport or parameter, with the known ones. A message system stands alone.
std::vector<TransportChoice> parse_transport_order(std::string_view order);

/// The parameters of all transports, one a line, for --help.
std::string describe_parameters();

}  // namespace nasvm

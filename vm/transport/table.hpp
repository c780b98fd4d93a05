#pragma once
/// \file
/// The table of transports: name, what it is, how it is made. A new transport is a new folder and one row here
/// (table.cpp); the command line, the tests and the documentation read this table.

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "vm/transport/transport.hpp"

namespace nasvm {

struct TransportRow {
  std::string_view name;
  std::string_view description;
  std::unique_ptr<Transport> (*make)(const TransportContext&);
};

std::span<const TransportRow> transports();
const TransportRow* find_transport(std::string_view name);

/// The names in the table, for messages and --help.
std::span<const std::string_view> transport_names();

/// Splits an order of preference: "auto", "direct", "direct+daemon". Throws UsageError for an unknown or repeated
/// name, with the known ones.
std::vector<std::string_view> parse_transport_order(std::string_view order);

}  // namespace nasvm

#pragma once
/// \file
/// The table of transports: name, what it is, how it is made. A new transport is a new folder and one row here
/// (table.cpp); the command line, the tests and the documentation read this table.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vm/parameters.hpp"
#include "vm/transport/transport.hpp"

namespace nasvm {

/// What a task uses a transport for beside Comm's messages. Each role but `none` is one row's.
enum class TransportRole : std::uint8_t {
  none,
  packed,    ///< Task::send and mcast
  unpacked,  ///< Task::fsend, between tasks whose orders name it; else these are packed messages, too
};

/// Who has to run for a transport's packets to move: the two tasks alone, or the daemons between them, too.
enum class Carriers : std::uint8_t { tasks, daemons };

struct TransportRow {
  std::string_view name;
  std::string_view description;
  std::unique_ptr<Transport> (*make)(const TransportContext&);
  std::span<const ParameterRow> parameters;
  TransportRole role = TransportRole::none;
  Carriers carriers = Carriers::tasks;
};

std::span<const TransportRow> transports();
/// Null when there is none of that name.
const TransportRow* find_transport(std::string_view name);

/// The row that has a role, which is not `none`.
const TransportRow& transport_for(TransportRole role);

/// The names in the table, for messages and --help.
std::span<const std::string_view> transport_names();

/// One transport of an order of preference, with what the user set of its parameters.
struct TransportChoice {
  const TransportRow* row = nullptr;
  Parameters parameters;
};

/// Reads an order of preference: "auto", "direct", "direct:spin=0+daemon". Throws UsageError for an unknown or
/// repeated transport or parameter, with the known ones; `beside`: names that the caller knows besides, for that
/// text.
std::vector<TransportChoice> parse_transport_order(std::string_view order,
                                                   std::span<const std::string_view> beside = {});

/// The parameters of all transports, one a line, for --help.
std::string describe_parameters();

}  // namespace nasvm

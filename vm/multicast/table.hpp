#pragma once
/// \file
/// The table of multicast protocols: name, what it is, how its ends are made. A new protocol is a new folder and one
/// row here (table.cpp). Whoever looks protocols up is handed the rows, so that a test can add one of its own.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "vm/multicast/multicast.hpp"
#include "vm/parameters.hpp"

namespace nasvm::multicast {

/// What a protocol's packets need: the links between daemons, which bring every packet, once and in order, or just
/// datagrams, which may be lost, doubled, late and out of order.
enum class Carrier : std::uint8_t { links, datagrams };

struct Row {
  std::string_view name;
  std::string_view description;
  Carrier carrier;
  std::unique_ptr<Sender> (*make_sender)(const Group&, Network&);
  std::unique_ptr<Receiver> (*make_receiver)(const Group&, Network&, Inbox&);
  std::span<const ParameterRow> parameters{};
  /// What is wrong with parameters that are right each by itself, such as one that has no effect beside another, and
  /// what would be right; empty: nothing. Null: nothing ever is.
  std::string (*objection)(const Parameters& set) = nullptr;
};

std::span<const Row> protocols();
/// In place of a name: the choice is left to the program, which takes `automatic_protocol` where it is worth it.
inline constexpr std::string_view automatic = "auto";
inline constexpr std::string_view automatic_protocol = "nak";

/// A protocol, with what the user set of its parameters.
struct Choice {
  const Row* row = nullptr;
  Parameters parameters;
};

/// Reads "fanout", "nak:poll=8:window=20". Throws UsageError for an unknown protocol or parameter, with the known
/// ones, and for parameters that the protocol objects to. `beside`: names that the caller knows besides, for that
/// message.
Choice parse_protocol(std::string_view text, std::span<const Row> rows = protocols(),
                      std::span<const std::string_view> beside = {});
/// The same of the table's, or `automatic`: then it is `automatic_protocol`, as it is when nothing is set.
Choice parse_protocol_of_broadcasts(std::string_view text);

}  // namespace nasvm::multicast

#pragma once
/// \file
/// Parameters behind the name of a transport, message system or multicast protocol: `direct:sndbuf=256k:spin=50`.
/// Each of these lists those it has; the command line, its help and the checks are made from these lists.

#include <chrono>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nasvm {

/// What a parameter's value is: a length (4096, 64k, 2M, 1G), a time in microseconds, a number, one of a few words
/// (its value is the word's place in the row), or a user of this system (its value is the user's number).
enum class ParameterKind : std::uint8_t { bytes, microseconds, count, word, user };

struct ParameterRow {
  std::string_view name;
  ParameterKind kind;
  std::uint64_t least;
  std::uint64_t most;
  std::string_view description;  ///< with the default
  std::span<const std::string_view> words{};
};

/// Values by parameter name; those that the user did not set are not there.
using Parameters = std::map<std::string, std::uint64_t, std::less<>>;

/// The value that was set, or `otherwise`.
std::uint64_t value_of(const Parameters& parameters, std::string_view name, std::uint64_t otherwise);

/// Adds `text` ("sndbuf=256k") to `parameters`. Throws UsageError when no row has that name, it is there
/// already, or its value is not in the row's range; `owner` says in the error whose it is ("transport direct").
void parse_parameter(std::string_view text, std::string_view owner, std::span<const ParameterRow> rows,
                     Parameters& parameters);

/// One entry of an order of preference, as written: "direct:sndbuf=1M:spin=0".
struct OrderEntry {
  std::string_view name;
  std::vector<std::string_view> parameters;
};

/// The entries of an order, which pluses separate: one at least. Whether they mean anything is not checked.
std::vector<OrderEntry> split_order(std::string_view order);

/// All parameters of an entry, which names a thing of that kind. Throws as parse_parameter does.
Parameters parse_parameters(const OrderEntry& entry, std::span<const ParameterRow> rows,
                            std::string_view kind = "transport");

/// The parameters of one owner, one a line, for --help.
std::string describe_parameters(std::string_view owner, std::span<const ParameterRow> rows);

/// "64k" and the like (k, M, G, also as K, m, g: powers of 1024); throws std::invalid_argument.
std::uint64_t parse_count(std::string_view text);

}  // namespace nasvm

#pragma once
/// \file
/// Parameters of transports: `direct:sndbuf=256k:spin=50`. Each transport lists those it has; the command line, its
/// help and the checks are made from these lists.

#include <chrono>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nasvm {

/// What a parameter's value is: a length (4096, 64k, 2M), a time in microseconds, a number, one of a few words (its
/// value is the word's place in the row), or a user of this system (its value is the user's number).
enum class ParameterKind : std::uint8_t { bytes, microseconds, count, word, user };

struct ParameterRow {
  std::string_view name;
  ParameterKind kind;
  std::uint64_t least;
  std::uint64_t most;
  std::string_view description;  ///< with the default
  std::span<const std::string_view> words{};
};

/// Polling before sleeping: every transport has it.
inline constexpr ParameterRow spin_parameter{"spin", ParameterKind::microseconds, 0, 1'000'000,
                                             "microseconds of polling before a task sleeps (default 100, 20 with "
                                             "more threads than cores, 60 when only daemons "
                                             "make them more)"};

/// Short messages: every transport has it, for the peers that it reaches. The engine's window of credit
/// (Engine::Options) has room for two of the longest.
inline constexpr ParameterRow eager_parameter{
    "eager", ParameterKind::bytes, 0, 512 * 1024,
    "longest message that is sent without asking the receiver first (default 256k)"};

/// Polling of several methods (Foster et al., Managing Multiple Communication Methods, section 5.1, skip_poll): every
/// transport has it, and it is the task's.
inline constexpr ParameterRow skip_poll_parameter{
    "skip_poll", ParameterKind::count, 0, 65536,
    "cheap looks at the awaited peer for each look at every method (default 0: adaptive)"};

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

/// "64k" and the like; throws std::invalid_argument.
std::uint64_t parse_count(std::string_view text);

}  // namespace nasvm

#pragma once
/// \file
/// The parameters that protocols with a window share, and what they are when the user has not set them.

#include <array>
#include <cstdint>

#include "vm/multicast/multicast.hpp"
#include "vm/parameters.hpp"

namespace nasvm::multicast {

inline constexpr std::uint32_t max_window = 32768;

inline constexpr std::array<std::string_view, 2> suppression_words{"sender", "receivers"};

inline constexpr ParameterRow packet_parameter{
    "packet", ParameterKind::bytes, 1, 65536,
    "payload of a packet, in bytes; more than the path takes in one piece is fragmented (default: what it takes)"};
inline constexpr ParameterRow window_parameter{
    "window", ParameterKind::count, 1, max_window,
    "packets on their way at once (default: what path and receivers hold, fewer where each is acknowledged often)"};
inline constexpr ParameterRow coalesce_parameter{
    "coalesce", ParameterKind::count, 1, max_window,
    "packets that one acknowledgement stands for (default: 8, or a quarter "
    "of a window that is shorter than 32)"};
inline constexpr ParameterRow rate_parameter{"rate", ParameterKind::count, 0, 1'000'000,
                                             "Mbit/s at which packets leave (default 0: as fast as they can)"};
inline constexpr ParameterRow timeout_parameter{
    "timeout", ParameterKind::microseconds, 0, 10'000'000,
    "microseconds until a packet is sent or asked for again, or receivers are asked (default 0: as measured)"};
inline constexpr ParameterRow suppress_parameter{
    "suppress",
    ParameterKind::word,
    0,
    suppression_words.size() - 1,
    "who keeps NAKs from piling up: sender (default), or receivers too, which wait and hear each other's",
    suppression_words};

struct Settings {
  std::size_t packet_bytes = 0;
  std::uint32_t window = 0;
  double bits_per_second = 0;  ///< 0: no limit
  Duration timeout{};          ///< 0: as measured
  Duration path_timeout{};     ///< while nothing has been measured: what the path alone makes necessary
  bool receivers_suppress = false;
};

/// Of protocols whose receivers acknowledge each so many-th packet: how many that are, and a window that does not end
/// before one of them. `acknowledgers`: how many of these acknowledgements reach the sender, each time.
struct Coalescing {
  std::uint32_t packets = 1;
  Settings settings{};
};
Coalescing coalescing_of(const Group& group, double acknowledgers);

/// `acknowledgers`: how many acknowledgements reach the sender for each packet, on average; `least_window`: what the
/// protocol needs, whatever the user set.
Settings settings_of(const Group& group, double acknowledgers, std::uint32_t least_window = 1);

}  // namespace nasvm::multicast

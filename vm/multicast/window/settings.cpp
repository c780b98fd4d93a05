#include "vm/multicast/window/settings.hpp"

#include <algorithm>

namespace nasvm::multicast {
namespace {

/// Acknowledgements on their way to the sender at once: what a socket's buffer holds.
constexpr double most_acknowledgements = 4096;

std::uint32_t default_window(std::size_t room_bytes, std::size_t packet_bytes, double acknowledgers) {
  const double packets = static_cast<double>(room_bytes) / static_cast<double>(packet_bytes);
  const double acknowledged = most_acknowledgements / std::max(acknowledgers, 0.01);
  return static_cast<std::uint32_t>(std::clamp(std::min(packets, acknowledged), 4.0, 8192.0));
}

}  // namespace

/// More than this saves little: one packet in eight of those that receivers and the sender handle beyond the data.
constexpr std::uint32_t default_coalesce = 8;

Settings settings_of(const Group& group, double acknowledgers, std::uint32_t least_window) {
  const Parameters& set = group.parameters;
  Settings settings;
  settings.packet_bytes = std::min<std::size_t>(value_of(set, "packet", group.packet_bytes), group.packet_bytes);
  const auto window = value_of(set, "window", default_window(group.room_bytes, settings.packet_bytes, acknowledgers));
  settings.window = std::max(static_cast<std::uint32_t>(window), least_window);
  settings.bits_per_second = static_cast<double>(value_of(set, "rate", 0)) * 1e6;
  settings.timeout = std::chrono::microseconds(value_of(set, "timeout", 0));
  // After RFC 6298, 2.2: the first round trip, and four times its deviation, for which half of it is taken.
  settings.path_timeout = 3 * group.round_trip;
  settings.receivers_suppress = value_of(set, "suppress", 0) == 1;
  return settings;
}

Coalescing coalescing_of(const Group& group, double acknowledgers) {
  const auto with = [&](std::uint32_t packets) {
    return Coalescing{packets, settings_of(group, acknowledgers / packets, packets)};
  };
  const auto set = static_cast<std::uint32_t>(value_of(group.parameters, "coalesce", 0));
  if (set > 0) return with(set);
  // Most of a window may be on its way while the acknowledgement of its first packets is.
  const std::uint32_t window = settings_of(group, acknowledgers / default_coalesce).window;
  return with(std::clamp(window / 4, 1U, default_coalesce));
}

}  // namespace nasvm::multicast

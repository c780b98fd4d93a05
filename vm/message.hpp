#pragma once
/// \file
/// The wire format: task identifiers, and the envelope in front of every packet on every transport.
///
/// An envelope has explicit widths and carries its writer's byte order; whoever reads it converts where the orders
/// differ ("receiver makes right"). The payload keeps the order of the task that sent it, which a daemon on the way
/// does not touch; the receiving task converts it by `element_bytes`.

#include <fmt/format.h>

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace nasvm {

/// Address of a task, a daemon, a group of tasks or the console: like PVM's tid, a host part and a local part
/// (Dunigan and Hall, PVM and IP Multicast, section 3.1.3).
///
///     bit 31: group   bits 30..16: host, from 1; 0 is the console   bits 15..0: local, from 1; 0 is the daemon
struct Tid {
  std::uint32_t value = 0;

  static constexpr Tid task(int host, int local) {
    return {static_cast<std::uint32_t>(host) << 16 | static_cast<std::uint32_t>(local)};
  }
  static constexpr Tid daemon(int host) { return task(host, 0); }
  /// The process that the user started: it begins and ends the machine.
  static constexpr Tid console() { return {1}; }
  /// A multicast address, made by the daemon of `host`.
  static constexpr Tid group(int host, int local) { return {task(host, local).value | 1U << 31}; }

  [[nodiscard]] constexpr bool is_group() const { return (value >> 31) != 0; }
  [[nodiscard]] constexpr bool is_daemon() const { return !is_group() && value != 0 && local() == 0; }
  [[nodiscard]] constexpr bool is_task() const { return !is_group() && host() != 0 && local() != 0; }
  [[nodiscard]] constexpr int host() const { return static_cast<int>(value >> 16 & 0x7fffU); }
  [[nodiscard]] constexpr int local() const { return static_cast<int>(value & 0xffffU); }
  constexpr auto operator<=>(const Tid&) const = default;
};

/// "t2.5": the fifth task of host 2; "d2": its daemon.
inline std::string to_string(Tid tid) {
  if (tid == Tid::console()) return "console";
  if (tid.is_daemon()) return fmt::format("d{}", tid.host());
  return fmt::format("{}{}.{}", tid.is_group() ? 'g' : 't', tid.host(), tid.local());
}

inline constexpr int max_hosts = 0x7ffe;
inline constexpr int max_tasks_per_host = 0xfffe;

enum class PacketKind : std::uint8_t {
  eager = 1,  ///< a message, or the first piece of one, sent without asking
  request,    ///< rendezvous: a long message waits at its sender
  grant,      ///< rendezvous: its receiver has a buffer
  data,       ///< a further piece of a message
  credit,     ///< the receiver has room for more eager bytes; no message
  control,    ///< between tasks, daemons and console: a JSON text (vm/protocol/)
  report,     ///< a piece of a task's result on its way to the console
  pulled,     ///< rendezvous: its receiver has fetched the message from the sender's memory
  invite,  ///< rendezvous: a receiver has a buffer for a message that it has not heard of (vm/engine/invitations.hpp)
  invited,  ///< a message, or the first piece of one, that comes by an invitation
};

/// In front of every packet. Plain bytes on the wire, in the sender's order.
struct Envelope {
  static constexpr std::uint16_t native_mark = 0x4e56;  ///< "NV"; reads 0x564e from the other byte order
  static constexpr std::uint8_t current_version = 1;
  static constexpr std::uint8_t native_order = std::endian::native == std::endian::big ? 1 : 0;

  std::uint16_t mark = native_mark;
  std::uint8_t version = current_version;
  PacketKind kind = PacketKind::eager;
  std::uint8_t element_bytes = 1;  ///< of each element of the payload: 1, 2, 4, 8, 16
  std::uint8_t payload_order = native_order;
  std::uint8_t synchronous = 0;  ///< request: only a receive that has matched may have it sent
  std::uint8_t reserved = 0;
  std::uint32_t source = 0;       ///< Tid
  std::uint32_t destination = 0;  ///< Tid
  std::uint32_t context = 0;
  std::int32_t tag = 0;
  std::uint32_t sender_id = 0;      ///< names the message at its sender while it is under way
  std::uint32_t invitation = 0;     ///< invite, invited: its number; request: the last one that had come
  std::uint32_t credit = 0;         ///< eager bytes that the sender of this packet has taken in since the last
  std::uint32_t payload_bytes = 0;  ///< that follow this envelope
  std::uint64_t message_bytes = 0;  ///< of the whole message
  std::uint64_t offset = 0;         ///< data: where in the message the payload belongs; request: where in the
                                    ///< sender's memory the message is, if the receiver may fetch it
};
static_assert(sizeof(Envelope) == 56 && std::is_trivially_copyable_v<Envelope>);

/// As memcpy, without a call for most of the shortest messages.
inline void copy_payload(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes >= sizeof(std::uint64_t) && bytes <= 2 * sizeof(std::uint64_t)) {
    std::uint64_t first = 0, last = 0;  // which overlap
    std::memcpy(&first, from, sizeof first);
    std::memcpy(&last, from + bytes - sizeof last, sizeof last);
    std::memcpy(to, &first, sizeof first);
    std::memcpy(to + bytes - sizeof last, &last, sizeof last);
  } else if (bytes != 0) {
    std::memcpy(to, from, bytes);
  }
}

/// Longest payload of one packet: one that the length field can hold, rounded down to whole pages.
inline constexpr std::size_t max_packet_payload = 0xfffff000U;

/// Reverses the bytes of every element. Not inlined: that would cost those who seldom need it their registers.
[[gnu::noinline]] inline void swap_elements(std::span<std::byte> data, std::size_t element_bytes) {
  if (element_bytes < 2) return;
  for (std::size_t at = 0; at + element_bytes <= data.size(); at += element_bytes) {
    for (std::size_t i = 0; i < element_bytes / 2; ++i) std::swap(data[at + i], data[at + element_bytes - 1 - i]);
  }
}

/// Makes an envelope that has just been read native. False: it is not ours, or of another version.
inline bool make_native(Envelope& envelope) {
  if (envelope.mark != Envelope::native_mark) {
    const auto swap_field = [](auto& field) {
      swap_elements(std::as_writable_bytes(std::span(&field, 1)), sizeof field);
    };
    swap_field(envelope.mark);
    swap_field(envelope.source);
    swap_field(envelope.destination);
    swap_field(envelope.context);
    swap_field(envelope.tag);
    swap_field(envelope.sender_id);
    swap_field(envelope.invitation);
    swap_field(envelope.credit);
    swap_field(envelope.payload_bytes);
    swap_field(envelope.message_bytes);
    swap_field(envelope.offset);
  }
  return envelope.mark == Envelope::native_mark && envelope.version == Envelope::current_version &&
         envelope.kind >= PacketKind::eager && envelope.kind <= PacketKind::invited;
}

}  // namespace nasvm
